#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "campaign/report/explanation.h"
#include "campaign/report/registry.h"
#include "campaign/report/words.h"
#include "oracles/oracle.h"

namespace retrial::campaign::report {
namespace {
using Json = nlohmann::ordered_json;

Json rule_of(const std::string& name) {
  Json rule = {{"id", name}};
  auto* verdict = oracles::verdict_named(name);
  if (!verdict) return rule;
  rule["shortDescription"] = {{"text", verdict->title}};
  rule["fullDescription"] = {{"text", verdict->why}};
  rule["help"] = {{"text", fmt::format("{} More: {}", verdict->remedy, explain_command(name))},
                  {"markdown", explanation(name)}};
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
                   {"again", replay_command(campaign, f)}}}};
  if (f.known) result["baselineState"] = "unchanged";
  if (f.accepted)
    result["suppressions"] = Json::array({{{"kind", "external"}, {"justification", "[[accept]] in retrial.toml"}}});
  return result;
}

std::string text(const ReportInput& input) {
  auto& campaign = input.campaign;
  std::map<std::string, Json> rules;
  Json results = Json::array(), listed = Json::array();
  for (const auto* list : {&campaign.findings, &campaign.notes})
    for (const auto& f : *list) {
      rules.try_emplace(f.verdict, rule_of(f.verdict));
      auto level = list == &campaign.notes ? "note" : fails_run(f, input.fail_on) ? "error" : "warning";
      results.push_back(result_of(campaign, f, level));
    }
  for (auto& [verdict, rule] : rules) listed.push_back(rule);
  Json run = {{"tool", {{"driver", {{"name", "Retrial"}, {"rules", listed}}}}}, {"results", results}};
  Json all = {
      {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}, {"runs", Json::array({run})}};
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}
}  // namespace

// For what shows findings beside the code: SARIF 2.1.0
// (https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html). A finding that fails the run is an error, any
// other a warning, a note a note; an accepted one is suppressed.
const Format& sarif_format() {
  static const Format format{.file = "findings.sarif", .text = text};
  return format;
}

}  // namespace retrial::campaign::report
