#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "proxy/faults/edit.h"
#include "trace/exchange.h"
#include "trace/profiles/profile.h"

namespace retrial::proxy {

class Earlier;

// The moments at which a fault is asked.
enum class Step : std::uint8_t {
  request_head,   // read, and nothing of it forwarded yet
  head_sent,      // forwarded, and nothing more: only where Fault::head_alone
  request_end,    // its last byte was read
  response_head,  // the service's final one was read, and nothing of it passed on yet
  response_end,   // its last byte was read, or it is taken as read (an answer without an end)
  told,           // all of it was handed to the client
};

// Why a fault of streams, or of gRPC, does not come to be at Step::request_head.
inline constexpr std::string_view kNeedsStreams = "this is no HTTP/2, and has no streams";
inline constexpr std::string_view kNeedsGrpc = "this is no gRPC call";
// Why nobody's process can be ended.
inline constexpr std::string_view kNoProcess = "the process that has sent it is not known, or not one of this run";

// What a fault may look at.
struct Scene {
  const trace::Exchange& exchange;  // its FaultSpec too
  bool invited = true;              // false: the client waits for 100 (Continue) before it sends the body
  std::uint64_t withheld = 0;       // bytes of the response that were read and not passed on, head included
  bool endless = false;             // the answer showed no end in time
  std::string_view target = {};     // as it was sent: nothing is redacted, and it must not reach a record
  bool streams = false;             // HTTP/2
  bool grpc = false;                // a gRPC call, and not gRPC-Web
  bool mortal = false;              // its client's process is known, and may be ended
};

// A token bucket.
struct Rate {
  std::uint64_t bytes_per_second = 0;  // 0: as fast as it goes
  std::uint64_t burst = 0;
};
// So many bytes at a time, and a pause.
struct Drip {
  std::uint64_t bytes = 0;  // 0: all at once
  Nanos every = 0;
};

// What is done to one exchange. Stateless: the exchange keeps the state, and hands it in.
class Fault {
 public:
  virtual ~Fault() = default;
  virtual bool awaits_response() const { return false; }  // it does nothing before the service has answered
  virtual Act at(Step step, const Scene& scene) const = 0;
  // Why it will not come to be, asked where at() has passed; empty: it has, or it may yet.
  virtual std::string_view spares(Step, const Scene&) const { return {}; }
  // What stands on the wire once `act` is done, for the reader of a finding.
  virtual std::string evidence(Act act, const Scene& scene) const = 0;

  // The service hears the request's head alone (without its last CRLF where there is no body, which would make it
  // whole), and Step::head_sent follows.
  virtual bool head_alone(const Scene&) const { return false; }
  // What is made of the response's bytes; null: nothing. Such a fault fires when its edit says so.
  virtual std::unique_ptr<Edit> edit(const trace::Exchange&, Earlier&) const { return nullptr; }
  // A token bucket on both sockets from the request's head on; fires at once.
  virtual Rate rate(const trace::FaultSpec&) const { return {}; }
  // How the response goes to the client; fires at its head.
  virtual Drip drip(const trace::FaultSpec&) const { return {}; }
  // An answer that is this fault's own; status 0: Decision::answer has it.
  virtual trace::Answer answer(const Scene&) const { return {}; }
};

}  // namespace retrial::proxy
