#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "campaign/report/page.h"
#include "campaign/report/words.h"
#include "cli/campaign_options.h"
#include "cli/commands.h"

namespace retrial::cli {
namespace {

using Json = nlohmann::ordered_json;

void print(const std::vector<trace::CaseRecord>& cases) {
  for (auto& c : cases)
    fmt::print("{:5} {:3} {:44} {} {} at {}  [{}]\n", c.id, c.policy, c.plan, c.service, c.operation,
               c.site ? trace::show(*c.site) : "-", c.test);
}

void print(const std::vector<campaign::Forecast>& forecasts) {
  fmt::print("\n{:17}{:>7}{:>7}{:>17}{:>12}{:>13}\n", "", "calls", "cases", "runs in company", "runs alone",
             "time in all");
  for (auto& f : forecasts)
    fmt::print("{:17}{:>7}{:>7}{:>17}{:>12}{:>13}\n", f.coverage.empty() ? "this plan" : "--coverage " + f.coverage,
               f.calls, f.cases, f.expected.company, f.expected.alone, campaign::report::about(f.expected.time));
}

std::string json_of(const campaign::CampaignOutcome& outcome) {
  auto cases = Json::array(), forecasts = Json::array();
  for (auto& c : outcome.record.cases)
    cases.push_back({{"id", c.id},
                     {"policy", c.policy},
                     {"fault", c.plan},
                     {"service", c.service},
                     {"operation", c.operation},
                     {"call_site", c.site ? Json(trace::show(*c.site)) : Json(nullptr)},
                     {"test", c.test}});
  for (auto& f : outcome.forecasts)
    forecasts.push_back({{"coverage", f.coverage.empty() ? Json(nullptr) : Json(f.coverage)},
                         {"calls", f.calls},
                         {"cases", f.cases},
                         {"runs_in_company", f.expected.company},
                         {"runs_alone", f.expected.alone},
                         {"seconds", static_cast<double>(f.expected.time) / kSecond}});
  Json out{{"version", 1},
           {"cases", cases},
           {"forecasts", forecasts},
           {"left_alone", outcome.record.left_alone},
           {"remarks", outcome.record.remarks},
           {"incomplete", outcome.record.incomplete}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

int plan(const CampaignOptions& options, const std::string& file, bool json) {
  if (auto in = std::filesystem::path(file).parent_path(); access(in.empty() ? "." : in.c_str(), W_OK) != 0)
    return complain(fail_errno("no file can be made there", errno, file).error().line(), kUsage);
  auto setting = setting_in_folder(options, false);
  if (!setting) return complain(setting.error().line(), kUsage);
  setting->plan_only = true;
  setting->aside = json;
  SystemClock clock;
  auto outcome = campaign::run_campaign(*setting, clock);
  if (!outcome || outcome->nothing_to_try) return conclude(*setting, outcome);
  auto& record = outcome->record;
  if (json)
    std::fputs(json_of(*outcome).c_str(), stdout);
  else if (file.empty())
    print(record.cases);
  if (outcome->interrupted) return kInterrupted;
  if (!json) print(outcome->forecasts);
  if (record.cases.empty() && record.incomplete.empty())
    return complain("no call can be put on trial, so there is no case", kNothing);
  if (!record.incomplete.empty()) return complain(record.incomplete, kIncomplete);
  if (file.empty()) return kFine;
  if (!(std::ofstream(file) << outcome->plan_file << std::flush))
    return complain(fail_errno("cannot be written", errno, file).error().line(), kUsage);
  if (json) return kFine;
  fmt::print("\n{} in {}: retrial run --plan {} -- COMMAND\n", campaign::report::counted(record.cases.size(), "case"),
             file, file);
  return kFine;
}

}  // namespace

void add_plan(CLI::App& app, int& status) {
  auto options = std::make_shared<CampaignOptions>();
  auto file = std::make_shared<std::string>();
  auto* command =
      app.add_subcommand("plan", "run the references only, and show what `run` would try, and for how long");
  command->add_option("-o", *file, "write the cases to this file, in TOML, for `run --plan`");
  options->add_to(*command, true);
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json,
                    "the cases and what they would cost in JSON; what is said on the way goes to stderr");
  command->callback([=, &status] { status = plan(*options, *file, *json); });
}

}  // namespace retrial::cli
