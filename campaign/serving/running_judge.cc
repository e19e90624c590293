#include "campaign/serving/running_judge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "campaign/judging/client_trial.h"
#include "campaign/judging/known_findings.h"
#include "trace/calls/correlator.h"

namespace retrial::campaign {
namespace {
using Json = nlohmann::ordered_json;

Nanos thread_now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

}  // namespace

std::string as_json(const trace::Finding& f) {
  Json json{{"id", f.id},
            {"verdict", f.verdict},
            {"confidence", trace::show(f.confidence)},
            {"accepted", f.accepted},
            {"service", f.service},
            {"operation", f.operation},
            {"call_site", f.site ? trace::show(*f.site) : ""},
            {"fault", f.fault},
            {"message", f.message},
            {"advice", f.advice},
            {"attempts", f.attempts},
            {"gaps_ms", f.gaps_ms},
            {"evidence", f.evidence}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

RunningJudge::RunningJudge(const trace::Run& run, const Config& config, Found found, proxy::Log& log)
    : run_(run), config_(config), found_(std::move(found)), log_(log) {
  run_.exchanges.clear();
}

void RunningJudge::take(const trace::Exchange& e) {
  fired_ |= e.fired;
  news_ = true;
  latest_ = std::max({latest_, e.begun, e.told});
  sift_.take(run_.id, e);
}

void RunningJudge::look(Nanos now) {
  if (!news_ || !fired_ || now < next_) return;
  auto began = thread_now();
  latest_ = std::max(latest_, now);
  judge(false);
  cost_ = thread_now() - began;
  next_ = now + std::max(kPause, cost_ * kShare);
}

void RunningJudge::judge(bool ended) {
  news_ = false;
  if (!fired_) return;
  auto snapshot = sift_;
  auto run = run_;
  run.ended = latest_;
  if (!ended) run.stop = trace::Stop::cut_off;
  snapshot.give(run);
  trace::Correlator::correlate_again(run.exchanges);
  trace::CampaignRecord record;
  std::vector<ClientCase> cases;
  for (auto& row : rows_by_fault({&run, 1})) cases.push_back({.row = row, .runs = {&run}});
  judge_client(cases, snapshot, record);
  mark_known(record, config_, {});
  news_ = !record.not_judged.empty();  // what is still going on may be over the next time
  {
    std::lock_guard lock(mutex_);
    findings_ = record.findings;
  }
  for (auto& finding : record.findings) {
    auto& told = told_[finding.id];
    auto now = fmt::format("{} {}", finding.verdict, trace::show(finding.confidence));
    if (told == now) continue;
    told = now;
    auto exchanges = fmt::format("{}", fmt::join(finding.evidence, ", "));
    auto line = fmt::format("finding {}: {} ({}): {}{} (exchange{} {})", finding.id, finding.verdict,
                            trace::show(finding.confidence), finding.message, finding.accepted ? " (accepted)" : "",
                            finding.evidence.size() == 1 ? "" : "s", exchanges);
    const proxy::Log::Field fields[] = {{"retrial.finding", finding.id},
                                        {"retrial.verdict", finding.verdict},
                                        {"retrial.confidence", std::string(trace::show(finding.confidence))},
                                        {"retrial.service", finding.service},
                                        {"retrial.operation", finding.operation},
                                        {"retrial.call_site", finding.site ? trace::show(*finding.site) : ""},
                                        {"retrial.fault", finding.fault},
                                        {"retrial.exchanges", exchanges}};
    log_.tell(proxy::Log::Level::warning, line, fields);
    if (found_) found_(finding);
  }
}

std::vector<trace::Finding> RunningJudge::findings() const {
  std::lock_guard lock(mutex_);
  return findings_;
}

}  // namespace retrial::campaign
