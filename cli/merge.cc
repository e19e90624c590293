#include "campaign/judging/merge.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "campaign/report/reports.h"
#include "campaign/report/terminal.h"
#include "cli/campaign_options.h"
#include "cli/commands.h"

namespace retrial::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> folders;
  std::string config, out, since, fail_on;
};

Result<campaign::MergeSetting> setting_of(const Options& options) {
  campaign::MergeSetting setting;
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
    if (!options.out.empty() && fs::weakly_canonical(folder) == fs::weakly_canonical(options.out))
      return fail("expected another folder than those that are merged", "--out", Blame::user);
    setting.folders.emplace_back(folder);
  }
  return setting;
}

int merge(const Options& options) {
  auto setting = setting_of(options);
  if (!setting) return complain(setting.error().line(), kUsage);
  auto merged = campaign::merge(*setting);
  if (!merged) return complain(merged.error().line(), kUsage);
  for (auto& line : merged->left) complain(line, kFine);
  auto folder = make_folder(options.out);
  if (!folder) return complain(folder.error().line(), kUsage);
  auto& [record, runs] = merged->whole;
  // Where the shards were run elsewhere, findings are shown again here.
  if (!fs::is_directory(record.directory)) record.directory = fs::current_path();
  auto fail_on = setting->config.run.fail_on;
  auto stored = trace::write_store(*folder / "campaign.db", record, runs);
  auto reported = campaign::report::write_reports(*folder, record, runs, fail_on);
  for (auto* result : {&stored, &reported})
    if (!*result && record.incomplete.empty()) record.incomplete = result->error().line();
  std::fputs(campaign::report::summary(record, *folder, fail_on, campaign::report::style_of(stdout)).c_str(), stdout);
  if (!record.incomplete.empty()) fmt::print("This campaign is incomplete: {}\n", record.incomplete);
  return status_of(record, fail_on);
}

}  // namespace

void add_merge(CLI::App& app, int& status) {
  auto options = std::make_shared<Options>();
  auto* command = app.add_subcommand("merge", "one campaign, and one report, of the shards of `run --shard`");
  command->add_option("folders", options->folders, "of the shards, in any order")->required();
  command->add_option("-c,--config", options->config, "retrial.toml (default: ./retrial.toml, if there is one)");
  command->add_option("-o,--out", options->out, "folder for the whole (default: .retrial/<time>)");
  command->add_option("--since", options->since, "findings.json of before: exit status 1 for new findings only");
  command->add_option("--fail-on", options->fail_on,
                      "least confidence of a finding that makes exit status 1: certain, likely, possible");
  command->callback([options, &status] { status = merge(*options); });
}

}  // namespace retrial::cli
