#include "trace/fault_spec.h"

#include <fmt/format.h>

namespace retrial::trace {
namespace {
std::string show_error(int status) { return status ? fmt::format("error({})", status) : "error(transient)"; }
}  // namespace

std::string show(const FaultSpec& f) {
  switch (f.name) {
    case FaultName::none:
      return "pass";
    case FaultName::error:
      return show_error(f.status);
    case FaultName::lost_response:
      switch (f.telling) {
        case Telling::reset:
          return "lost-response(reset)";
        case Telling::close:
          return "lost-response(close)";
        case Telling::stall:
          return "lost-response(stall)";
        case Telling::error:
          return "lost-response(" + show_error(f.status) + ")";
      }
      return {};
    case FaultName::reset:
      return "reset(after-request)";
    case FaultName::close:
      return "close(after-request)";
    case FaultName::delay:
      return fmt::format("delay({}ms)", f.delay / kMillisecond);
    case FaultName::stall:
      return "stall";
  }
  return {};
}
bool is_status(const FaultSpec& f) {
  return f.name == FaultName::error || (f.name == FaultName::lost_response && f.telling == Telling::error);
}
bool is_loss(const FaultSpec& f) {
  return f.name == FaultName::reset || f.name == FaultName::close || f.name == FaultName::stall ||
         (f.name == FaultName::lost_response && f.telling != Telling::error);
}
FaultSpec with_status(FaultSpec f, int status) {
  if (is_status(f) && f.status == 0) f.status = status;
  return f;
}

}  // namespace retrial::trace
