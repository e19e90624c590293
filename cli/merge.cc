#include "campaign/judging/merge.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>

#include "campaign/fleet/fleet.h"
#include "campaign/judging/afterwards.h"

#include "campaign/report/reports.h"
#include "campaign/report/terminal.h"
#include "campaign/report/words.h"
#include "cli/campaign_options.h"
#include "cli/commands.h"
#include "cli/stored_options.h"

namespace retrial::cli {
namespace {

namespace fs = std::filesystem;

Result<void> write_text(const fs::path& file, const std::string& text) {
  std::ofstream out(file);
  out << text;
  if (!out.flush()) return fail("cannot be written", file.string(), Blame::user);
  return {};
}

int merge_fleet(const StoredOptions& options, const campaign::StoredSetting& setting) {
  auto folder = make_side_folder(options.out, "fleet");
  if (!folder) return complain(folder.error().line(), kUsage);
  auto merged = campaign::judge_fleet(setting);
  for (auto& line : merged.fleet.left) complain(line + "; it is left out", kFine);
  if (merged.fleet.members.empty()) return complain("none of the recordings could be read", kUsage);
  auto& record = merged.record;
  record.directory = fs::current_path();
  auto fail_on = setting.config.run.fail_on;
  auto reported = campaign::report::write_reports(*folder, record, merged.runs, fail_on);
  if (reported) reported = write_text(*folder / "fleet.json", campaign::fleet_json(merged.fleet));
  std::fputs(campaign::report::summary(record, *folder, fail_on, campaign::report::style_of(stdout)).c_str(), stdout);
  if (!reported) return complain(reported.error().line(), kIncomplete);
  auto status = status_of(record, fail_on);
  return status == kFine && !merged.fleet.left.empty() ? kIncomplete : status;
}

int merge(const StoredOptions& options) {
  auto setting = setting_of(options);
  if (!setting) return complain(setting.error().line(), kUsage);
  for (auto& folder : setting->folders)
    if (!options.out.empty() && fs::weakly_canonical(folder) == fs::weakly_canonical(options.out))
      return complain("--out: expected another folder than those that are merged", kUsage);
  auto served = std::ranges::count_if(setting->folders, campaign::holds_segments);
  if (served == std::ssize(setting->folders)) return merge_fleet(options, *setting);
  if (served != 0) {
    auto other = std::ranges::find_if_not(setting->folders, campaign::holds_segments);
    return complain(other->string() + ": expected a recording of `serve`, as the other folders are, found none",
                    kUsage);
  }
  auto merged = campaign::merge(*setting);
  if (!merged) return complain(merged.error().line(), kUsage);
  for (auto& line : merged->left) complain(line, kFine);
  auto folder = make_folder(options.out);
  if (!folder) return complain(folder.error().line(), kUsage);
  auto& [record, runs] = merged->whole;
  // Where the shards were run elsewhere, findings are shown again here.
  if (!fs::is_directory(record.directory)) record.directory = fs::current_path();
  record.folder = campaign::report::told_folder(*folder, record.directory);
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
  auto* command = app.add_subcommand(
      "merge", "one report of the shards of `run --shard`, or of the recordings of a fleet of `serve`");
  options->add_to(*command, "of the shards or recordings, in any order");
  command->add_option("-o,--out", options->out, "folder for the whole (default: .retrial/<time>)");
  command->callback([options, &status] { status = merge(*options); });
}

}  // namespace retrial::cli
