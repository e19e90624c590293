#pragma once
#include "trace/exchange.h"
#include "trace/profile.h"

namespace retrial::proxy {

// What shall be done to an exchange, chosen once, at its request's head.
struct Decision {
  trace::FaultSpec fault;  // status is filled in: no 0 is left where a status is told
  trace::Answer answer;    // what is told instead, for faults that tell a status; else empty
  std::string fault_id;    // the marker's id; empty where nothing is injected
  std::string test;        // where the request said nothing of its own: the running test and phase
  trace::Phase phase = trace::Phase::none;
  std::string profile;
  std::string operation;
  std::uint64_t call = 0;
  int attempt = 0;
  trace::Confidence confidence = trace::Confidence::possible;
};

// Whoever decides: a campaign with its target, or `--inject`. Called on the loop thread, and never blocks.
class Director {
 public:
  virtual ~Director() = default;
  // Everything up to the request's head is filled in.
  virtual Decision at_head(const trace::Exchange& head) = 0;
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
