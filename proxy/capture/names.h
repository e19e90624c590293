#pragma once
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>

#include "base/result.h"
#include "proxy/net/address.h"
#include "proxy/net/loop.h"
#include "trace/fault_spec.h"

namespace retrial::proxy::capture {

// A redirected connection, before its client arrives.
struct Claim {
  int service = -1;  // the connection that was dialled for it; owned by Names until it arrives
  Address written;   // the address as the client gave it
  ino_t inode = 0;   // of the client's socket
  pid_t process = 0;
  pid_t thread = 0;
  Nanos until = 0;              // set by Names: when it is withdrawn
  trace::FaultSpec fault = {};  // of its handshake
};

// The addresses to which clients are redirected. Each names one connection, whatever its source port: 127.x.y.z with
// one port for IPv4 and mapped destinations; for others a port of [::1], which works on IPV6_V6ONLY sockets and on
// sockets bound to an IPv6 address, where ::ffff:127.x.y.z does not.
//   state      | event            | does                                        | then
//   free       | give             | keeps the claim                             | on its way
//   on its way | client connects  | hands both connections to `arrived`         | used
//   on its way | withdraw, or life  | closes the service connection               | used
//   used       | client connects  | resets it                                   | used
// A used name is never given to another IPv4 destination, nor a used port to another address, so that an address which
// the program kept can be translated back for as long as the tree lives.
class Names {
 public:
  Names(Loop& loop, const Clock& clock, std::function<void(int client, const Claim&)> arrived,
        Nanos life = 30 * kSecond);  // `life`: a client that was killed between answer and handshake never comes
  ~Names();                          // closes what has not arrived
  Names(const Names&) = delete;

  Result<void> open();
  // Nothing if there is none to give; the service connection is then still the caller's.
  std::optional<Address> give(Claim claim);
  void withdraw(const Address& name);
  void accept_waiting();  // clients that have connected by now arrive at once
  bool on_its_way(const Address& name) const;
  std::optional<Address> written(
      const Address& name) const;  // what the client wrote before it was this; nothing: no name of ours

 private:
  struct Port;
  using Index = std::uint32_t;
  Index index(const Address& address) const;  // 0: not of the first kind
  Port* port(const Address& address) const;
  std::optional<Address> give_port(const Claim& claim);
  void accept_names();
  void accept_port(Port& port);
  void arrive(int client, Claim& claim);
  Claim* claim(const Address& name);
  void expire();

  Loop& loop_;
  const Clock& clock_;
  const Nanos life_;
  std::function<void(int, const Claim&)> arrived_;
  int listener_ = -1;
  std::uint16_t listener_port_ = 0;
  std::unique_ptr<Watch> watch_;
  std::deque<Claim> claims_;  // by index, from 1
  std::unordered_map<std::uint16_t, std::unique_ptr<Port>> ports_;
  std::map<std::string, std::deque<Port*>> free_ports_;  // by the address written
  std::size_t ports_on_their_way_ = 0;
  std::deque<std::pair<Nanos, Address>> expiries_;
  Timer expiry_;
};

}  // namespace retrial::proxy::capture
