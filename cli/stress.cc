// What a service might answer that costs its client most.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/campaign_options.h"
#include "cli/commands.h"

namespace retrial::cli {
namespace {

int stress(const CampaignOptions& options) {
  auto setting = setting_in_folder(options, true);
  if (!setting) return complain(setting.error().line(), kUsage);
  setting->stress = true;
  SystemClock clock;
  return conclude(*setting, campaign::run_campaign(*setting, clock));
}

}  // namespace

void add_stress(CLI::App& app, int& status) {
  auto options = std::make_shared<CampaignOptions>();
  auto* command = app.add_subcommand(
      "stress", "let lists, pages and errors grow, call by call, and find what costs the client more than that");
  options->add_common(*command);
  command->add_option("--budget", options->budget, "begin no call after this time, e.g. 10m");
  command->add_option("--fail-on", options->fail_on,
                      "least confidence of a finding that makes exit status 1: certain, likely, possible");
  command->add_option("--out", options->out, "folder for the campaign (default: .retrial/<time>)");
  command->add_option("command", options->command, "-- the test command, as you always run it")->required();
  command->callback([options, &status] { status = stress(*options); });
}

}  // namespace retrial::cli
