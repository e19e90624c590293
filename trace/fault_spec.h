#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"

namespace retrial::trace {

// What is done to one exchange. Plain data: policies choose it, proxy/faults carries it out, oracles read it.
enum class FaultName : std::uint8_t {
  none,           // pass
  error,          // error(status): answered before the service hears of it
  lost_response,  // the service executed, its whole response was read, the client is told otherwise
  reset,          // reset(after-request): read whole, not forwarded, RST
  close,          // close(after-request): read whole, not forwarded, FIN
  delay,          // delay(ms): forwarded that much later
  stall,          // read whole, never forwarded, never answered
};

// How the client is told, of a lost response.
enum class Telling : std::uint8_t { reset, close, stall, error };

struct FaultSpec {
  FaultName name = FaultName::none;
  Telling telling = Telling::reset;  // lost_response only
  int status = 0;                    // error, and lost_response(error(status)); 0: the profile's first transient code
  Nanos delay = 0;                   // delay only

  bool operator==(const FaultSpec&) const = default;
};

// The one spelling of a fault: "error(503)", "error(transient)" (status 0), "lost-response(reset)",
// "lost-response(error(503))", "reset(after-request)", "close(after-request)", "delay(200ms)", "stall", "pass".
std::string show(const FaultSpec& fault);

// Does the client learn nothing of whether the service executed it? (lost response, reset, close, stall)
bool is_loss(const FaultSpec& fault);
// Is the client told a status? (error, lost_response(error))
bool is_status(const FaultSpec& fault);

// The same spec with `status` put where it was left to the profile (0).
FaultSpec with_status(FaultSpec fault, int status);

}  // namespace retrial::trace
