#include "campaign/judging/known_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "oracles/oracle.h"
#include "policies/policy.h"

namespace retrial::campaign {

Result<Ids> read_finding_ids(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return fail_errno("cannot be read", errno, file.string(), Blame::user);
  auto report = nlohmann::json::parse(in, nullptr, false);
  auto wrong = [&](const char* what) { return fail(what, file.string(), Blame::user); };
  if (!report.is_object() || !report.contains("findings") || !report["findings"].is_array())
    return wrong("expected a findings.json that Retrial wrote");
  if (report.value("version", nlohmann::json()) != 1) return wrong("expected a findings.json of version 1");
  Ids ids;
  for (auto& finding : report["findings"]) {
    if (!finding.is_object() || !finding.contains("id") || !finding["id"].is_string())
      return wrong("a finding in it has no id");
    ids.insert(finding["id"].get<std::string>());
  }
  return ids;
}

namespace {

// Which of `ids` stand for this finding's cause: its own, those of findings beside it that have the same cause, and the
// id that it would have under another policy, as an earlier campaign may have met it.
Ids standing_for(const trace::Finding& f, const std::vector<trace::Finding>& all, const Ids& ids) {
  Ids found;
  auto add = [&](const std::string& id) {
    if (ids.contains(id)) found.insert(id);
  };
  for (auto& other : all)
    if (other.verdict == f.verdict && other.site == f.site && other.operation == f.operation) add(other.id);
  for (auto& policy : policies::policies())
    for (auto* plans : {&policy.plans, &policy.where_it_times_out, &policy.once_a_site, &policy.once_a_line})
      for (auto& plan : *plans) add(trace::finding_id(f.verdict, f.site, f.operation, policies::show(plan)));
  return found;
}

// A verdict of `retrial scan`.
bool is_of_source(const trace::CampaignRecord& record, const std::string& id) {
  return std::ranges::any_of(record.retries, [&](auto& at) { return at.ids.find(id) != at.ids.npos; });
}

}  // namespace

void mark_known(trace::CampaignRecord& record, const Config& config, const std::optional<Ids>& since) {
  auto& findings = record.findings;
  Ids accepts, seen, seen_again;
  for (auto& a : config.accepted) accepts.insert(a.finding);
  for (auto& f : findings) {
    auto by = standing_for(f, findings, accepts);
    f.accepted = !by.empty();
    seen.merge(by);
    if (!since) continue;
    auto before = standing_for(f, findings, *since);
    f.known = !before.empty();
    seen_again.merge(before);
  }
  std::ranges::stable_sort(findings, {}, [](auto& f) { return oracles::rank(f); });
  bool untried = std::ranges::any_of(record.cases, [](auto& row) { return row.outcome == "left"; });
  for (auto& a : config.accepted)
    if (!seen.contains(a.finding) && !is_of_source(record, a.finding))
      record.remarks.push_back(fmt::format("[[accept]] {} matched no finding{}", a.finding,
                                           untried ? ", but not every case was tried" : ""));
  if (!since) return;
  auto known = std::ranges::count_if(findings, &trace::Finding::known);
  auto gone = since->size() - seen_again.size();
  record.remarks.push_back(fmt::format("--since: {} of {} findings are known; {} of the earlier report {} not seen now",
                                       known, findings.size(), gone, gone == 1 ? "was" : "were"));
}

}  // namespace retrial::campaign
