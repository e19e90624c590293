#include <algorithm>

#include "campaign/campaign_impl.h"
#include "campaign/report/reports.h"
#include "campaign/report/words.h"
#include "trace/store/store.h"

namespace retrial::campaign {

void Campaign::keep_findings(std::vector<trace::Finding> from, std::vector<trace::Finding>& to) {
  for (auto& f : from)
    if (std::none_of(to.begin(), to.end(), [&](auto& old) { return old.id == f.id && old.test == f.test; }))
      to.push_back(std::move(f));
}

void Campaign::stop_for(const Error& error) {
  if (error.blame == Blame::user) out_.nothing_to_try = true;
  out_.record.incomplete = error.line();
}

void Campaign::ended(const Result<void>& done) {
  live_.clear();
  auto& r = out_.record;
  if (!done) stop_for(done.error());
  out_.interrupted = executor_.interrupted();
  if (out_.interrupted && r.incomplete.empty()) r.incomplete = "interrupted";
  if (r.incomplete.empty()) r.incomplete = runs_.incomplete();
  slots_.end();
  for (auto& line : slots_.remarks()) r.remarks.push_back(line);
  for (auto& name : executor_.distrusting())
    if (auto line = report::left_as_it_is(name); std::ranges::count(r.left_alone, line) == 0)
      r.left_alone.push_back(line);
  for (auto& trouble : executor_.troubles())
    r.remarks.push_back("a part of an agent of ours failed, and what it would have told is missing: " + trouble);
  if (!executor_.troubles().empty() && !r.incomplete.empty())
    r.incomplete += "; an agent of ours failed: " + *executor_.troubles().begin();
  auto said = r.remarks.size();
  if (!setting_.plan_only && !setting_.predict_only && !setting_.learn_only)
    mark_known(r, setting_.config, setting_.since);
  if (!setting_.selection.shard.whole()) r.remarks.resize(said);  // what nothing matched is seen by `merge`
  if (auto line = runs_.saved().line(); !line.empty()) r.remarks.push_back(line);
  r.took = spent();
  r.overhead = r.took - executor_.in_commands();
}

CampaignOutcome Campaign::write() {
  auto stored = runs_.end(out_.record);
  if (setting_.look_only) {
    auto all = stored ? trace::read_store(setting_.folder / "campaign.db") : std::unexpected(stored.error());
    if (all && !all->runs.empty()) out_.seen = std::move(all->runs.back());
    if (!all && out_.record.incomplete.empty()) out_.record.incomplete = all.error().line();
    out_.opened = executor_.opened();
    out_.runners = executor_.runners();
    out_.reached = executor_.reached();
    return std::move(out_);
  }
  auto evidence = stored ? trace::read_evidence(setting_.folder / "campaign.db") : std::unexpected(stored.error());
  auto reported = report::write_reports(
      setting_.folder, out_.record, evidence ? evidence->runs : std::vector<trace::Run>{}, setting_.config.run.fail_on);
  auto trouble = [&](const auto& result) {
    if (!result && out_.record.incomplete.empty()) out_.record.incomplete = result.error().line();
  };
  trouble(evidence);
  trouble(reported);
  return std::move(out_);
}

}  // namespace retrial::campaign
