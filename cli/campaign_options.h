#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "campaign/campaign.h"

namespace CLI {
class App;
}

namespace retrial::cli {

// What `run`, `plan` and `replay` take on the command line.
struct CampaignOptions {
  std::string config;
  std::string budget;
  std::string policies;
  std::string coverage;
  bool once = false;
  std::string plan;
  std::string changed_since;
  std::string shard;
  std::string fail_on;
  std::string checkers;
  std::string since;
  std::string hold;
  std::string capture;
  int workers = 0;
  bool real_time = false;
  bool alone = false;
  std::vector<std::string> look;
  bool verbose = false;
  std::string out;
  std::vector<std::string> command;

  void add_to(CLI::App& command, bool with_command);
  void add_common(CLI::App& command);  // what `doctor` takes too
};

// That file, or ./retrial.toml if there is one, or the defaults.
Result<campaign::Config> config_in(const std::string& file);
// Those of this file, or else of the configuration, are asked from now on.
Result<void> use_checkers(const std::string& file, const campaign::Config& config);
// certain, likely or possible: what --fail-on takes.
Result<trace::Confidence> confidence_of(const std::string& word);

// The configuration with the options over it, and a way of capture that works. The folder is not made yet. Every error
// is the user's, or says what this machine refuses.
Result<campaign::CampaignSetting> setting_of(const CampaignOptions& options);
// The same with the folder made (as make_folder), for what runs the command: as many descriptors as we may have are
// ours from then on.
Result<campaign::CampaignSetting> setting_in_folder(const CampaignOptions& options, bool latest);

// The exit status that a report means. Without `fail_on` no finding counts.
int status_of(const trace::CampaignRecord& record, std::optional<trace::Confidence> fail_on);

// Prints the summary, and gives the exit status that it means.
int conclude(const campaign::CampaignSetting& setting, const Result<campaign::CampaignOutcome>& outcome);

}  // namespace retrial::cli
