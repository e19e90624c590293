// Every fault of the language, as its parameters are declared. A fault or a parameter that is added is tried by itself.
#include "policies/fault_plan.h"
#include "tests/conversations/pairings_script.h"
#include "trace/fault_table.h"

namespace retrial::test::pairings {
namespace {
using Kind = trace::ArgumentKind;

std::vector<std::string> examples(Kind kind) {
  switch (kind) {
    case Kind::status:
      return {"503"};
    case Kind::retry_after:
      return {"2"};
    case Kind::telling:
      return {"reset", "close", "stall", "error(503)", "grpc-status(ABORTED)"};
    case Kind::cut:
      return {"reset", "close"};
    case Kind::point:
      return {"before-request", "after-head", "after-request", "after-response-head", "in-body", "idle"};
    case Kind::part:
      return {"status-line", "header", "chunk"};
    case Kind::redirect:
      return {"303"};
    case Kind::spread:
      return {"1h", "uniform, 1ms, 5ms", "normal, 5ms, 1ms", "pareto, 1ms, 1.5"};
    case Kind::time:
    case Kind::base:
    case Kind::width:
      return {"1h"};
    case Kind::shape:
      return {"1.5"};
    case Kind::bytes:
    case Kind::at:
      return {"0", "3", "7", "100"};
    case Kind::piece:
      return {"3", "7", "100"};
    case Kind::rate:
    case Kind::burst:
      return {"100"};
    case Kind::by:
      return {"+3", "-3"};
    case Kind::name:
    case Kind::set_name:
      return {"X-Kept", "x-none"};
    case Kind::value:
      return {"other"};
    case Kind::grpc_status:
      return {"UNAVAILABLE"};
    case Kind::pushback:
      return {"200ms", "never"};
    case Kind::stream_code:
      return {"cancel", "refused-stream"};
    case Kind::of_message:
      return {"delay", "drop", "truncate", "corrupt"};
    case Kind::nth:
      return {"1", "2", "3"};
    case Kind::times:
      return {"2"};
    case Kind::member:
      return {"next"};
    case Kind::moment:
      return {"before-request", "executed", "answered"};
  }
  return {};
}

// With the arguments from `at` on: each left out where it may be, and with all of its examples.
void add(const trace::FaultRow& fault, std::size_t at, const std::string& arguments, std::vector<std::string>& out) {
  if (at == fault.parameters.size()) {
    auto text = std::string(fault.word) + (arguments.empty() ? "" : "(" + arguments + ")");
    if (policies::parse_fault_plan(text)) out.push_back(std::move(text));  // some do not go together
    return;
  }
  auto& parameter = fault.parameters[at];
  auto begin = arguments.empty() ? std::string() : arguments + ", ";
  if (!parameter.required) add(fault, at + 1, arguments, out);
  // Some are several words, which have no name.
  bool words = parameter.kind == Kind::spread || parameter.kind == Kind::telling;
  for (auto& example : examples(parameter.kind))
    add(fault, at + 1, begin + (words ? example : std::string(parameter.name) + "=" + example), out);
}
}  // namespace

std::vector<std::string> all_faults() {
  std::vector<std::string> all;
  for (auto& row : trace::fault_rows()) add(row, 0, "", all);
  return all;
}

}  // namespace retrial::test::pairings
