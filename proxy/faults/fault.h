#pragma once
#include <cstdint>
#include <string>

#include "trace/exchange.h"

namespace retrial::proxy {

// The moments at which a fault is asked.
enum class Step : std::uint8_t {
  request_head,   // read, and nothing of it forwarded yet
  request_end,    // its last byte was read
  response_head,  // the service's final one was read, and nothing of it passed on yet
  response_end,   // its last byte was read, or it is taken as read (an answer without an end)
};

// What it answers.
enum class Act : std::uint8_t {
  pass,
  drop,    // read on to this message's end, but pass nothing of it on
  hold,    // nothing goes on: for FaultSpec::delay and then pass, or for ever where there is none
  answer,  // the client is told Decision::answer
  reset,   // RST
  close,   // FIN
};

// What a fault may look at.
struct Scene {
  const trace::Exchange& exchange;  // its FaultSpec too
  bool invited = true;              // false: the client waits for 100 (Continue) before it sends the body
  std::uint64_t withheld = 0;       // bytes of the response that were read and not passed on, head included
  bool endless = false;             // the answer showed no end in time
};

// What is done to one exchange. Stateless: the session keeps the state, and hands it in.
class Fault {
 public:
  virtual ~Fault() = default;
  virtual bool awaits_response() const { return false; }  // it does nothing before the service has answered
  virtual Act at(Step step, const Scene& scene) const = 0;
  // What stands on the wire once `act` is done, for the reader of a finding.
  virtual std::string evidence(Act act, const Scene& scene) const = 0;
};

}  // namespace retrial::proxy
