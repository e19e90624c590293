// A note: a call that may be sent again was not, on an error by which the service says "try again".
#include <fmt/format.h>

#include "oracles/evidence.h"
#include "oracles/table.h"
#include "trace/profile.h"

namespace retrial::oracles {
namespace {

class NotRetriedTransient final : public Oracle {
 public:
  std::string_view name() const override { return "not-retried-transient"; }

  void judge(const Exhibit& exhibit, Opinion& opinion) const override {
    for (auto* c : exhibit.comparisons) {
      if (c->in_case->stop != trace::Stop::exited) continue;
      for (auto* call : c->faulted) {
        auto& e = call->first();
        if (call->attempts.size() > 1 || !e.fired || e.fault.name != trace::FaultName::error) continue;
        auto& profile = trace::profile_of(e);
        auto repeat = profile.repeat(e);
        if (repeat == trace::Repeat::effect || repeat == trace::Repeat::unknown) continue;
        if (!profile.transient(e.client_status, profile.error(e, e.client_status, "retrial-" + e.fault_id).body))
          continue;
        auto note = state(
            exhibit, *c, *call, "not-retried-transient", trace::Confidence::likely,
            fmt::format(
                "{} was answered {} and not sent again, though that error passes and the request may be repeated.",
                call->operation, e.client_status));
        note.note = true;
        opinion.notes.push_back(std::move(note));
      }
    }
  }
};

}  // namespace

const Oracle& not_retried_transient() {
  static const NotRetriedTransient oracle;
  return oracle;
}

}  // namespace retrial::oracles
