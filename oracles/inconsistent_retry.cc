// One call site does not do with an error what the others of this client do with the same error of the same service:
// most retry it and this one gives up, or most give up and this one retries. WASABI (SOSP'24) 3.2.2 flags the few where
// the ratio of sites that retry is near none or near all.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "oracles/evidence.h"
#include "oracles/registry.h"
#include "trace/profiles/profile.h"

namespace retrial::oracles {
namespace {

constexpr Verdict kInconsistentRetry{
    .name = "inconsistent-retry",
    .severity = Severity::wrong_error,
    .title = "The same call is retried in one place and not in another",
    .why = "Callers cannot rely on either behaviour.",
    .remedy = "Give one client one retry policy.",
};

constexpr std::size_t kSites = 5;  // fewer are no majority
constexpr std::size_t kFew = 4;    // the odd one is one of four at the most, with the majority of one mind

struct Site {
  const ComparedCase* compared = nullptr;
  const trace::Comparison* comparison = nullptr;
  const trace::Call* call = nullptr;
  bool retries = false, mixed = false;
};

// What may be repeated is retried by other rules than what may not, and a body that comes as a stream cannot be sent
// again by anybody.
enum class Kind { repeatable, streamed, other };
Kind kind_of(const trace::Exchange& e) {
  auto repeat = trace::profile_of(e).repeat(e);
  if (repeat == trace::Repeat::effect || repeat == trace::Repeat::unknown) return Kind::other;
  return icontains(trace::find(e.request_headers, "transfer-encoding"), "chunked") ? Kind::streamed : Kind::repeatable;
}

// Whom one policy may be expected of: of a gRPC client, one gRPC service ("name" in gRFC A6's service configuration).
std::string service_of(const trace::Exchange& e) {
  return e.grpc.is ? e.service + e.operation.substr(0, e.operation.rfind('/')) : e.service;
}

class InconsistentRetry final : public Oracle {
 public:
  std::span<const Verdict> verdicts() const override { return {&kInconsistentRetry, 1}; }
  bool compares_sites() const override { return true; }

  void judge(Cases cases, Judgement& judgement) const override {
    // by service, fault and kind; then by call site
    std::map<std::tuple<std::string, std::string, Kind>, std::map<std::string, Site>> groups;
    each_faulted(cases, [&](auto& compared, auto& c, auto& call) {
      auto& first = call.first();
      if (call.site.empty() || !first.fired || races(first.fault) || c.in_case->stop != trace::Stop::exited) return;
      auto& sites = groups[{service_of(first), trace::show(first.fault), kind_of(first)}];
      bool retries = call.attempts.size() > 1;
      auto [it, fresh] = sites.try_emplace(call.site, Site{&compared, &c, &call, retries, false});
      it->second.mixed = it->second.mixed || it->second.retries != retries;
    });
    for (auto& [key, sites] : groups) judge_group(sites, std::get<Kind>(key), judgement);
  }

 private:
  static void judge_group(const std::map<std::string, Site>& sites, Kind kind, Judgement& judgement) {
    if (std::ranges::any_of(sites, [](auto& s) { return s.second.mixed; })) return;
    auto retrying = static_cast<std::size_t>(std::ranges::count_if(sites, [](auto& s) { return s.second.retries; }));
    auto others = std::max(retrying, sites.size() - retrying), odd = sites.size() - others;
    if (sites.size() < kSites || odd == 0 || odd * kFew > others) return;
    bool most_retry = retrying == others;
    if (!most_retry && kind != Kind::other) return;  // to repeat what may be repeated is right by itself
    for (auto& [name, site] : sites) {
      if (site.retries == most_retry) continue;
      if (!most_retry && trace::is_loss(site.call->first().fault)) continue;  // duplicate-effect, or what may be one
      judgement.findings.push_back(make_finding(
          *site.compared, *site.comparison, *site.call, kInconsistentRetry, trace::Confidence::possible,
          fmt::format("{}: {} of {} call sites of this service {} this error, and this one {}.", site.call->operation,
                      others, sites.size(), most_retry ? "retry" : "do not retry",
                      most_retry ? "does not" : fmt::format("sent it {}", counted(site.call->attempts.size(), "time"))),
          "A right client decides once for an error of a service whether it is worth another try, and does so "
          "everywhere."));
    }
  }
};

}  // namespace

const Oracle& inconsistent_retry() {
  static const InconsistentRetry oracle;
  return oracle;
}

}  // namespace retrial::oracles
