// What of a project's own source tries again, and what of it looks wrong: read, not run.
#include "scan/scan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/text.h"
#include "campaign/campaign.h"
#include "campaign/model/second_opinion.h"
#include "campaign/planning/changed_files.h"
#include "cli/campaign_options.h"
#include "cli/commands.h"
#include "scan/language.h"
#include "scan/output.h"
#include "scan/tried.h"
#include "scan/verdicts.h"
#include "trace/store/store.h"

namespace retrial::cli {
namespace {

struct ScanOptions {
  std::vector<std::string> words;  // files and folders; of --confirm: the test command
  std::string sarif, changed_since, against, since, config, budget;
  campaign::ModelOptions model;
  std::optional<std::string> fail_on;
  bool json = false, tests = false, confirm = false;
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

// Of an earlier `scan --json`.
Result<std::set<std::string>> read_verdict_ids(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return fail_errno("cannot be read", errno, file, Blame::user);
  auto report = nlohmann::json::parse(in, nullptr, false);
  auto listed = [](const nlohmann::json& of, const char* name) {
    return of.is_object() && of.contains(name) && of[name].is_array();
  };
  auto wrong = fail("expected what `retrial scan --json` wrote", file, Blame::user);
  if (!listed(report, "locations") || report.value("version", nlohmann::json()) != 1) return wrong;
  std::set<std::string> ids;
  for (auto& at : report["locations"]) {
    if (!listed(at, "verdicts")) return wrong;
    for (auto& verdict : at["verdicts"]) {
      if (!verdict.is_object() || !verdict.contains("id") || !verdict["id"].is_string()) return wrong;
      ids.insert(verdict["id"].get<std::string>());
    }
  }
  return ids;
}

// What [[accept]] and --since know of fails nothing.
void dismiss(scan::Scan& found, const campaign::Config& config, const std::set<std::string>& known) {
  for (auto& at : found.locations)
    for (auto& verdict : at.verdicts) verdict.dismissed = config.accepts(verdict.id) || known.contains(verdict.id);
}

Result<trace::CampaignRecord> campaign_in(const std::string& folder) {
  if (auto ok = check_folder(folder); !ok) return std::unexpected(ok.error());
  auto store = std::filesystem::path(folder) / "campaign.db";
  if (!std::filesystem::exists(store))
    return fail("no campaign is there: name a folder that `retrial run` wrote", folder, Blame::user);
  auto stored = trace::read_evidence(store);
  if (!stored) return std::unexpected(stored.error());
  return std::move(stored->campaign);
}

// For each verdict the policies that would show it, at the call sites that lead through its location, and no others.
Result<campaign::CampaignOutcome> try_verdicts(const ScanOptions& options, const scan::Scan& found) {
  CampaignOptions asked{.config = options.config, .budget = options.budget, .command = options.words};
  std::set<std::string_view> policies;
  std::vector<scan::Location> suspected;
  for (auto& at : found.locations) {
    for (auto& verdict : at.verdicts)
      if (auto* rule = scan::rule_named(verdict.name))
        for (auto name : split(rule->policies, ',')) policies.insert(name);
    if (!at.verdicts.empty()) suspected.push_back(at);
  }
  asked.policies = fmt::format("{}", fmt::join(policies, ","));
  auto setting = setting_in_folder(asked, true);
  if (!setting) return std::unexpected(setting.error());
  setting->selection.retries = std::move(suspected);
  setting->aside = true;
  SystemClock clock;
  return campaign::run_campaign(*setting, clock);
}

// What it says is marked as its own. That it does not answer costs nothing but a line on stderr.
Result<void> ask_model(const ScanOptions& options, const std::vector<std::string>& files, scan::Scan& found) {
  if (options.model.url.empty()) return {};
  auto asked = options.model;
  if (auto* key = std::getenv("RETRIAL_MODEL_KEY")) asked.key = key;
  auto folder = make_kept_folder("model");
  if (!folder) return std::unexpected(folder.error());
  asked.folder = *folder;
  auto model = campaign::Model::at(asked);
  if (!model) return std::unexpected(model.error());
  auto not_understood = campaign::ask_model(*model, files, found);
  auto& account = model->account();
  fmt::print(stderr, "model: {} asked, {} answered before, {} tokens; what was sent stands in {}\n", account.sent,
             account.from_folder, account.tokens, asked.folder.string());
  if (not_understood) fmt::print(stderr, "model: {} answered with something else than was asked for\n", not_understood);
  if (account.not_answered)
    fmt::print(stderr, "model: {} not answered: {}: {}\n", account.not_answered, asked.url, account.why_not);
  return {};
}

Result<scan::Scan> scan_source(const ScanOptions& options, const campaign::Config& config) {
  auto paths = options.confirm || options.words.empty() ? std::vector<std::string>{"."} : options.words;
  std::set<std::string> known;
  if (!options.since.empty()) {
    auto ids = read_verdict_ids(options.since);
    if (!ids) return std::unexpected(ids.error());
    known = std::move(*ids);
  }
  auto chosen = scan::choose_files(paths, options.tests);
  if (!chosen) return std::unexpected(chosen.error());
  if (!options.changed_since.empty()) {
    auto changed = campaign::ChangedFiles::since(options.changed_since);
    if (!changed) return std::unexpected(changed.error());
    for (auto* all : {&chosen->files, &chosen->settings})
      std::erase_if(*all, [&](auto& file) { return !changed->contains(file); });
  }
  auto found = scan::scan_files(*chosen);
  if (auto ok = ask_model(options, chosen->files, found); !ok) return std::unexpected(ok.error());
  dismiss(found, config, known);
  return found;
}

int report(const ScanOptions& options, const scan::Scan& found, const std::vector<std::string>& fatal) {
  if (!options.sarif.empty()) {
    auto text = scan::sarif_of(found);
    if (options.sarif == "-")
      std::fputs(text.c_str(), stdout);
    else if (!(std::ofstream(options.sarif) << text << std::flush))
      return complain(fail_errno("cannot be written", errno, options.sarif).error().line(), kUsage);
  }
  if (options.sarif != "-")
    std::fputs((options.json ? scan::json_of(found) : scan::text_of(found, options.changed_since)).c_str(), stdout);
  if (found.files == 0 && options.changed_since.empty()) {
    auto left = scan::left_out_line(found);
    return complain("no source was read: " + (left.empty() ? "scan reads " + scan::names_of_languages() : left),
                    kNothing);
  }
  for (auto& at : found.locations)
    for (auto& verdict : at.verdicts)
      if (!verdict.dismissed && !(verdict.by_model && !is_confirmed(verdict)) &&
          (std::ranges::count(fatal, verdict.name) || std::ranges::count(fatal, "any")))
        return kFindings;
  return kFine;
}

int scan_and_hold(const ScanOptions& options) {
  auto fatal = failing(options.fail_on);
  if (!fatal) return complain(fatal.error().line(), kUsage);
  if (options.confirm && options.words.empty())
    return complain("--confirm: expected a test command behind it: retrial scan --confirm -- pytest", kUsage);
  auto config = config_in(options.config);
  if (!config) return complain(config.error().line(), kUsage);
  auto found = scan_source(options, *config);
  if (!found) return complain(found.error().line(), kUsage);
  if (!options.against.empty()) {
    auto campaign = campaign_in(options.against);
    if (!campaign) return complain(campaign.error().line(), kUsage);
    scan::hold_against(found->locations, *campaign);
  }
  bool suspects = std::ranges::any_of(found->locations, [](auto& at) { return !at.verdicts.empty(); });
  if (!options.confirm || !suspects) return report(options, *found, *fatal);
  auto tried = try_verdicts(options, *found);
  if (!tried) return complain(tried.error().line(), tried.error().blame == Blame::user ? kUsage : kIncomplete);
  scan::hold_against(found->locations, tried->record);
  bool confirmed = false;
  for (auto& at : found->locations) {
    if (at.verdicts.empty()) at.tried = {};  // it was not asked for
    confirmed |= std::ranges::any_of(at.verdicts, [](auto& v) { return is_confirmed(v) && !v.dismissed; });
  }
  auto status = report(options, *found, *fatal);
  if (status == kFine && confirmed) status = kFindings;
  if (tried->interrupted) return kInterrupted;
  if (!tried->record.incomplete.empty()) complain("incomplete: " + tried->record.incomplete, kIncomplete);
  return status == kFine && !tried->record.incomplete.empty() ? kIncomplete : status;
}

}  // namespace

void add_scan(CLI::App& app, int& status) {
  auto options = std::make_shared<ScanOptions>();
  auto* command = app.add_subcommand("scan",
                                     "read the project's own source for what tries again: where, how often, with what "
                                     "waits, and what of it looks wrong");
  command->add_option("path", options->words,
                      "files and folders (default: this folder; of a repository, what git does not ignore); of "
                      "--confirm: -- the test command");
  command->add_flag("--json", options->json, "all of it in JSON");
  command->add_option("--sarif", options->sarif,
                      "also write the verdicts to this file, in SARIF, for what shows them beside the code; -: to "
                      "stdout, and nothing else");
  command->add_option("--changed-since", options->changed_since,
                      "only files that git says have changed since this commit, e.g. origin/main");
  command->add_option("--fail-on", options->fail_on,
                      "verdicts that make the exit status 1, by commas: missing-cap,missing-delay; or any");
  command->add_option("--since", options->since, "of an earlier scan --json: --fail-on for new verdicts only");
  auto* against =
      command->add_option("--against", options->against,
                          "a campaign's folder, e.g. .retrial/latest: which locations it tried, which no test reaches");
  auto* confirm = command->add_flag("--confirm", options->confirm,
                                    "put the verdicts on trial: the faults that would show them, at their call sites "
                                    "alone, in the tests of the command behind --");
  confirm->excludes(against);
  command->add_option("--budget", options->budget, "of --confirm: stop adding cases after this time, e.g. 10m")
      ->needs(confirm);
  command->add_option("-c,--config", options->config, "retrial.toml (default: ./retrial.toml, if there is one)");
  auto* url =
      command->add_option("--model", options->model.url,
                          "also ask a language model behind an endpoint that speaks OpenAI's chat completions, "
                          "e.g. http://127.0.0.1:11434/v1, of functions that may try again: source is sent "
                          "there, without secrets; its word alone fails nothing. $RETRIAL_MODEL_KEY is its key");
  auto* name = command->add_option("--model-name", options->model.name, "which model, as the endpoint calls it");
  url->needs(name);
  name->needs(url);
  command->add_option("--model-tokens", options->model.tokens, "of questions and answers together, at most")
      ->needs(url)
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_flag("--tests", options->tests, "read tests, too");
  command->callback([options, &status] { status = scan_and_hold(*options); });
}

}  // namespace retrial::cli
