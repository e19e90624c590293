// What may be said when something, some or nothing was found, judged, and seen: every combination.
#include "campaign/report/headline.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cli/campaign_options.h"
#include "cli/commands.h"

namespace retrial::test {
namespace {
using campaign::report::headline;
using campaign::report::Outcome;
using campaign::report::outcome_of;

enum class Found { nothing, below_the_bar, a_bug };
struct Made {
  trace::CampaignRecord record;
  Found found;
  bool judged, left_open, incomplete;
  std::string name() const {
    return fmt::format("found {}, judged {}, open {}, incomplete {}", static_cast<int>(found), judged, left_open,
                       incomplete);
  }
};

std::vector<Made> all() {
  std::vector<Made> out;
  for (auto found : {Found::nothing, Found::below_the_bar, Found::a_bug})
    for (bool judged : {false, true})
      for (bool left_open : {false, true})
        for (bool incomplete : {false, true}) {
          trace::CampaignRecord r;
          r.cases.push_back({.id = "c1", .outcome = "run", .runs = {1}});
          if (found != Found::nothing)
            r.findings.push_back(
                {.verdict = "hang",
                 .confidence = found == Found::a_bug ? trace::Confidence::certain : trace::Confidence::possible,
                 .confirmed = true});
          if (judged) r.clean.emplace_back();
          if (left_open) r.not_judged.push_back({.why = "the fault did not fire"});
          if (incomplete) r.incomplete = "the disk is full";
          out.push_back({std::move(r), found, judged, left_open, incomplete});
        }
  return out;
}

TEST(Headline, clears_what_was_judged_and_nothing_else) {
  for (auto& made : all()) {
    SCOPED_TRACE(made.name());
    auto text = headline(made.record);
    bool none = made.found == Found::nothing;
    EXPECT_EQ(text.starts_with("No retry bug was found"), none && made.judged && !made.incomplete) << text;
    EXPECT_EQ(text == "No retry bug was found", none && made.judged && !made.incomplete && !made.left_open) << text;
    EXPECT_EQ(text.starts_with("Incomplete"), none && made.incomplete) << text;
    EXPECT_EQ(text == "Nothing could be judged", none && !made.judged && !made.incomplete) << text;
    EXPECT_EQ(text == "1 finding with 1 cause", !none) << text;
  }
}

TEST(Headline, says_first_that_a_budget_left_cases_untried) {
  trace::CampaignRecord r;
  r.cases.push_back({.id = "c1", .outcome = "run", .runs = {1}});
  r.clean.emplace_back();
  for (auto why : {"budget", "something was seen in company, and not looked at alone (budget)"}) {
    auto cut = r;
    cut.cases.push_back({.id = "c2", .outcome = "left", .why = why});
    EXPECT_EQ(headline(cut), "The budget ended first: no retry bug was found in what was judged");
    EXPECT_EQ(cli::status_of(cut, trace::Confidence::likely), cli::kFine);
    cut.findings.push_back({.verdict = "hang", .confirmed = true});
    EXPECT_EQ(headline(cut), "1 finding with 1 cause");
  }
  r.cases.push_back({.id = "c2", .outcome = "left", .why = "this test no longer passes without faults since case c1"});
  EXPECT_EQ(headline(r), "No retry bug was found in what could be judged");
}

TEST(Headline, an_exit_status_of_0_stands_for_something_that_was_judged) {
  for (auto& made : all()) {
    SCOPED_TRACE(made.name());
    auto status = cli::status_of(made.record, trace::Confidence::likely);
    auto expected = made.found == Found::a_bug                     ? cli::kFindings
                    : made.incomplete                              ? cli::kIncomplete
                    : made.found == Found::nothing && !made.judged ? cli::kNothing
                                                                   : cli::kFine;
    EXPECT_EQ(status, expected);
    auto told_again = cli::status_of(made.record, {});  // by `report`, which finds nothing anew
    EXPECT_EQ(told_again, expected == cli::kFindings ? made.incomplete ? cli::kIncomplete : cli::kFine : expected);
  }
}

TEST(Headline, a_plan_clears_nothing) {
  trace::CampaignRecord plan;
  plan.cases.assign(2, {.outcome = "planned"});
  EXPECT_EQ(outcome_of(plan), Outcome::planned);
  EXPECT_EQ(headline(plan), "A plan: nothing was injected");
  EXPECT_EQ(cli::status_of(plan, {}), cli::kNothing);
  plan.cases.back().outcome = "left";
  EXPECT_EQ(outcome_of(plan), Outcome::not_judged);
}

}  // namespace
}  // namespace retrial::test
