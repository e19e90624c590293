#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "campaign/report/reports.h"
#include "campaign/report/terminal.h"
#include "cli/campaign_options.h"
#include "cli/commands.h"
#include "cli/open_page.h"
#include "trace/recording/segment.h"
#include "trace/store/store.h"

namespace retrial::cli {
namespace {

namespace fs = std::filesystem;

// The store; where a campaign was cut short before it could be written, or it is damaged, one made from the segments,
// which hold every exchange that was passed on.
Result<trace::Stored> open(const fs::path& folder) {
  if (auto ok = check_folder(folder); !ok) return std::unexpected(ok.error());
  auto file = folder / "campaign.db";
  bool traced = fs::exists(folder / "trace");
  std::string why = "it was cut short";
  if (fs::exists(file)) {
    auto stored = trace::read_evidence(file);
    if (stored || !traced || !trace::is_damage(stored.error())) return stored;
    why = stored.error().line();
  } else if (!traced) {
    return fail("holds no campaign: neither a campaign.db nor a trace", folder.string(), Blame::user);
  }
  auto runs = trace::read_segments(folder / "trace");
  if (!runs) return std::unexpected(runs.error());
  trace::Stored stored{{.incomplete = why + "; it is put together from its trace"}, std::move(*runs)};
  if (auto ok = trace::write_store(file, stored.campaign, stored.runs); !ok) return std::unexpected(ok.error());
  return stored;
}

// A campaign that was cut short has no verdicts in its store; `judge` may have given some since.
bool judged_since(const fs::path& folder, const trace::CampaignRecord& campaign) {
  if (campaign.incomplete.empty() || !campaign.cases.empty()) return false;
  std::ifstream in(folder / "findings.json");
  auto said = nlohmann::json::parse(in, nullptr, false);
  auto has = [&](const char* what) { return said.contains(what) && said[what].is_array() && !said[what].empty(); };
  return said.is_object() && (has("findings") || has("clean") || has("notes"));
}

int report(const std::string& folder, bool opened, bool json) {
  auto stored = open(folder);
  if (!stored) return complain(stored.error().line(), kUsage);
  auto& campaign = stored->campaign;
  if (judged_since(folder, campaign))
    return complain(
        fmt::format("{}: this campaign is incomplete: it was cut short; what `retrial judge` has said of it "
                    "since stays as it is, in report.html and findings.json",
                    folder),
        kIncomplete);
  if (auto ok = campaign::report::write_reports(folder, campaign, stored->runs, trace::Confidence::likely); !ok)
    return complain(ok.error().line(), kUsage);
  if (json) {
    fmt::print("{}", (std::stringstream() << std::ifstream(fs::path(folder) / "findings.json").rdbuf()).str());
    return status_of(campaign, {});
  }
  auto style = campaign::report::style_of(stdout);
  std::fputs(campaign::report::summary(campaign, folder, trace::Confidence::likely, style).c_str(), stdout);
  if (!campaign.incomplete.empty()) fmt::print("This campaign is incomplete: {}\n", campaign.incomplete);
  if (opened)
    if (auto ok = open_page(fs::path(folder) / "report.html"); !ok) return complain(ok.error().line(), kUsage);
  return status_of(campaign, {});
}

}  // namespace

void add_report(CLI::App& app, int& status) {
  auto folder = std::make_shared<std::string>(kLatest);
  auto* command =
      app.add_subcommand("report", "write an earlier campaign's reports anew from its store, and print the summary");
  command->add_option("folder", *folder, "the campaign's folder")->capture_default_str();
  auto opened = std::make_shared<bool>(false);
  command->add_flag("--open", *opened, "show report.html in a browser: $BROWSER, or the desktop's own");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "findings.json in place of the summary")->excludes("--open");
  command->callback([=, &status] { status = report(*folder, *opened, *json); });
}

}  // namespace retrial::cli
