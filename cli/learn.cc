// What a service's own tests show of it, as checkers that later runs are held against.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <memory>
#include <ranges>

#include "base/escape.h"
#include "campaign/report/words.h"
#include "checkers/file.h"
#include "cli/campaign_options.h"
#include "cli/commands.h"

namespace retrial::cli {
namespace {

constexpr std::size_t kMostLeft = 200, kMostNamed = 5;

struct LearnOptions {
  CampaignOptions campaign;
  std::string file = "checkers.toml";
  bool replace = false, verbose = false;
};

std::string summary_of(const checkers::Learned& l, const std::string& file) {
  using campaign::report::counted;
  std::size_t kept = 0;
  for (auto& c : l.checkers) kept += std::max<std::size_t>(1, c.fields.size());
  auto text = fmt::format("{} in {}, of {} and {} looks at them\n", counted(l.checkers.size(), "checker"), file,
                          counted(l.tests, "passing test"), l.checks);
  return text +
         fmt::format(
             "  {}, a field each: {} contradicted by some test or run, {} left out (named at the file's end), {} "
             "kept, of them {} where nothing else is written at the service, or by no other test\n",
             counted(l.candidates, "candidate"), l.contradicted.size(), l.left.size(), kept, l.weakened);
}

// What would have to be seen more often, a line each.
std::string seen_too_seldom(const checkers::Learned& l, std::string_view margin, std::size_t most) {
  std::string text;
  for (auto& [checker, lacks] : l.left | std::views::take(most))
    text += fmt::format("{}{}: {}\n", margin, one_line(checkers::sentence(checker)), lacks);
  if (l.left.size() > most) text += fmt::format("{}and {} more\n", margin, l.left.size() - most);
  return text;
}
std::string left_out(const checkers::Learned& l) {
  if (l.left.empty()) return {};
  return "\n# Left out, though nothing contradicted them; a test that shows more of it brings it in:\n" +
         seen_too_seldom(l, "#   ", kMostLeft);
}

// Every candidate that is not in the file, with the reason.
void tell_why(const checkers::Learned& l) {
  std::string text;
  for (auto& [checker, held, test, says] : l.contradicted)
    text += fmt::format(
        "contradicted: {}{}, at {}: held {}, and failed in {}: {}\n", one_line(checkers::sentence(checker)),
        checker.within == checkers::Within::test ? " in a test by itself" : "", checker.service,
        campaign::report::counted(held, "time"), test.empty() ? "what no test sent" : one_line(test), one_line(says));
  for (auto& [checker, lacks] : l.left)
    text +=
        fmt::format("seen too seldom: {}, at {}: {}\n", one_line(checkers::sentence(checker)), checker.service, lacks);
  std::fputs(text.c_str(), stdout);
}

int nothing_learned(const checkers::Learned& l, const std::string& file) {
  using campaign::report::counted;
  std::string why = "none held in all of the suite";
  if (!l.left.empty())
    why = fmt::format("{} held but {} seen too seldom", l.left.size(), l.left.size() == 1 ? "was" : "were");
  auto status =
      complain(fmt::format("nothing was learned, and {} was not written: of {} {} (docs/checkers.md says what can "
                           "be learned)",
                           file, counted(l.candidates, "candidate"), why),
               kNothing);
  std::fputs(seen_too_seldom(l, "  ", kMostNamed).c_str(), stderr);
  return status;
}

// Before a suite is run for it.
Result<void> try_to_write(const std::string& file) {
  std::error_code error;
  bool there = std::filesystem::exists(file, error);
  errno = 0;
  if (!std::ofstream(file, std::ios::app)) return fail_errno("cannot be written", errno, file, Blame::user);
  if (!there) std::filesystem::remove(file, error);
  return {};
}

int learn(const LearnOptions& options) {
  std::error_code error;
  if (!options.replace && std::filesystem::exists(options.file, error))
    return complain(
        options.file + ": is there already, and may hold what somebody has edited; --replace writes it anew", kUsage);
  if (auto ok = try_to_write(options.file); !ok) return complain(ok.error().line(), kUsage);
  auto setting = setting_in_folder(options.campaign, false);
  if (!setting) return complain(setting.error().line(), kUsage);
  setting->learn_only = true;
  setting->aside = true;
  checkers::use({});
  SystemClock clock;
  auto outcome = campaign::run_campaign(*setting, clock);
  if (!outcome || outcome->nothing_to_try) return conclude(*setting, outcome);
  if (outcome->interrupted) return kInterrupted;
  if (!outcome->record.incomplete.empty()) return complain(outcome->record.incomplete, kIncomplete);
  auto& learned = outcome->learned;
  if (learned.not_alone)
    complain(fmt::format(
                 "{} not run alone, as the budget was spent: what holds in company only may be among what was learned",
                 campaign::report::counted(learned.not_alone, "test")),
             kFine);
  if (!learned.backwards && learned.tests > 1)
    complain(
        "the suite was not run in another order: its runner keeps its own, a test fails so, or the budget was spent",
        kFine);
  if (options.verbose) tell_why(learned);
  if (learned.checkers.empty()) return nothing_learned(learned, options.file);
  auto text = checkers::text_of(
      learned.checkers, fmt::format("Learned by `retrial learn -- {}`. Read it, and take out what need not hold.",
                                    campaign::report::command_line(outcome->record.command)));
  if (!(std::ofstream(options.file) << text << left_out(learned) << std::flush))
    return complain(fail_errno("cannot be written", errno, options.file).error().line(), kUsage);
  std::fputs(summary_of(learned, options.file).c_str(), stdout);
  return kFine;
}

}  // namespace

void add_learn(CLI::App& app, int& status) {
  auto options = std::make_shared<LearnOptions>();
  auto* command = app.add_subcommand(
      "learn", "run the suite as it is, and write down what its services' answers hold: checkers for `run --checkers`");
  options->campaign.add_common(*command);
  command->add_option("-o,--output", options->file, "the file to be written (default: checkers.toml)");
  command->add_flag("--replace", options->replace, "write it also where it is there already");
  command->add_flag("--verbose", options->verbose,
                    "say of each candidate that is left out where it failed, or what it lacks");
  command->add_option("--budget", options->campaign.budget, "tests alone are left out after this time, e.g. 10m");
  command->add_option("command", options->campaign.command, "-- the test command, as you always run it")->required();
  command->callback([options, &status] { status = learn(*options); });
}

}  // namespace retrial::cli
