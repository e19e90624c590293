#include "scan/tried.h"

#include "scan/scan.h"

#include <gtest/gtest.h>

namespace retrial::scan {
namespace {

std::vector<Location> two() {
  Location first{.file = "shop/prices.py",
                 .line = 14,
                 .last_line = 20,
                 .function = "price",
                 .function_line = 13,
                 .function_last_line = 21};
  Location second{.file = "shop/orders.py",
                  .line = 5,
                  .last_line = 9,
                  .function = "submit",
                  .function_line = 4,
                  .function_last_line = 10};
  return {first, second};
}

trace::CampaignRecord campaign_here() {
  trace::CampaignRecord campaign;
  campaign.directory = std::filesystem::current_path().string();
  return campaign;
}

TEST(Tried, a_finding_whose_chain_leads_through_the_function_says_that_it_is_wrong) {
  auto campaign = campaign_here();
  trace::Finding finding;
  finding.verdict = "missing-delay";
  finding.test = "test_price";
  finding.site = trace::CallSite{"shop/net.py", 3, "request", "shop/prices.py:16:price"};
  campaign.findings.push_back(finding);
  auto locations = two();
  hold_against(locations, campaign);
  EXPECT_EQ(locations[0].tried.state, Tried::wrong);
  EXPECT_NE(locations[0].tried.text.find("missing-delay"), std::string::npos);
  EXPECT_EQ(locations[1].tried.state, Tried::never);
}

TEST(Tried, a_clean_case_says_that_it_is_right_and_a_planned_one_that_it_is_reached) {
  auto campaign = campaign_here();
  campaign.clean.push_back(
      {"test_price", trace::CallSite{"shop/prices.py", 16, "price"}, "s", "GET /", "P3", "error(503)", ""});
  campaign.cases.push_back(
      {.policy = "P3", .test = "test_submit", .site = trace::CallSite{"shop/orders.py", 7, "submit"}});
  auto locations = two();
  hold_against(locations, campaign);
  EXPECT_EQ(locations[0].tried.state, Tried::right);
  EXPECT_EQ(locations[1].tried.state, Tried::reached);
}

TEST(Tried, a_library_that_is_set_up_outside_of_any_function_is_tried_with_the_calls_of_its_file) {
  auto campaign = campaign_here();
  campaign.clean.push_back({"t", trace::CallSite{"shop/prices.py", 40, "other"}, "s", "GET /", "P3", "error(503)", ""});
  auto locations = two();
  for (auto& at : locations) at.shape = Shape::library, at.function = "", at.function_line = 0;
  hold_against(locations, campaign);
  EXPECT_EQ(locations[0].tried.state, Tried::right);
  EXPECT_EQ(locations[1].tried.state, Tried::never);
}

TEST(Tried, a_line_outside_of_the_function_or_in_another_file_of_that_name_is_none_of_it) {
  auto campaign = campaign_here();
  campaign.clean.push_back({"t", trace::CallSite{"shop/prices.py", 40, "other"}, "s", "GET /", "P3", "error(503)", ""});
  campaign.clean.push_back(
      {"t", trace::CallSite{"old/shop/prices.py", 16, "price"}, "s", "GET /", "P3", "error(503)", ""});
  auto locations = two();
  hold_against(locations, campaign);
  EXPECT_EQ(locations[0].tried.state, Tried::never);
}

TEST(Tried, a_verdict_is_as_sure_as_the_finding_that_shows_it_and_a_case_that_does_not_is_named) {
  auto campaign = campaign_here();
  trace::Finding finding;
  finding.id = "0badcafe";
  finding.verdict = "duplicate-effect";
  finding.confidence = trace::Confidence::certain;
  finding.confirmed = true;
  finding.policy = "P1";
  finding.test = "test_submit";
  finding.site = trace::CallSite{"shop/orders.py", 7, "submit"};
  campaign.findings.push_back(finding);
  campaign.cases.push_back({.policy = "P3",
                            .test = "test_submit",
                            .site = trace::CallSite{"shop/orders.py", 7, "submit"},
                            .outcome = "run"});
  auto locations = two();
  locations[1].verdicts = {{"retries-non-idempotent", "It has an effect."},
                           {"missing-cap", "No end was seen."},
                           {"retries-permanent-error", "Whatever fails leads back."}};
  hold_against(locations, campaign);
  auto& all = locations[1].verdicts;
  EXPECT_EQ(all[0].confidence, "certain");
  EXPECT_EQ(all[0].shown, "P1 shows duplicate-effect, test test_submit: retrial replay 0badcafe");
  EXPECT_EQ(all[1].confidence, "possible");
  EXPECT_EQ(all[1].shown, "P3 did not show it, test test_submit");
  EXPECT_EQ(all[2].shown, "") << "N1 was not tried";
}

TEST(Tried, a_case_that_was_not_judged_did_not_fail_to_show_a_verdict) {
  auto campaign = campaign_here();
  trace::CallSite site{"shop/orders.py", 7, "submit"};
  campaign.cases.push_back({.policy = "P3", .plan = "error(503)", .test = "test_a", .site = site, .outcome = "run"});
  campaign.not_judged.push_back({"test_a", site, "", "", "P3", "error(503)", "the test failed on a line of its own"});
  auto locations = two();
  locations[1].verdicts = {{"missing-cap", "No end was seen."}};
  hold_against(locations, campaign);
  EXPECT_EQ(locations[1].verdicts[0].shown,
            "P3 was run and not judged, test test_a: the test failed on a line of its own");
  campaign.cases.push_back({.policy = "P3", .plan = "error(503)", .test = "test_b", .site = site, .outcome = "run"});
  hold_against(locations, campaign);
  EXPECT_EQ(locations[1].verdicts[0].shown, "P3 did not show it, test test_b");
}

TEST(Tried, of_what_no_test_reaches_the_nearest_test_is_named) {
  auto campaign = campaign_here();
  campaign.cases.push_back(
      {.policy = "P3", .test = "test_other", .site = trace::CallSite{"shop/other.py", 7, "other"}});
  campaign.cases.push_back(
      {.policy = "P3", .test = "test_cancel", .site = trace::CallSite{"shop/orders.py", 70, "cancel"}});
  auto locations = two();
  hold_against(locations, campaign);
  EXPECT_EQ(locations[1].tried.text,
            "no test that was on trial makes its call; the nearest is test_cancel, by shop/orders.py:70 cancel");
  EXPECT_TRUE(locations[0].tried.text.ends_with("by shop/other.py:7 other"));
}

TEST(Tried, of_an_option_of_a_library_it_is_not_said_that_no_test_makes_its_calls) {
  auto campaign = campaign_here();
  campaign.cases.push_back(
      {.policy = "P3", .test = "test_other", .site = trace::CallSite{"shop/other.py", 7, "other"}});
  auto locations = two();
  locations[0].shape = Shape::library, locations[0].by = "retryPolicy", locations[0].calls = "";
  hold_against(locations, campaign);
  EXPECT_EQ(locations[0].tried.text, "what is set here is used elsewhere: which calls it holds for is not seen");
}

TEST(Tried, a_chain_leads_through_a_function_that_a_decorator_repeats) {
  auto locations = scan_text(*language_of("shop/a.py"),
                             "import tenacity\n@tenacity.retry(wait=wait_fixed(2))\ndef f(u):\n  return get(u)\n")
                       .locations;
  ASSERT_EQ(locations.size(), 1u);
  locations[0].file = "shop/a.py";
  auto campaign = campaign_here();
  for (int line : {4, 5})
    EXPECT_EQ(Through(campaign.directory)(trace::CallSite{"shop/a.py", line, "f"}, locations[0]), line == 4) << line;
}

TEST(Tried, where_no_call_site_was_seen_nothing_is_said) {
  auto campaign = campaign_here();
  campaign.cases.push_back({.policy = "P3", .test = "test_submit"});
  auto locations = two();
  hold_against(locations, campaign);
  EXPECT_EQ(locations[0].tried.state, Tried::not_asked);
}

}  // namespace
}  // namespace retrial::scan
