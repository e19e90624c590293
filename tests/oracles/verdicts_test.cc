// The table of verdicts, and what docs/verdicts.md says of it.
#include <gtest/gtest.h>

#include <set>

#include "oracles/oracle.h"
#include "tests/support/docs.h"

namespace retrial::oracles {
namespace {

std::set<std::string> names(bool notes) {
  std::set<std::string> out;
  for (auto* oracle : oracles())
    for (auto& verdict : oracle->verdicts())
      if ((verdict.severity == Severity::information) == notes) out.emplace(verdict.name);
  return out;
}

TEST(Verdicts, are_given_by_one_oracle_each_and_known_by_name) {
  std::set<std::string_view> seen;
  for (auto* oracle : oracles()) {
    ASSERT_FALSE(oracle->verdicts().empty());
    for (auto& verdict : oracle->verdicts()) {
      EXPECT_TRUE(seen.insert(verdict.name).second) << verdict.name;
      EXPECT_EQ(verdict_named(verdict.name), &verdict);
    }
  }
  EXPECT_EQ(verdict_named("unheard-of"), nullptr);
}

TEST(Verdicts, have_words_for_somebody_who_has_never_met_them) {
  for (auto* oracle : oracles())
    for (auto& verdict : oracle->verdicts()) {
      EXPECT_FALSE(verdict.title.empty() || verdict.title.ends_with('.')) << verdict.name;
      EXPECT_TRUE(verdict.why.ends_with('.')) << verdict.name;
      EXPECT_TRUE(verdict.remedy.ends_with('.') || verdict.severity == Severity::information) << verdict.name;
    }
}

TEST(Verdicts, stand_in_the_order_of_a_report_the_worst_first) {
  Severity last{};
  for (auto* oracle : oracles()) {
    EXPECT_GE(oracle->verdicts().front().severity, last) << oracle->verdicts().front().name;
    last = oracle->verdicts().front().severity;
    for (auto& verdict : oracle->verdicts()) EXPECT_GE(verdict.severity, last) << verdict.name;
  }
}

TEST(Verdicts, are_looked_for_as_far_as_the_one_that_looks_farthest) {
  for (auto* oracle : oracles()) {
    EXPECT_LE(oracle->horizons().far.attempts, horizons().far.attempts);
    EXPECT_LE(oracle->horizons().near.client_time, horizons().near.client_time);
  }
  EXPECT_GT(horizons().far.attempts, horizons().near.attempts);
  EXPECT_GT(horizons().far.client_time, horizons().near.client_time);
}

TEST(VerdictsPage, has_a_section_for_every_verdict_and_for_nothing_else) {
  std::set<std::string> sections;
  auto text = test::docs("verdicts.md");
  for (auto line : split(test::section(text, "## Findings"), '\n'))
    if (line.starts_with("### ")) sections.emplace(line.substr(4));
  EXPECT_EQ(sections, names(false));
}

TEST(VerdictsPage, has_a_row_for_every_note) {
  std::set<std::string> rows;
  for (auto& row : test::table_below(test::docs("verdicts.md"), "## Notes"))
    rows.insert(row.at(0).substr(1, row.at(0).size() - 2));
  for (auto& name : names(true)) EXPECT_TRUE(rows.contains(name)) << name;
  for (auto& name : rows) EXPECT_NE(verdict_named(name), nullptr) << name << " is given by no oracle";
}

}  // namespace
}  // namespace retrial::oracles
