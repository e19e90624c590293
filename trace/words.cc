// The one spelling of the small words of the trace.
#include <fmt/format.h>

#include <ranges>

#include "base/text.h"
#include "trace/fault_name.h"
#include "trace/finding.h"
#include "trace/run.h"
#include "trace/status.h"

namespace retrial::trace {

std::string_view show(Confidence c) {
  static constexpr std::string_view kWords[] = {"possible", "likely", "certain"};
  return kWords[static_cast<int>(c)];
}
static constexpr std::string_view kPhases[] = {"", "shared", "setup", "test", "teardown"};
std::string_view show(Phase p) { return kPhases[static_cast<int>(p)]; }
Phase phase_of(std::string_view word) {
  for (int i = 1; i < 5; i++)
    if (kPhases[i] == word) return static_cast<Phase>(i);
  return Phase::none;
}
std::string_view show(Ending e) {
  static constexpr std::string_view kWords[] = {"open", "answered", "reset", "closed", "client-left"};
  return kWords[static_cast<int>(e)];
}
std::string_view show(Exchange::Aborted a) {
  static constexpr std::string_view kWords[] = {"no", "by-client", "by-service", "by-us"};
  return kWords[static_cast<int>(a)];
}
std::string_view show(RunKind k) {
  static constexpr std::string_view kWords[] = {"reference", "alone", "with-fault", "without-fault"};
  return kWords[static_cast<int>(k)];
}
std::string_view show(Stop s) {
  static constexpr std::string_view kWords[] = {"exited", "signalled", "held",        "capped",
                                                "hung",   "deadline",  "interrupted", "cut-off"};
  return kWords[static_cast<int>(s)];
}
std::string_view find(const std::vector<Header>& headers, std::string_view name) {
  if (name.empty()) return {};
  char first =
      static_cast<char>(name[0] | 0x20);  // of a letter both cases; most names differ in length or here already
  for (auto& h : headers)
    if (h.name.size() == name.size() && static_cast<char>(h.name[0] | 0x20) == first && iequals(h.name, name))
      return h.value;
  return {};
}
bool told_failure(const Exchange& e) {
  switch (e.ending) {
    case Ending::answered:
      return e.client_status >= 400;
    case Ending::reset:
    case Ending::closed:
    case Ending::client_left:
      return true;
    case Ending::open:
      return false;
  }
  return false;
}
bool unreadable(const Exchange& e) {
  if (!e.fired || e.ending != Ending::answered) return false;
  if (e.grpc.is) return e.fault.name == FaultName::message && e.fault.of_message == OfMessage::truncate;
  return e.fault.name == FaultName::truncate &&
         (e.response_sample.starts_with('{') || e.response_sample.starts_with('['));
}
std::string status_of(const Exchange& e, int status) {
  return status == 200 && (e.grpc.is || e.profile == "grpc") ? "OK" : show_status(status);
}
std::int64_t pushback_told(const Exchange& e) {
  if (e.grpc.pushback != kNoPushback) return e.grpc.pushback;
  return e.fired && is_status(e.fault) && is_grpc(e.fault.status) ? pushback_of(e.fault) : kNoPushback;
}
bool given_up(const Exchange& e) { return e.fired && is_silence(e.fault) && e.aborted == Exchange::Aborted::by_us; }
Nanos lasted(const Run& run) {
  auto real = run.ended - run.began;
  for (auto& jump : run.jumps) real -= jump.by;
  return real;
}

const TestResult* result_of(const Run& run, std::string_view test) {
  const TestResult* best = nullptr;
  for (auto& r : run.results) {
    if (r.test != test) continue;
    if (bad(r)) return &r;
    if (!best || r.phase == Phase::test) best = &r;
  }
  return best;
}
std::string finding_id(std::string_view verdict, const std::optional<CallSite>& site, std::string_view operation,
                       std::string_view fault) {
  auto text =
      fmt::format("{}\n{}\n{}\n{}\n{}", verdict, site ? site->file : "", site ? site->function : "", operation, fault);
  if (site)
    for (auto& caller : frames_of(*site) | std::views::drop(1)) text += "\n" + caller.file + "\n" + caller.function;
  auto h = fnv1a(text);
  return hex((h ^ (h >> 32)) & 0xffffffffu, 8);
}

}  // namespace retrial::trace
