#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <ranges>

#include "campaign/report/headline.h"
#include "campaign/report/registry.h"
#include "campaign/report/words.h"

namespace retrial::campaign::report {
namespace {
using Json = nlohmann::ordered_json;

Json site_of(const std::optional<trace::CallSite>& site) {
  if (!site) return nullptr;
  Json callers = Json::array();
  for (auto& f : trace::frames_of(*site) | std::views::drop(1))
    callers.push_back({{"file", f.file}, {"line", f.line}, {"function", f.function}});
  return {{"file", site->file}, {"line", site->line}, {"function", site->function}, {"callers", callers}};
}

double tenths(double value) { return std::round(value * 10) / 10; }
double milliseconds(Nanos time) { return tenths(static_cast<double>(time) / kMillisecond); }

Json finding_of(const trace::CampaignRecord& campaign, const trace::Finding& f) {
  Json gaps = Json::array();
  for (auto gap : f.gaps_ms) gaps.push_back(tenths(gap));
  return {{"id", f.id},
          {"verdict", f.verdict},
          {"confidence", trace::show(f.confidence)},
          {"confirmed", f.confirmed},
          {"accepted", f.accepted},
          {"known", f.known},
          {"test", f.test},
          {"call_site", site_of(f.site)},
          {"retried_by", f.retried_by},
          {"service", f.service},
          {"operation", f.operation},
          {"policy", f.policy},
          {"fault", f.fault},
          {"message", f.message},
          {"advice", advice(f)},
          {"more", explain_command(f.verdict)},
          {"evidence", f.evidence},
          {"attempts", f.attempts},
          {"gaps_ms", gaps},
          {"replay", replay_command(campaign, f)},
          {"run", f.run},
          {"reference", f.reference}};
}

Json judged_of(const trace::Judged& j, const char* why) {
  return {{"test", j.test},
          {"call_site", site_of(j.site)},
          {"service", j.service},
          {"operation", j.operation},
          {"policy", j.policy},
          {"fault", j.fault},
          {why, j.why}};
}

Json campaign_of(const trace::CampaignRecord& c) {
  Json services = Json::array(), outcomes = Json::object();
  for (const auto& s : c.services)
    services.push_back({{"address", s.address}, {"name", s.name}, {"profile", s.profile}, {"exchanges", s.exchanges}});
  for (const auto& row : c.cases) outcomes[row.outcome] = outcomes.value(row.outcome, 0) + 1;
  return {
      {"headline", headline(c)},
      {"command", c.command},
      {"runner", c.runner},
      {"directory", c.directory},
      {"began", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(c.wall_began / kSecond)))},
      {"took_ms", milliseconds(c.took)},
      {"overhead_ms", milliseconds(c.overhead)},
      {"capture", c.capture},
      {"services", services},
      {"cases", outcomes},
      {"left_alone", c.left_alone},
      {"remarks", c.remarks},
      {"plan", c.plan},
      {"shard", c.shard.empty() ? Json(nullptr) : Json(c.shard)},
      {"incomplete", c.incomplete.empty() ? Json(nullptr) : Json(c.incomplete)}};
}

std::string json_text(const ReportInput& input) {
  auto& campaign = input.campaign;
  Json findings = Json::array(), notes = Json::array(), clean = Json::array(), open = Json::array();
  for (const auto& f : campaign.findings) findings.push_back(finding_of(campaign, f));
  for (const auto& f : campaign.notes) notes.push_back(finding_of(campaign, f));
  for (const auto& j : campaign.clean) clean.push_back(judged_of(j, "seen"));
  for (const auto& j : not_judged(campaign)) open.push_back(judged_of(j, "why"));
  Json too = Json::array();
  for (const auto& j : seen_too(campaign)) too.push_back(judged_of(j, "why"));
  Json retries = Json::array();
  for (const auto& at : campaign.retries)
    retries.push_back({{"file", at.file},
                       {"line", at.line},
                       {"function", at.function},
                       {"what", at.what},
                       {"bound", at.bound},
                       {"wait", at.wait},
                       {"verdicts", at.verdicts},
                       {"ids", at.ids},
                       {"tried", at.state},
                       {"text", at.text}});
  Json all = {{"version", 1},         {"campaign", campaign_of(campaign)},
              {"findings", findings}, {"seen_too", too},
              {"notes", notes},       {"clean", clean},
              {"not_judged", open},   {"retry_locations", retries}};
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}
}  // namespace

// findings.json, version 1 (docs/findings.md). Bytes that are no UTF-8 become U+FFFD.
const Format& findings_json_format() {
  static const Format format{.file = "findings.json", .text = json_text};
  return format;
}

}  // namespace retrial::campaign::report
