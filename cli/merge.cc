#include "campaign/judging/merge.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "campaign/report/reports.h"
#include "campaign/report/terminal.h"
#include "cli/campaign_options.h"
#include "cli/commands.h"
#include "cli/stored_options.h"

namespace retrial::cli {
namespace {

namespace fs = std::filesystem;

int merge(const StoredOptions& options) {
  auto setting = setting_of(options);
  if (!setting) return complain(setting.error().line(), kUsage);
  for (auto& folder : setting->folders)
    if (!options.out.empty() && fs::weakly_canonical(folder) == fs::weakly_canonical(options.out))
      return complain("--out: expected another folder than those that are merged", kUsage);
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
  auto options = std::make_shared<StoredOptions>();
  auto* command = app.add_subcommand("merge", "one campaign, and one report, of the shards of `run --shard`");
  options->add_to(*command, "of the shards, in any order");
  command->add_option("-o,--out", options->out, "folder for the whole (default: .retrial/<time>)");
  command->callback([options, &status] { status = merge(*options); });
}

}  // namespace retrial::cli
