#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "base/descriptor_limit.h"
#include "cli/campaign_options.h"
#include "cli/commands.h"

namespace retrial::cli {
namespace {

int run(const CampaignOptions& options, bool plan_only) {
  raise_descriptor_limit();
  auto setting = setting_of(options);
  if (!setting) return complain(setting.error().line(), kUsage);
  auto folder = make_folder(options.out, !plan_only);
  if (!folder) return complain(folder.error().line(), kUsage);
  setting->folder = *folder;
  setting->plan_only = plan_only;
  SystemClock clock;
  auto outcome = campaign::run_campaign(*setting, clock);
  if (!plan_only || !outcome || outcome->nothing_to_try) return conclude(*setting, outcome);
  for (auto& c : outcome->record.cases)
    fmt::print("{:5} {:3} {:44} {} {} at {}  [{}]\n", c.id, c.policy, c.plan, c.service, c.operation,
               c.site ? trace::show(*c.site) : "-", c.test);
  if (outcome->interrupted) return kInterrupted;
  if (outcome->record.cases.empty() && outcome->record.incomplete.empty())
    return complain("no call can be put on trial, so there is no case", kNothing);
  return outcome->record.incomplete.empty() ? kFine : complain(outcome->record.incomplete, kIncomplete);
}

void add(CLI::App& app, int& status, const char* name, const char* help, bool plan_only) {
  auto options = std::make_shared<CampaignOptions>();
  auto* command = app.add_subcommand(name, help);
  options->add_to(*command, true);
  command->callback([options, &status, plan_only] { status = run(*options, plan_only); });
}

}  // namespace

void add_run(CLI::App& app, int& status) { add(app, status, "run", "put a test suite's retries on trial", false); }
void add_plan(CLI::App& app, int& status) {
  add(app, status, "plan", "run the references only, and show the cases that `run` would try", true);
}

}  // namespace retrial::cli
