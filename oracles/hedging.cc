// A note: attempts of one call that were under way together, as gRPC's hedging policy sends them (gRFC A6).
#include <fmt/format.h>

#include <algorithm>

#include "oracles/evidence.h"
#include "oracles/table.h"

namespace retrial::oracles {
namespace {

class Hedging final : public Oracle {
 public:
  std::string_view name() const override { return "hedging"; }

  void judge(Cases cases, Opinion& opinion) const override {
    for (auto& exhibit : cases) judge_case(exhibit, opinion);
  }

 private:
  static void judge_case(const Exhibit& exhibit, Opinion& opinion) {
    for (auto* c : exhibit.comparisons)
      for (auto* call : c->faulted) {
        auto copies = copies_of(*call);
        if (copies == 0) continue;
        auto note = state(exhibit, *c, *call, "hedging", call->confidence,
                          fmt::format("{}: {} of its {} attempts were sent while an earlier one was still open.",
                                      call->operation, copies, call->attempts.size()));
        note.note = true;
        opinion.notes.push_back(std::move(note));
      }
  }

  static std::size_t copies_of(const trace::Call& call) {
    std::size_t copies = 0;
    for (std::size_t i = 1; i < call.attempts.size(); i++)
      copies += std::any_of(call.attempts.begin(), call.attempts.begin() + static_cast<std::ptrdiff_t>(i),
                            [&](auto* before) { return hedged(*before, *call.attempts[i]); });
    return copies;
  }
};

}  // namespace

const Oracle& hedging() {
  static const Hedging oracle;
  return oracle;
}

}  // namespace retrial::oracles
