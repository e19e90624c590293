#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "proxy/net/address.h"
#include "proxy/net/loop.h"

struct ares_channeldata;

namespace retrial::proxy {

struct ResolverSettings {
  std::string resolv_conf = "/etc/resolv.conf";  // resolv.conf(5); of its options ndots and rotate are followed
  std::string hosts = "/etc/hosts";
  std::string servers;          // "127.0.0.1:5353,[::1]:53", asked in place of those of resolv_conf; empty: those
  Nanos timeout = 2 * kSecond;  // until a server is asked again; each round of the servers waits twice as long
  int tries = 3;                // rounds of the servers
};

// The question for the addresses of one family, and its answer.
struct Lookup {
  bool pending = true;
  int status = 0;  // then: ARES_SUCCESS, or what went wrong
  std::vector<Address> found;
  std::function<void()> answered;  // empty: nobody waits for it any more
};

// A channel of c-ares (ares_init_options(3)) whose sockets and time-outs are on the loop, in real time. Name servers
// only: it reads no hosts file and appends no search domain by itself.
class AresChannel {
 public:
  // Reads resolv_conf, blocking. Without a name server there it asks 127.0.0.1.
  static Result<std::shared_ptr<AresChannel>> open(Loop& loop, const ResolverSettings& settings);
  ~AresChannel();  // never from within `answered`
  AresChannel(const AresChannel&) = delete;

  // Asks for the A or the AAAA records (`family`) of an absolute name ("a.example."). Addresses come sorted (RFC 6724),
  // with this port. `answered` is called once, at the latest from within the next calls to name servers, perhaps before
  // ask() returns, and always from within c-ares: it may do no more than take note.
  std::shared_ptr<Lookup> ask(const std::string& name, int family, std::uint16_t port, std::function<void()> answered);
  // Its `answered` is not called. With the last one that anybody waits for, all sockets are closed.
  void abandon(Lookup& lookup);

  // The absolute names that `name` may stand for, in their order (resolv.conf(5): search, ndots).
  std::vector<std::string> search_list(const std::string& name) const;
  // Why no address was found, in words: for the status of a Lookup of this name that is answered.
  Error error_of(int status, const std::string& name) const;

 private:
  struct Asked;
  struct Sockets;
  AresChannel(Loop& loop);
  void watch(int fd, bool read, bool write);
  void process(int readable, int writable);
  int failure() const;
  void set_timer();

  Loop& loop_;
  ares_channeldata* channel_ = nullptr;
  Timer timer_;
  std::map<int, std::unique_ptr<Watch>> watches_;
  std::vector<std::string> domains_;
  int dots_ = 1;
  int awaited_ = 0;    // lookups that somebody waits for
  int no_socket_ = 0;  // errno of the last socket that could not be made, 0 where it could
  int rcode_ = 0;      // of the message that c-ares is reading
};

}  // namespace retrial::proxy
