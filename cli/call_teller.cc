#include "cli/call_teller.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "oracles/evidence.h"

namespace retrial::cli {
namespace {

constexpr std::size_t kMostLines = 20;

// The first of them, each after a space, and how many more there are.
std::string few(const auto& list, auto show) {
  constexpr std::size_t kMost = 10;
  std::string out;
  for (std::size_t i = 0; i < std::min(list.size(), kMost); i++) out += " " + show(list[i]);
  return list.size() > kMost ? out + fmt::format(" and {} more", list.size() - kMost) : out;
}

std::string line_of(const trace::Call& call) {
  auto& e = call.first();
  auto answers = few(call.attempts, [](auto* a) {
    // What a fault cut in its body had begun well, and its client was told of no good end.
    bool cut = a->fired && a->ending != trace::Ending::answered;
    return a->client_status && !cut ? trace::status_of(*a, a->client_status) : std::string(trace::show(a->ending));
  });
  auto waits =
      few(trace::gaps(call), [](auto gap) { return fmt::format("{:.0f}", static_cast<double>(gap) / kMillisecond); });
  if (oracles::is_look(e)) return fmt::format("--look: {} {}:{}", e.service, e.operation, answers);
  return fmt::format("{} {} at {}: {} attempt(s):{}{}{}", e.service, e.operation,
                     e.tag.site ? trace::show(*e.tag.site) : "-", call.attempts.size(), answers,
                     waits.empty() ? "" : "; gaps in ms:", waits);
}

}  // namespace

void CallTeller::tell(const trace::Run& run) {
  for (auto& c : run.connection_faults)
    line(fmt::format("{} of process {} {}: {}{}{}", c.service, c.pid, trace::show(c.fault),
                     c.fired ? "" : "not fired: ", c.evidence, c.times > 1 ? fmt::format(", {} times", c.times) : ""));
  for (auto& call : trace::calls_of(run)) line(line_of(call));
}

void CallTeller::end() {
  if (more_) fmt::print(stderr, "retrial: and {} more calls\n", std::exchange(more_, 0));
}

void CallTeller::line(const std::string& text) {
  if (++said_ <= kMostLines)
    fmt::print(stderr, "retrial: {}\n", text);
  else
    more_++;
}

}  // namespace retrial::cli
