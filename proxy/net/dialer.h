#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "proxy/net/allow_list.h"
#include "proxy/net/stub_resolver.h"

namespace retrial::proxy {

struct DialerSettings {
  ResolverSettings names;
  Nanos resolution_delay = 50 * kMillisecond;  // RFC 8305 3, 8
  Nanos attempt_delay = 250 * kMillisecond;    // RFC 8305 5, 8
  std::size_t most_attempts = 8;
};

// What one dial may take, and where it may lead.
struct DialLimits {
  Nanos resolve = 0;                // until an address of the name is known; 0: as long as the resolver takes
  Nanos connect = 0;                // from then on until one is connected; 0: as long as the kernel takes
  const AllowList* only = nullptr;  // addresses that it does not allow are not dialled; null: all may be
};

// Why a dial came to nothing.
struct DialError : Error {
  enum class Kind : std::uint8_t {
    failed,
    late,    // the time of DialLimits was over
    barred,  // DialLimits::only allows no address of it
  } kind = Kind::failed;
};

// Name to connection: Happy Eyeballs, version 2 (RFC 8305), with IPv4 as the preferred family and not IPv6, as most
// services of a test listen there. So it is an A record that is waited for, where AAAA comes first; with an A record at
// hand nothing is waited for. Addresses that come later join the race. One a loop; it outlives its dials.
//   state     | event                                       | does                                       | then
//   resolving | A found; or AAAA found, and no A            | first attempt                              | racing
//   resolving | AAAA found, A outstanding                   | sets the resolution delay                  | waiting
//   resolving | neither found                               | -                                          | failed
//   waiting   | A found, or none; or the delay is over      | first attempt                              | racing
//   racing    | the attempt delay is over                   | next attempt, beside those under way       | racing
//   racing    | an attempt failed                           | next attempt, at once                      | racing
//   racing    | ", no other under way, no address to come   | -                                          | failed
//   racing    | an attempt succeeded                        | closes the others, hands over its socket   | ended
//   resolving, waiting, racing                            |                                            |
//             | its time (DialLimits) is over               | -                                          | failed
//   failed    | next round of the loop                      | hands over the error                       | ended
// All in real time.
class Dialer {
 public:
  explicit Dialer(Loop& loop, DialerSettings settings = {});
  ~Dialer();
  Dialer(const Dialer&) = delete;

  // A connected TCP socket, non-blocking, close-on-exec, the callee's to close. It may have been reset by its peer
  // already: reading from it shows that. Else one error `on` host:port, with the errno of the most telling attempt
  // ("connect: Connection refused") or what went wrong with the name. Blame::network; Blame::us where there were no
  // descriptors left ("socket: Too many open files").
  using Done = std::function<void(std::expected<int, DialError>)>;
  class Dial {  // destroying it closes and forgets all, and `done` is not called; `done` itself may do that
   public:
    ~Dial();
    // What is left of DialLimits::connect, at least a nanosecond; 0: there is no limit. Also from within `done`.
    Nanos left() const;

   private:
    friend class Dialer;
    struct Race;
    explicit Dial(std::unique_ptr<Race> race);
    std::unique_ptr<Race> race_;
  };
  // `host`: as for StubResolver. `done` is called once, on the loop, never before this returns.
  std::unique_ptr<Dial> dial(const std::string& host, std::uint16_t port, const DialLimits& limits, Done done);

  // All addresses of both families, where nothing is to be connected; else one error as above, at the latest after
  // `limit` (0: none). Called once, on the loop, never before this returns; not at all once the handle is gone.
  using Found = std::function<void(std::expected<std::vector<Address>, DialError>)>;
  class Look {
   public:
    Look(Loop& loop, StubResolver& names, const std::string& host, std::uint16_t port, Nanos limit, Found found);

   private:
    void look();
    void tell();
    std::string on_;
    Nanos limit_;
    Found found_;
    bool late_ = false;
    Timer later_, limit_timer_;
    std::unique_ptr<StubResolver::Query> query_;
  };
  std::uint64_t edition() { return resolver_.edition(); }  // as StubResolver has it
  std::unique_ptr<Look> look(const std::string& host, std::uint16_t port, Nanos limit, Found found);

 private:
  Loop& loop_;
  DialerSettings settings_;
  StubResolver resolver_;
};

// The address to be tried after those: the families take turns, IPv4 first (RFC 8305 4), and none is tried twice.
std::optional<Address> next_destination(const Resolution& known, std::span<const Address> tried);

}  // namespace retrial::proxy
