// Two attempts of one call, both executed. Rainmaker (NSDI'23) 4.3, RFC 9110 9.2.2.
#include <fmt/format.h>

#include "oracles/evidence.h"
#include "oracles/repeat.h"
#include "oracles/table.h"
#include "trace/profiles/profile.h"

namespace retrial::oracles {
namespace {

class DuplicateEffect final : public Oracle {
 public:
  std::string_view name() const override { return "duplicate-effect"; }

  void judge(Cases cases, Opinion& opinion) const override {
    each_faulted(cases, [&](auto& exhibit, auto& c, auto& call) { judge_call(exhibit, c, call, opinion); });
  }

 private:
  static void judge_call(const Exhibit& exhibit, const trace::Comparison& c, const trace::Call& call,
                         Opinion& opinion) {
    std::size_t one = call.attempts.size();
    for (std::size_t i = 0; i < call.attempts.size(); i++) {
      auto& e = *call.attempts[i];
      if (!good(e.service_status) || !trace::executed(e)) continue;
      if (one == call.attempts.size()) {
        if (!trace::told_failed(e))
          return;  // its client was told of the success: what follows is no attempt of this call
        one = i;
        continue;
      }
      auto& before = *call.attempts[one];
      if (!follows(before, e)) return;
      auto harm = harm_of_repeat(call, before, e);
      if (!harm) return;
      opinion.findings.push_back(
          state(exhibit, c, call, "duplicate-effect", harm->confidence, message(call, one, i),
                fmt::format("A right client does it once: {}, so it tells its caller of the loss, or sends a key by "
                            "which the service knows the request again.",
                            harm->why)));
      return;
    }
  }

  static std::string message(const trace::Call& call, std::size_t one, std::size_t other) {
    auto &a = *call.attempts[one], &b = *call.attempts[other];
    std::size_t times = 0;
    for (auto* e : call.attempts) times += good(e->service_status) && trace::executed(*e);
    auto how_often = times == 2 ? std::string("twice") : fmt::format("{} times", times);
    auto statuses = a.service_status == b.service_status
                        ? fmt::format("both were answered {}", trace::status_of(a, a.service_status))
                        : fmt::format("they were answered {} and {}", trace::status_of(a, a.service_status),
                                      trace::status_of(b, b.service_status));
    auto& profile = trace::profile_of(a);
    auto left = profile.effect(a), right = profile.effect(b);
    auto shown = !left.empty() && !right.empty() && left != right
                     ? fmt::format(" ({} and {})", shorten(left, 60), shorten(right, 60))
                     : "";
    return fmt::format("{} was asked for once and executed {}: {}, the client sent it again after {}, and {}{}.",
                       call.operation, how_often, what_was_done(call, one), show_gap(b.begun - a.told), statuses,
                       shown);
  }
};

}  // namespace

const Oracle& duplicate_effect() {
  static const DuplicateEffect oracle;
  return oracle;
}

}  // namespace retrial::oracles
