#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "base/descriptor_limit.h"
#include "campaign/report/headline.h"
#include "campaign/report/terminal.h"
#include "campaign/report/words.h"
#include "cli/campaign_options.h"
#include "cli/commands.h"
#include "trace/store/store.h"

namespace retrial::cli {
namespace {

namespace fs = std::filesystem;

// The latest campaign first, wherever it was put, then the others from new to old.
std::vector<fs::path> stores() {
  std::vector<fs::path> found;
  std::error_code error;
  for (auto& entry : fs::directory_iterator(".retrial", error))
    if (!entry.is_symlink() && fs::exists(entry.path() / "campaign.db")) found.push_back(entry.path() / "campaign.db");
  std::sort(found.rbegin(), found.rend());
  if (fs::exists(".retrial/latest/campaign.db")) found.insert(found.begin(), ".retrial/latest/campaign.db");
  return found;
}

struct Found {
  trace::Stored earlier;
  trace::Finding finding;
};

Result<Found> find(const std::string& id, const std::string& from) {
  auto files = from.empty() ? stores() : std::vector<fs::path>{fs::path(from) / "campaign.db"};
  std::string known;
  for (auto& file : files) {
    auto stored = trace::read_store(file);
    if (!stored) {
      if (!from.empty()) return std::unexpected(stored.error());
      continue;
    }
    for (auto& f : stored->campaign.findings) {
      if (f.id == id) return Found{std::move(*stored), f};
      if (known.find(f.id) == known.npos) known += " " + f.id;
    }
  }
  if (files.empty())
    return fail("no campaign was found here; run `retrial run` first, or name a folder with --from", ".retrial",
                Blame::user);
  return fail("no finding has this id; there are:" + (known.empty() ? " none" : known), id, Blame::user);
}

int replay(const CampaignOptions& options, const std::string& id, const std::string& from) {
  raise_descriptor_limit();
  auto found = find(id, from);
  if (!found) return complain(found.error().line(), kUsage);
  if (auto line = campaign::report::replay_command(found->earlier.campaign, found->finding);
      !line.starts_with("retrial replay"))
    return complain(line.empty() ? id + ": was seen in the traffic of `serve`, which nothing here can send again"
                                 : id + ": was seen by `observe`, and is shown again by: " + line,
                    kUsage);
  std::error_code error;
  auto out = fs::absolute(options.out.empty() ? ".retrial/replay-" + id : options.out);
  fs::current_path(found->earlier.campaign.directory, error);
  if (error)
    return complain(
        found->earlier.campaign.directory + ": the campaign's working directory is gone: " + error.message(), kUsage);
  auto with_command = options;
  if (options.command.empty()) {
    with_command.command = found->earlier.campaign.command;
    if (campaign::report::lacks_secrets(found->earlier.campaign))
      return complain("the command held secrets, which are not kept: say it with them in place of ***, " +
                          campaign::report::replay_command(found->earlier.campaign, found->finding),
                      kUsage);
  }
  auto setting = setting_of(with_command);
  if (!setting) return complain(setting.error().line(), kUsage);
  auto folder = make_folder(out.string(), false);
  if (!folder) return complain(folder.error().line(), kUsage);
  setting->folder = *folder;
  SystemClock clock;
  auto outcome = campaign::replay(*setting, found->earlier, found->finding, clock);
  auto status = conclude(*setting, outcome);
  if (!outcome) return status;
  bool again = std::any_of(outcome->record.findings.begin(), outcome->record.findings.end(),
                           [&](auto& f) { return f.id == id; });
  using campaign::report::Outcome;
  auto seen = campaign::report::outcome_of(outcome->record);
  bool judged = seen != Outcome::not_judged && seen != Outcome::incomplete;
  fmt::print("{} {}\n", id,
             again    ? "is shown again"
             : judged ? "was not seen this time"
                      : "could not be judged this time");
  return again ? kFindings : status == kFindings ? kFine : status;
}

}  // namespace

void add_replay(CLI::App& app, int& status) {
  auto options = std::make_shared<CampaignOptions>();
  auto id = std::make_shared<std::string>(), from = std::make_shared<std::string>();
  auto* command = app.add_subcommand("replay", "show one finding of an earlier campaign again");
  command->add_option("finding", *id, "a finding's id, eight hex digits")->required();
  command->add_option("--from", *from, "the campaign's folder (default: the latest that has this finding)");
  options->add_to(*command, false);
  command->add_option("command", options->command, "-- the command, where it held secrets: these are not kept");
  command->callback([=, &status] { status = replay(*options, *id, *from); });
}

}  // namespace retrial::cli
