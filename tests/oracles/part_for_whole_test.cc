// silent-wrong-result: a part of a list or a body that is taken for the whole.
#include <gtest/gtest.h>

#include <string>

#include "tests/oracles/runs.h"

namespace retrial::oracles {
namespace {

TEST(SilentWrongResult, a_command_that_ends_well_on_the_pages_before_is_possible) {
  Trial t("observe", "error(503)");
  t.row.test.clear();
  for (auto* tale : {&t.reference, &t.in_case()})
    tale->call("dump", "GET", "/orders?page=1").answers(200, R"([{"id":"o-1"}])");
  t.reference.call("dump", "GET", "/orders?page=2").answers(200, R"([{"id":"o-2"}])").passes();
  t.in_case().call("dump", "GET", "/orders?page=2").gets_error().passes();
  EXPECT_EQ(t.verdicts(), "silent-wrong-result possible");
  auto message = t.judge().findings[0].message;
  EXPECT_NE(message.find("and the command ended with status 0 on what it had."), message.npos) << message;
}

// The first page is asked for by other words than those behind it, whose cursors are others in each run.
TEST(SilentWrongResult, a_sum_of_a_walk_that_ended_early_lacks_all_the_pages_behind) {
  auto summed = [](const char* here) {
    Trial t("observe", "error(503)");
    t.row.test.clear();
    auto page = [](Tale& tale, std::string query, std::string cents, std::string next) {
      tale.call("fetch", "GET", "/ledger?" + query);
      tale.answers(200, R"({"entries":[)" + cents + R"(],"next":")" + next + R"("})");
    };
    auto put = [](Tale& tale, const char* body) {
      tale.call("main", "PUT", "/sums/ledger").last().request_sample = body;
      tale.answers(200).passes();
    };
    page(t.reference, "after_id=0", R"({"cents":10},{"cents":11})", "c7f2");
    page(t.reference, "cursor=c7f2", R"({"cents":12},{"cents":13})", "c7f3");
    page(t.reference, "cursor=c7f3", R"({"cents":14},{"cents":15})", "");
    put(t.reference, R"({"cents":75,"entries":6})");
    page(t.in_case(), "after_id=0", R"({"cents":10},{"cents":11})", "d9a2");
    t.in_case().call("fetch", "GET", "/ledger?cursor=d9a2").gets_error();
    put(t.in_case(), here);
    return t.verdicts();
  };
  EXPECT_EQ(summed(R"({"cents":21,"entries":2})"), "silent-wrong-result likely");
  EXPECT_EQ(summed(R"({"cents":22,"entries":2})"), "silent-wrong-result possible") << "it is of another kind";
}

TEST(SilentWrongResult, what_an_assertion_counts_of_a_walk_is_less) {
  Trial t("P3", "error(503)");
  for (auto* tale : {&t.reference, &t.in_case()})
    tale->call("all", "GET", "/entries?from=0").answers(200, R"({"entries":["a","b"],"next":2})");
  t.reference.call("all", "GET", "/entries?from=2").answers(200, R"({"entries":["c"],"next":null})");
  t.in_case().call("all", "GET", "/entries?from=2").gets_error();
  t.in_case().fails({on_a_test_line("PHPUnit\\Framework\\ExpectationFailedException",
                                    "Failed asserting that actual size 2 matches expected size 3.")});
  EXPECT_EQ(t.verdicts(), "silent-wrong-result likely");
}

TEST(SilentWrongResult, of_a_last_page_that_is_empty_nothing_is_missing) {
  auto imports = [](const char* last) {
    Trial t("P3", "error(503)");
    for (auto* tale : {&t.reference, &t.in_case()})
      tale->call("run", "GET", "/feed?after=0").answers(200, R"({"rows":[{"seq":1},{"seq":2}]})");
    t.reference.call("run", "GET", "/feed?after=2").answers(200, last);
    t.in_case().call("run", "GET", "/feed?after=2").gets_error().passes();
    return t.verdicts();
  };
  EXPECT_EQ(imports(R"({"rows":[{"seq":3}]})"), "silent-wrong-result likely");
  EXPECT_EQ(imports(R"({"rows":[]})"), "");
  EXPECT_EQ(imports(R"({"rows":[)"), "silent-wrong-result likely") << "what it holds is not known";
}

TEST(SilentWrongResult, a_page_that_the_walk_goes_past_is_left_out) {
  auto walked = [](bool again, std::string of = "page", std::string name = "") {
    Trial t("P3", "error(503)");
    auto page = [&](Tale& tale, int n) -> Tale& {
      return tale.call("history", "GET", "/orders?" + of + "=" + name + std::to_string(n));
    };
    for (int n = 1; n <= 3; n++) page(t.reference, n).answers(200, R"([{"id":"o"}])");
    page(t.in_case(), 1).gets_error();
    for (int n = again ? 1 : 2; n <= 3; n++) page(t.in_case(), n).answers(200, R"([{"id":"o"}])");
    t.in_case().passes();
    return t.verdicts();
  };
  EXPECT_EQ(walked(false), "silent-wrong-result likely");
  EXPECT_EQ(walked(true), "");
  EXPECT_EQ(walked(false, "from", "EUR"), "") << "things that are asked for one after another";
}

TEST(SilentWrongResult, a_command_that_ends_well_on_a_cut_body_is_possible) {
  Trial t("observe", "close(in-body)");
  t.row.test.clear();
  t.reference.call("", "GET", "/prices.csv").answers(200, "sku;price\np-1;19.90\np-2;4.50\n");
  for (auto* tale : {&t.reference})
    tale->last().response_headers = {{"content-type", "text/csv"}, {"content-length", "31"}};
  t.in_case().call("", "GET", "/prices.csv").is_reset();
  t.in_case().last().fault.point = trace::Point::in_body;
  t.in_case().passes();
  EXPECT_EQ(t.verdicts(), "silent-wrong-result possible");
}

}  // namespace
}  // namespace retrial::oracles
