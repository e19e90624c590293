#include <CLI/CLI.hpp>
#include <memory>

#include "base/descriptor_limit.h"
#include "cli/campaign_options.h"
#include "cli/commands.h"

namespace retrial::cli {
namespace {

int run(const CampaignOptions& options) {
  raise_descriptor_limit();
  auto setting = setting_of(options);
  if (!setting) return complain(setting.error().line(), kUsage);
  auto folder = make_folder(options.out);
  if (!folder) return complain(folder.error().line(), kUsage);
  setting->folder = *folder;
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
