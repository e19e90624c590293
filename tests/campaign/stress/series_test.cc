#include <fmt/format.h>
#include <gtest/gtest.h>

#include <utility>

#include "campaign/stress/series.h"
#include "trace/fault_table.h"

namespace retrial::campaign {
namespace {

trace::Run pages(std::vector<std::pair<std::string, std::string>> told) {
  trace::Run run;
  for (auto& [target, answer] : told) {
    auto& e = run.exchanges.emplace_back();
    e.id = run.exchanges.size();
    e.service = "127.0.0.1:8000";
    e.operation = "GET /items";
    e.target = target;
    e.response_sample = answer;
    e.response_bytes = answer.size();
    e.service_status = 200;
    e.service_done = 1;
  }
  return run;
}
const trace::CaseRecord kRow{.service = "127.0.0.1:8000", .operation = "GET /items"};

TEST(PageMember, is_the_one_whose_value_the_next_request_sends_back) {
  EXPECT_EQ(page_member(pages({{"/items?n=5", R"({"items":[1],"count":5,"more":"k7"})"}, {"/items?n=5&from=k7", "{}"}}),
                        kRow),
            "more");
  EXPECT_EQ(page_member(pages({{"/items", R"({"meta":{"at":17}})"}, {"/items?at=17", "{}"}}), kRow), "at");
  EXPECT_EQ(
      page_member(pages({{"/items", R"({"next":"http://127.0.0.1:8000/items?p=2"})"}, {"/items?p=2", "{}"}}), kRow),
      "next");
}
TEST(PageMember, is_none_that_counts_the_pages) {
  EXPECT_EQ(page_member(pages({{"/items?page=1", R"({"total_pages":2})"}, {"/items?page=2", "{}"}}), kRow), "");
}
TEST(PageMember, is_none_where_nothing_is_sent_back) {
  EXPECT_EQ(page_member(pages({{"/items", R"({"next":"a"})"}, {"/items?from=b", "{}"}}), kRow), "");
  EXPECT_EQ(page_member(pages({{"/items", "no JSON"}, {"/items?from=b", "{}"}}), kRow), "");
  EXPECT_EQ(page_member(pages({{"/items?page=1", R"({"size":1})"}, {"/items?page=2", "{}"}}), kRow), "")
      << "what the first had sent itself";
  EXPECT_EQ(page_member(pages({}), kRow), "");
}

TEST(Series, are_what_the_answers_without_faults_can_bear) {
  auto run = pages({{"/items", R"({"items":[1]})"}});
  run.exchanges[0].response_headers = {{"Content-Type", "application/json"}};
  run.exchanges[0].response_bytes = 1024;
  auto plans = [&] {
    std::string out;
    for (auto& s : series_of(kRow, run)) out += policy_of(s) + ": " + plan_of(s, s.most) + "; ";
    return out;
  };
  EXPECT_EQ(
      plans(),
      "stress pages: another-page; stress errors: error(transient); stress lists: grow(8192); stress drip: stall; ");
  run.exchanges[0].response_headers.clear();
  EXPECT_EQ(plans(), "stress errors: error(transient); stress bytes: lengthen(65536); stress drip: stall; ");
  EXPECT_EQ(why_none_grows(kRow, run), "");
  while (run.exchanges.size() < 4) run.exchanges.push_back(run.exchanges[0]);
  EXPECT_EQ(plans(),
            "stress errors: error(transient); stress errors apart: every 4: error(transient); "
            "stress bytes: lengthen(65536); stress drip: stall; ");
  EXPECT_EQ(plan_of({.of = trace::Load::Of::errors, .most = 1024, .one_of = 4}, 7),
            "every 4: error(transient) x 7, then pass");
}
TEST(Series, of_bytes_reach_what_a_runtime_does_not_hide_or_are_none) {
  auto run = pages({{"/export", std::string(24, 'x')}});
  auto of_bytes = [&]() -> std::int64_t {
    for (auto& s : series_of(kRow, run))
      if (s.of == trace::Load::Of::bytes) return s.most * s.bytes;
    return 0;
  };
  EXPECT_EQ(of_bytes(), 24'000'000);
  run.exchanges[0].response_bytes = 100;
  EXPECT_EQ(of_bytes() >> 20, 63);
  run.exchanges[0].response_bytes = 16;
  EXPECT_EQ(of_bytes(), 0);
  EXPECT_EQ(why_none_grows(kRow, run), "its answer is too short to be made long");
}
TEST(Series, that_cannot_be_say_why) {
  auto why = [](std::string type, std::string answer, auto change) {
    auto run = pages({{"/items", answer}});
    auto& e = run.exchanges[0];
    e.response_headers = {{"Content-Type", type}};
    change(e);
    return why_none_grows(kRow, run);
  };
  auto as_it_is = [](auto&) {};
  EXPECT_EQ(why("application/json", "[1]", as_it_is), "");
  EXPECT_EQ(why("application/json", R"({"id":1})", as_it_is), "") << "nothing in it grows, and none is missed";
  EXPECT_EQ(why("application/json", "", as_it_is), "");
  EXPECT_EQ(why("application/json", "[1]", [](auto& e) { e.response_headers.push_back({"Content-Encoding", "gzip"}); }),
            "its answer is packed");
  EXPECT_EQ(why("application/x-ndjson", "{\"id\":1}\n{\"id\":2}\n", as_it_is),
            "its answer is no JSON, or more than one");
  EXPECT_EQ(why("application/json", "[1,", as_it_is), "its answer is no JSON, or more than one");
  EXPECT_EQ(why("application/json", "[1,", [](auto& e) { e.response_bytes = 2 << 20; }),
            "its answer is longer than 1 MiB as the service sends it");
  EXPECT_EQ(why("application/json", "[1,", [](auto& e) { e.service_done = 0; }),
            "its answer did not come to its end: the client or the service left");
}
TEST(Series, of_all_lists_together_are_of_tests_that_are_answered_with_two) {
  auto run = pages({{"/items", R"({"items":[1]})"}, {"/items", R"({"items":[1]})"}, {"/items/1", R"({"id":1})"}});
  for (auto& e : run.exchanges) {
    e.response_headers = {{"Content-Type", "application/json"}};
    e.response_bytes = 1024;
  }
  EXPECT_FALSE(together_in("t", run)) << "one call's, twice";
  run.exchanges[2].operation = "GET /others";
  EXPECT_FALSE(together_in("t", run)) << "no list";
  run.exchanges[2].response_sample = "[2]";
  run.exchanges[2].response_bytes = 2048;
  auto together = together_in("t", run);
  ASSERT_TRUE(together);
  EXPECT_EQ(together->calls.size(), 2u);
  EXPECT_EQ(together->row.operation, "GET /items");
  EXPECT_EQ(policy_of(together->series) + ": " + plan_of(together->series, together->series.most),
            "stress lists together: grow(4096)");
}
TEST(Series, of_drips_come_from_what_silence_took) {
  auto run = pages({{"/items", "[]"}}), silent = run;
  run.exchanges[0].response_bytes = 81;  // and 19 of its head
  auto& e = silent.exchanges[0];
  e.fault.name = trace::fault_row("stall")->fault;
  e.fired = true;
  e.begun = kSecond;
  e.told = 3 * kSecond;
  EXPECT_FALSE(drip_after(kRow, silent, run)) << "it did not leave by itself";
  e.ending = trace::Ending::client_left;
  auto drip = drip_after(kRow, silent, run);
  ASSERT_TRUE(drip);
  EXPECT_EQ(plan_of(*drip, 16), "drip(3, 1000ms)") << "32 pauses of half of its time-out";
  EXPECT_EQ(plan_of(*drip, 2), "drip(25, 1000ms)");
}

}  // namespace
}  // namespace retrial::campaign
