#pragma once
#include "trace/exchange.h"
#include "trace/profiles/profile.h"

namespace retrial::proxy {

// What shall be done to an exchange, chosen once, at its request's head.
struct Decision {
  trace::FaultSpec fault;  // status is filled in: no 0 is left where a status is told
  trace::Answer answer;    // what is told instead, for faults that tell a status; else empty
  std::string fault_id;    // the marker's id; empty where nothing is injected
  std::string test;        // where the request said nothing of its own: the running test and phase
  trace::Phase phase = trace::Phase::none;
  std::optional<trace::CallSite> site;  // what the request's frames stand for (Tag::frames), and the test's statement
  std::uint64_t statement = 0;
  std::string profile;
  std::string operation;
  std::uint64_t call = 0;
  int attempt = 0;
  trace::Confidence confidence = trace::Confidence::possible;
};

// A connection of a client, before it has said anything.
struct Connecting {
  std::string_view service;  // as Exchange::service
  std::int32_t pid = 0;      // 0: not known
  Nanos at = 0;              // on the run's clock
};
// What shall be done to a connection (is_of_connection), or nothing. It has no exchange of its own: the next request of
// that process to that service carries it as its fault, fired, and passes.
struct ConnectDecision {
  trace::FaultSpec fault;
};

// Whoever decides: a campaign with its target, or `--inject`. Called on the loop thread, and never blocks.
class Director {
 public:
  virtual ~Director() = default;
  // May what is decided depend on the request's body? Then at_head comes once its beginning was read, all of it or
  // trace::kSampleBytes, and the sample is filled in too; or without it, where nothing comes for kEndless. Asked of a
  // head that a body follows at once.
  virtual bool awaits_body(const trace::Exchange&) const { return false; }
  // Everything up to the request's head is filled in.
  virtual Decision at_head(const trace::Exchange& head) = 0;
  // A connection is about to be made, or was accepted. Once for each; tls-* strike at its ClientHello, if one comes.
  virtual ConnectDecision at_connect(const Connecting&) { return {}; }
  // False: it decides nothing for now. Then it is asked neither at_head nor over, and headers are kept as lines alone.
  virtual bool reads_headers() const { return true; }
  // False: it decides nothing for now, of connections neither.
  virtual bool strikes() const { return true; }
  // May the fault `stale` come? Then every response is kept until the next one to the same request line.
  virtual bool keeps_responses() const { return false; }
  // The exchange is over for the client, or for the run. Once for each at_head.
  virtual void over(const trace::Exchange& exchange) = 0;
};

// Where the trace goes. A failure is told once, through failed(); forwarding goes on.
class Recorder {
 public:
  virtual ~Recorder() = default;
  virtual void head(const trace::Exchange& e) = 0;
  virtual void answer(const trace::Exchange& e) = 0;
  virtual void fired(const trace::Exchange& e) = 0;
  virtual void over(const trace::Exchange& e) = 0;
};

}  // namespace retrial::proxy
