// What of a project's own source tries again, and what of it looks wrong: read, not run.
#include "scan/scan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <fstream>
#include <memory>
#include <optional>

#include "base/text.h"
#include "campaign/planning/changed_files.h"
#include "cli/commands.h"
#include "scan/language.h"
#include "scan/output.h"
#include "scan/tried.h"
#include "scan/verdicts.h"
#include "trace/store/store.h"

namespace retrial::cli {
namespace {

struct ScanOptions {
  std::vector<std::string> paths;
  std::string sarif, changed_since, against;
  std::optional<std::string> fail_on;
  bool json = false, tests = false;
};

// The verdicts of --fail-on: some of ours, or "any".
Result<std::vector<std::string>> failing(const std::optional<std::string>& words) {
  std::vector<std::string> chosen;
  std::vector<std::string_view> known{"any"};
  for (auto& rule : scan::rules()) known.push_back(rule.name);
  if (!words) return chosen;
  for (auto word : split(*words, ',')) {
    auto name = trim(word);
    if (std::ranges::count(known, name) == 0) {
      auto near = nearest(name, known);
      return fail(fmt::format("\"{}\" is no verdict of scan{}; there are {}", name,
                              near ? fmt::format(", did you mean {}?", *near) : "", fmt::join(known, ", ")),
                  "--fail-on", Blame::user);
    }
    chosen.emplace_back(name);
  }
  return chosen;
}

int scan_source(ScanOptions options) {
  auto fatal = failing(options.fail_on);
  if (!fatal) return complain(fatal.error().line(), kUsage);
  if (options.paths.empty()) options.paths.emplace_back(".");
  auto chosen = scan::choose_files(options.paths, options.tests);
  if (!chosen) return complain(chosen.error().line(), kUsage);
  if (!options.changed_since.empty()) {
    auto changed = campaign::ChangedFiles::since(options.changed_since);
    if (!changed) return complain(changed.error().line(), kUsage);
    std::erase_if(chosen->files, [&](auto& file) { return !changed->contains(file); });
  }
  trace::CampaignRecord campaign;
  if (!options.against.empty()) {
    if (auto ok = check_folder(options.against); !ok) return complain(ok.error().line(), kUsage);
    auto store = std::filesystem::path(options.against) / "campaign.db";
    if (!std::filesystem::exists(store))
      return complain(options.against + ": no campaign is there: name a folder that `retrial run` wrote", kUsage);
    auto stored = trace::read_evidence(store);
    if (!stored) return complain(stored.error().line(), kUsage);
    campaign = std::move(stored->campaign);
  }
  auto found = scan::scan_files(*chosen);
  if (!options.against.empty()) scan::hold_against(found.locations, campaign);
  if (!options.sarif.empty() && !(std::ofstream(options.sarif) << scan::sarif_of(found) << std::flush))
    return complain(fail_errno("cannot be written", errno, options.sarif).error().line(), kUsage);
  std::fputs((options.json ? scan::json_of(found) : scan::text_of(found, options.changed_since)).c_str(), stdout);
  if (found.files == 0 && options.changed_since.empty()) {
    auto left = scan::left_out_line(found);
    return complain("no source was read: " + (left.empty() ? "scan reads " + scan::names_of_languages() : left),
                    kNothing);
  }
  for (auto& at : found.locations)
    for (auto& verdict : at.verdicts)
      if (std::ranges::count(*fatal, verdict.name) || std::ranges::count(*fatal, "any")) return kFindings;
  return kFine;
}

}  // namespace

void add_scan(CLI::App& app, int& status) {
  auto options = std::make_shared<ScanOptions>();
  auto* command = app.add_subcommand("scan",
                                     "read the project's own source for what tries again: where, how often, with what "
                                     "waits, and what of it looks wrong");
  command->add_option("path", options->paths,
                      "files and folders (default: this folder; of a repository, what git does not ignore)");
  command->add_flag("--json", options->json, "all of it in JSON");
  command->add_option("--sarif", options->sarif,
                      "also write the verdicts to this file, in SARIF, for what shows them beside the code");
  command->add_option("--changed-since", options->changed_since,
                      "only files that git says have changed since this commit, e.g. origin/main");
  command->add_option("--fail-on", options->fail_on,
                      "verdicts that make the exit status 1, by commas: missing-cap,missing-delay; or any");
  command->add_option("--against", options->against,
                      "a campaign's folder, e.g. .retrial/latest: which locations it tried, which no test reaches");
  command->add_flag("--tests", options->tests, "read tests, too");
  command->callback([options, &status] { status = scan_source(*options); });
}

}  // namespace retrial::cli
