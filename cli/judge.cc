#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "campaign/judging/stored_traces.h"
#include "campaign/report/reports.h"
#include "campaign/report/terminal.h"
#include "campaign/report/words.h"
#include "cli/campaign_options.h"
#include "cli/commands.h"

namespace retrial::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> folders;
  std::string config, out, since, fail_on;
};

Result<campaign::JudgeSetting> setting_of(const Options& options) {
  campaign::JudgeSetting setting;
  auto config = config_in(options.config);
  if (!config) return std::unexpected(config.error());
  setting.config = std::move(*config);
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
  for (auto& folder : options.folders) {
    if (auto ok = check_folder(folder); !ok) return std::unexpected(ok.error());
    setting.folders.emplace_back(folder);
  }
  return setting;
}

int judge(const Options& options) {
  auto setting = setting_of(options);
  if (!setting) return complain(setting.error().line(), kUsage);
  fs::path out;
  if (!options.out.empty()) {
    auto made = make_folder(options.out, false);
    if (!made) return complain(made.error().line(), kUsage);
    out = *made;
  }
  auto outcome = campaign::judge(*setting);
  auto& record = outcome.record;
  auto fail_on = setting->config.run.fail_on;
  bool alone = setting->folders.size() == 1 && outcome.read == 1;
  if (out.empty() && alone && outcome.served) out = setting->folders.front();
  if (out.empty() && !alone && outcome.read) {
    auto made = make_side_folder({}, "judge");
    if (!made) return complain(made.error().line(), kUsage);
    out = *made;
  }
  Result<void> written;
  if (!out.empty())
    written = campaign::report::write_reports(out, record, outcome.runs, fail_on);
  else if (alone)
    written = campaign::report::renew_findings(setting->folders.front(), record);
  std::fputs(campaign::report::summary(record, out, fail_on, campaign::report::style_of(stdout)).c_str(), stdout);
  if (!written && outcome.failed.empty()) outcome.failed = written.error().line();
  auto status = status_of(record, fail_on);
  if (outcome.failed.empty() || status == kFindings) return status;
  return complain(outcome.failed, kIncomplete);
}

}  // namespace

void add_judge(CLI::App& app, int& status) {
  auto options = std::make_shared<Options>();
  auto* command = app.add_subcommand("judge", "the oracles again over stored traces, judged together as one client");
  command->add_option("folders", options->folders, "of observe, run or serve")->required();
  command->add_option("-c,--config", options->config, "retrial.toml (default: ./retrial.toml, if there is one)");
  command->add_option(
      "--out", options->out,
      "folder for the reports (default: .retrial/judge-<time>; of one FOLDER its findings.json is renewed)");
  command->add_option("--since", options->since, "findings.json of before: exit status 1 for new findings only");
  command->add_option("--fail-on", options->fail_on,
                      "least confidence of a finding that makes exit status 1: certain, likely, possible");
  command->callback([options, &status] { status = judge(*options); });
}

}  // namespace retrial::cli
