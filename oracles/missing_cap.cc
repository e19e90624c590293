// Retries without an end. Real caps reach 121 attempts or 21 minutes, so that only more than 150 attempts, or half an
// hour of the client's time, say something; a client that was still retrying when its run was cut is a note.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "oracles/evidence.h"
#include "oracles/failure.h"
#include "oracles/fault_words.h"
#include "oracles/table.h"
#include "oracles/waits.h"
#include "trace/comparing/layers.h"

namespace retrial::oracles {
namespace {

constexpr std::size_t kAttempts = kAttemptsWithoutEnd;

// Attempts as the client makes them: without those that a transport below sent again by itself.
std::size_t own_attempts(const trace::Call& call) {
  auto resent = trace::resent_by_transport(call);
  return static_cast<std::size_t>(std::ranges::count(resent, false));
}

// How long the client went on by its own choice: what the service told it to wait is not the client's.
Nanos own_time(const trace::Comparison& c, const trace::Call& call) {
  auto time = call.last().begun - call.first().begun;
  for (auto& wait : waits_of(c, call, Chosen::by_service)) time -= wait.most;
  return time;
}

class MissingCap final : public Oracle {
 public:
  std::string_view name() const override { return "missing-cap"; }

  void judge(Cases cases, Opinion& opinion) const override {
    for (auto& exhibit : cases) judge_case(exhibit, opinion);
  }

 private:
  static void judge_case(const Exhibit& exhibit, Opinion& opinion) {
    for (auto* c : exhibit.comparisons)
      for (auto* call : c->faulted) {
        auto attempts = own_attempts(*call);
        auto took = call->last().begun - call->first().begun;
        if (attempts > kAttempts || (attempts > 2 && own_time(*c, *call) >= kTimeWithoutEnd && call->last().fired)) {
          opinion.findings.push_back(
              state(exhibit, *c, *call, "missing-cap", std::min(trace::Confidence::likely, call->confidence),
                    fmt::format("{} was sent {} in {} of the client's time, and there was no end in sight{}.",
                                call->operation, counted(attempts, "time"), show_duration(took),
                                c->in_case->stop == trace::Stop::capped ? " when the run was ended" : ""),
                    "A right client gives up after some attempts or some time, and tells its caller: one that never "
                    "does keeps the caller waiting and the service under load for as long as the fault lasts."));
        } else if (was_cut(exhibit, *c) && call->attempts.size() > 1 && call->last().fired) {
          auto note =
              state(exhibit, *c, *call, "cap-not-seen", trace::Confidence::certain,
                    fmt::format("{}: cap-not-seen within {} / {}: the client was still retrying when the run ended.",
                                call->operation, counted(call->attempts.size(), "attempt"), show_duration(took)));
          note.note = true;
          opinion.notes.push_back(std::move(note));
        }
      }
  }

  // The run, or the test, ended before the client gave up by itself.
  static bool was_cut(const Exhibit& exhibit, const trace::Comparison& c) {
    if (c.in_case->stop == trace::Stop::deadline || c.in_case->stop == trace::Stop::capped) return true;
    auto failure = failure_of(exhibit, c);
    return failure && is_time_limit(text_of(*failure));
  }
};

}  // namespace

const Oracle& missing_cap() {
  static const MissingCap oracle;
  return oracle;
}

}  // namespace retrial::oracles
