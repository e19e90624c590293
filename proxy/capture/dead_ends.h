#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "proxy/net/address.h"

namespace retrial::proxy::capture {

// Loopback addresses that lead nowhere, to which a connect is sent that a fault meets. Each stands for one address that
// clients have written, and stays as long as the tree: one that the program kept can be translated back.
class DeadEnds {
 public:
  enum class Kind : std::uint8_t {
    refusing,  // bound, and never listened on: RST to the SYN
    silent,    // its queue is full: the SYN is dropped, and sent again as the kernel does for services far away
  };
  DeadEnds() = default;
  ~DeadEnds();
  DeadEnds(const DeadEnds&) = delete;

  // Nothing if there is none to have (errno says why).
  std::optional<Address> lead(Kind kind, const Address& written);
  std::optional<Address> written(const Address& name) const;  // nothing: no name of ours

  // A new non-blocking socket of the silent one's own address, from which the client's SYN can be answered: both sides
  // connect to each other (RFC 9293 3.5, simultaneous open). -1 with errno.
  static int answer(const Address& silent, const Address& client);

 private:
  struct End {
    int socket = -1;
    Address at;
    Address written;
  };
  std::map<std::pair<Kind, std::string>, End> ends_;  // by what was written
};

}  // namespace retrial::proxy::capture
