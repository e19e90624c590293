#include "cli/stored_options.h"

#include <CLI/CLI.hpp>

#include "cli/campaign_options.h"

namespace retrial::cli {

void StoredOptions::add_to(CLI::App& app, const std::string& folders_are) {
  app.add_option("folders", folders, folders_are)->required();
  app.add_option("-c,--config", config, "retrial.toml (default: ./retrial.toml, if there is one)");
  app.add_option("--since", since, "findings.json of before: exit status 1 for new findings only");
  app.add_option("--fail-on", fail_on,
                 "least confidence of a finding that makes exit status 1: certain, likely, possible");
}

Result<campaign::StoredSetting> setting_of(const StoredOptions& options) {
  campaign::StoredSetting setting;
  auto config = config_in(options.config);
  if (!config) return std::unexpected(config.error());
  setting.config = std::move(*config);
  trace::add_profiles(setting.config.profiles);
  if (auto ok = use_checkers(options.checkers, setting.config); !ok) return std::unexpected(ok.error());
  if (!options.fail_on.empty()) {
    auto level = confidence_of(options.fail_on);
    if (!level) return std::unexpected(level.error());
    setting.config.run.fail_on = *level;
  }
  if (!options.since.empty()) {
    auto since = campaign::read_finding_ids(options.since);
    if (!since) return std::unexpected(since.error());
    setting.since = std::move(*since);
  }
  setting.folders.assign(options.folders.begin(), options.folders.end());
  return setting;
}

}  // namespace retrial::cli
