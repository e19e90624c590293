// A note: all calls of a place waited the very same before each of their retries. Clients that failed together come
// back together. Marc Brooker, "Exponential Backoff And Jitter" (AWS Architecture Blog, 2015).
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "oracles/evidence.h"
#include "oracles/registry.h"
#include "oracles/waits.h"

namespace retrial::oracles {
namespace {

constexpr Verdict kNoJitter{
    .name = "no-jitter",
    .severity = Severity::information,
    .title = "Retries wait without jitter",
    .why = "Clients that failed together and wait the same come back together, and fail together again.",
    .remedy = "Add chance to each wait (full jitter, or decorrelated).",
};

constexpr std::size_t kWaits = 2;
constexpr Nanos kLeastWait = 100 * kMillisecond;  // below it the machine's load decides

bool same(const std::vector<Wait>& a, const std::vector<Wait>& b) {
  return std::equal(a.begin(), a.begin() + kWaits, b.begin(), [](const Wait& x, const Wait& y) {
    return x.most >= kLeastWait && y.most >= kLeastWait && std::abs(x.most - y.most) * 50 <= x.most;
  });
}

// The calls of one place.
struct Alike {
  std::vector<Wait> first;
  std::optional<trace::Finding> note;  // of the first that waited as it did
  bool differ = false;                 // one did not
};

class NoJitter final : public Oracle {
 public:
  std::span<const Verdict> verdicts() const override { return {&kNoJitter, 1}; }

  void judge(Cases cases, Judgement& judgement) const override {
    std::map<std::tuple<std::string, std::string, std::string>, Alike> seen;
    each_faulted(cases, [&](auto& compared, auto& c, auto& call) {
      auto waits = waits_of(c, call);
      if (!waits.empty() && waits[0].most < kLeastWait) waits.erase(waits.begin());  // at once, by design
      if (waits.size() < kWaits) return;
      std::tuple key(call.site, call.operation, trace::show(waits[0].before->fault));
      auto [it, fresh] = seen.try_emplace(key, Alike{.first = waits});
      auto& alike = it->second;
      if (fresh) return;
      if (!same(alike.first, waits)) return void(alike.differ = true);
      if (alike.note) return;
      alike.note = make_finding(
          compared, c, call, kNoJitter, std::min(trace::Confidence::likely, call.confidence),
          fmt::format("{}: two calls waited the same before their retries ({} and {}, then {} and {}).", call.operation,
                      show_gap(alike.first[0].most), show_gap(waits[0].most), show_gap(alike.first[1].most),
                      show_gap(waits[1].most)),
          "A right client adds chance to each wait, so that those who failed together do not come back together.");
    });
    for (auto& [key, alike] : seen)
      if (alike.note && !alike.differ) judgement.notes.push_back(std::move(*alike.note));
  }
};

}  // namespace

const Oracle& no_jitter() {
  static const NoJitter oracle;
  return oracle;
}

}  // namespace retrial::oracles
