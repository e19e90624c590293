#include "campaign/judging/known_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "oracles/oracle.h"

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

void mark_known(trace::CampaignRecord& record, const Config& config, const std::optional<Ids>& since) {
  auto& findings = record.findings;
  std::size_t known = 0;
  for (auto& f : findings) {
    f.accepted = config.accepts(f.id);
    f.known = since && since->contains(f.id);
    known += f.known;
  }
  std::ranges::stable_sort(findings, {}, [](auto& f) { return oracles::rank(f); });
  for (auto& a : config.accepted)
    if (std::ranges::count(findings, a.finding, &trace::Finding::id) == 0)
      record.remarks.push_back(fmt::format("[[accept]] {} matched no finding", a.finding));
  if (!since) return;
  auto gone = since->size() - std::min(since->size(), known);
  record.remarks.push_back(fmt::format("--since: {} of {} findings are known; {} of the earlier report {} not seen now",
                                       known, findings.size(), gone, gone == 1 ? "was" : "were"));
}

}  // namespace retrial::campaign
