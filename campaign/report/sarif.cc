#include "campaign/report/sarif.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "campaign/report/words.h"

namespace retrial::campaign::report {
namespace {
using Json = nlohmann::ordered_json;

Json rule_of(const std::string& verdict) {
  const auto& meaning = meaning_of(verdict);
  Json rule = {{"id", verdict}};
  if (meaning.name.empty()) return rule;
  rule["shortDescription"] = {{"text", meaning.title}};
  rule["fullDescription"] = {{"text", meaning.why}};
  rule["help"] = {{"text", fmt::format("{} More: {}", meaning.mend, more(verdict))}};
  return rule;
}

Json location_of(const trace::Finding& f) {
  Json location = {
      {"logicalLocations", Json::array({{{"fullyQualifiedName", fmt::format("{} {}", f.service, f.operation)}}})}};
  if (!f.site) return location;
  Json physical = {{"artifactLocation", {{"uri", f.site->file}}}};
  if (f.site->line > 0) physical["region"] = {{"startLine", f.site->line}};
  location["physicalLocation"] = physical;
  return location;
}

Json result_of(const trace::CampaignRecord& campaign, const trace::Finding& f, std::string_view level) {
  Json result = {{"ruleId", f.verdict},
                 {"level", level},
                 {"message", {{"text", fmt::format("{} {}", f.message, advice(f))}}},
                 {"locations", Json::array({location_of(f)})},
                 {"partialFingerprints", {{"retrial/v1", f.id}}},
                 {"properties",
                  {{"confidence", trace::show(f.confidence)},
                   {"fault", f.fault},
                   {"test", f.test},
                   {"again", again(campaign, f)}}}};
  if (f.known) result["baselineState"] = "unchanged";
  if (f.accepted)
    result["suppressions"] = Json::array({{{"kind", "external"}, {"justification", "[[accept]] in retrial.toml"}}});
  return result;
}
}  // namespace

std::string sarif(const trace::CampaignRecord& campaign, trace::Confidence fail_on) {
  std::map<std::string, Json> rules;
  Json results = Json::array(), listed = Json::array();
  for (const auto* list : {&campaign.findings, &campaign.notes})
    for (const auto& f : *list) {
      rules.try_emplace(f.verdict, rule_of(f.verdict));
      auto level = list == &campaign.notes ? "note" : counts(f, fail_on) ? "error" : "warning";
      results.push_back(result_of(campaign, f, level));
    }
  for (auto& [verdict, rule] : rules) listed.push_back(rule);
  Json run = {{"tool", {{"driver", {{"name", "Retrial"}, {"rules", listed}}}}}, {"results", results}};
  Json all = {
      {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}, {"runs", Json::array({run})}};
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace retrial::campaign::report
