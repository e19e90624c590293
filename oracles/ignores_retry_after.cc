// The service said when to come again, or not to come again, and the client came earlier, or all the same. Of gRPC:
// grpc-retry-pushback-ms (gRFC A6). HTTP's Retry-After (RFC 9110 10.2.3) is not judged yet.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "oracles/evidence.h"
#include "oracles/table.h"

namespace retrial::oracles {
namespace {

// Clients' timers round, and ours is another clock's.
Nanos slack(Nanos told) { return std::max(2 * kMillisecond, told / 100); }

class IgnoresRetryAfter final : public Oracle {
 public:
  std::string_view name() const override { return "ignores-retry-after"; }

  void judge(Cases cases, Opinion& opinion) const override {
    each_faulted(cases, [&](auto& exhibit, auto& c, auto& call) { judge_call(exhibit, c, call, opinion); });
  }

 private:
  static void judge_call(const Exhibit& exhibit, const trace::Comparison& c, const trace::Call& call,
                         Opinion& opinion) {
    for (std::size_t i = 0; i + 1 < call.attempts.size(); i++) {
      auto &before = *call.attempts[i], &next = *call.attempts[i + 1];
      auto pushback = trace::pushback_told(before);
      if (pushback == trace::kNoPushback || !trace::told_failed(before) || !follows(before, next)) continue;
      auto gap = next.begun - before.told;
      auto told = std::min<std::int64_t>(pushback, INT64_MAX / kMillisecond) * kMillisecond;
      if (pushback >= 0 && gap + slack(told) >= told) continue;
      // A loop of the application's own may not see what gRPC was told; its library does.
      bool library = next.grpc.previous > before.grpc.previous;
      auto said = pushback < 0 ? std::string("not to retry") : fmt::format("to wait {}", show_duration(told));
      opinion.findings.push_back(state(
          exhibit, c, call, "ignores-retry-after",
          std::min(library ? trace::Confidence::certain : trace::Confidence::likely, call.confidence),
          fmt::format("{}: the {} attempt was answered {} with the word {} (grpc-retry-pushback-ms), and it was sent "
                      "again after {}. A service that sheds load by this is kept from recovering.",
                      call.operation, ordinal(i + 1), trace::status_of(before, before.client_status), said,
                      show_gap(gap))));
      return;
    }
  }
};

}  // namespace

const Oracle& ignores_retry_after() {
  static const IgnoresRetryAfter oracle;
  return oracle;
}

}  // namespace retrial::oracles
