#include <CLI/CLI.hpp>
#include <memory>

#include "cli/campaign_options.h"
#include "cli/commands.h"

namespace retrial::cli {
namespace {

int run(const CampaignOptions& options) {
  auto setting = setting_in_folder(options, true);
  if (!setting) return complain(setting.error().line(), kUsage);
  SystemClock clock;
  return conclude(*setting, campaign::run_campaign(*setting, clock));
}

}  // namespace

void add_run(CLI::App& app, int& status) {
  auto options = std::make_shared<CampaignOptions>();
  auto* command = app.add_subcommand("run", "put a test suite's retries on trial");
  options->add_to(*command, true);
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace retrial::cli
