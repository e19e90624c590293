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

Json physical_of(const trace::Frame& frame) {
  Json physical = {{"artifactLocation", {{"uri", frame.file}}}};
  if (frame.line > 0) physical["region"] = {{"startLine", frame.line}};
  return physical;
}

// The chain, the call site first.
Json stack_of(const trace::CallSite& site) {
  Json frames = Json::array();
  for (auto& frame : trace::frames_of(site))
    frames.push_back({{"location",
                       {{"physicalLocation", physical_of(frame)},
                        {"logicalLocations", Json::array({{{"name", frame.function}}})}}}});
  return {{"message", {{"text", "from the request outwards"}}}, {"frames", frames}};
}

// Of evidence that was sent from elsewhere: the second of two whose order is told, what was read after a death.
std::vector<std::pair<trace::CallSite, std::string>> other_sites(const trace::Finding& f, const ReportInput& input) {
  std::vector<std::pair<trace::CallSite, std::string>> others;
  auto run = std::ranges::find(input.runs, f.run, &trace::Run::id);
  if (run == input.runs.end()) return others;
  for (auto& e : run->exchanges)
    if (std::ranges::count(f.evidence, e.id) && e.tag.site && e.tag.site != f.site &&
        std::ranges::none_of(others, [&](auto& other) { return other.first == *e.tag.site; }))
      others.emplace_back(*e.tag.site, e.operation);
  return others;
}

// The frames beside the call site that who mends it looks at: those of its callers, and which of all sends again.
Json related_to(const trace::Finding& f, const ReportInput& input) {
  Json related = Json::array();
  auto frames = trace::frames_of(*f.site);
  for (std::size_t i = 0; i < frames.size(); i++) {
    bool retries = trace::show(frames[i]) == f.retried_by;
    if (i == 0 && !retries) continue;
    auto said = retries ? frames[i].function + " sends again" : "called by " + frames[i].function;
    related.push_back({{"id", i}, {"physicalLocation", physical_of(frames[i])}, {"message", {{"text", said}}}});
  }
  for (auto& [site, operation] : other_sites(f, input))
    related.push_back({{"id", frames.size() + related.size()},
                       {"physicalLocation", physical_of({site.file, site.line, site.function})},
                       {"message", {{"text", operation + " is sent here"}}}});
  return related;
}

Json location_of(const trace::Finding& f) {
  Json location = {
      {"logicalLocations", Json::array({{{"fullyQualifiedName", fmt::format("{} {}", f.service, f.operation)}}})}};
  if (!f.site) return location;
  location["physicalLocation"] = physical_of({f.site->file, f.site->line, f.site->function});
  return location;
}

Json result_of(const ReportInput& input, const trace::Finding& f, std::string_view level) {
  Json result = {{"ruleId", f.verdict},
                 {"level", level},
                 {"message", {{"text", fmt::format("{} {}", f.message, advice(f))}}},
                 {"locations", Json::array({location_of(f)})},
                 {"partialFingerprints", {{"retrial/v1", f.id}}},
                 {"properties",
                  {{"confidence", trace::show(f.confidence)},
                   {"fault", f.fault},
                   {"test", f.test},
                   {"again", replay_command(input.campaign, f)}}}};
  if (f.site && !f.site->callers.empty()) result["stacks"] = Json::array({stack_of(*f.site)});
  if (f.site)
    if (auto related = related_to(f, input); !related.empty()) result["relatedLocations"] = std::move(related);
  if (!f.retried_by.empty()) result["properties"]["retried_by"] = f.retried_by;
  if (f.known) result["baselineState"] = "unchanged";
  if (f.accepted)
    result["suppressions"] = Json::array({{{"kind", "external"}, {"justification", "[[accept]] in retrial.toml"}}});
  return result;
}

std::string sarif_text(const ReportInput& input) {
  auto& campaign = input.campaign;
  std::map<std::string, Json> rules;
  Json results = Json::array(), listed = Json::array();
  for (const auto* list : {&campaign.findings, &campaign.notes})
    for (const auto& f : *list) {
      rules.try_emplace(f.verdict, rule_of(f.verdict));
      auto level = list == &campaign.notes ? "note" : fails_run(f, input.fail_on) ? "error" : "warning";
      results.push_back(result_of(input, f, level));
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
  static const Format format{.file = "findings.sarif", .text = sarif_text};
  return format;
}

}  // namespace retrial::campaign::report
