#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
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

// "4096 long, 2048 long, 1024, 512, 256 quiet, 1536": what a client makes of each size.
std::string sizes(std::int64_t most, std::function<Sizes::Seen(std::int64_t)> seen) {
  Sizes all(most);
  std::string out;
  while (auto size = all.next()) {
    auto how = seen(*size);
    out += fmt::format("{}{}{}", out.empty() ? "" : ", ", *size,
                       how == Sizes::Seen::too_long ? " long"
                       : how == Sizes::Seen::quiet  ? " quiet"
                                                    : "");
    all.saw(how, *size);
  }
  return out;
}
Sizes::Seen between(std::int64_t size, std::int64_t least, std::int64_t most) {
  return size > most ? Sizes::Seen::too_long : size < least ? Sizes::Seen::quiet : Sizes::Seen::stands_out;
}

TEST(Sizes, are_halves_of_the_largest_until_four_stand_out) {
  EXPECT_EQ(sizes(4096, [](auto n) { return between(n, 5000, 9000); }), "4096 quiet")
      << "one run where it costs little";
  EXPECT_EQ(sizes(4096, [](auto n) { return between(n, 1, 4096); }), "4096, 2048, 1024, 512");
  EXPECT_EQ(sizes(4096, [](auto n) { return between(n, 1, 2048); }), "4096 long, 512, 1448, 2435 long, 861, 1117")
      << "an eighth of what took too long, and then up to it";
  EXPECT_EQ(sizes(4096, [](auto n) { return between(n, 4096, 4096); }), "4096, 2048 quiet");
}
TEST(Sizes, are_filled_where_fewer_lie_between_noise_and_the_largest) {
  EXPECT_EQ(sizes(4096, [](auto n) { return between(n, 1024, 4096); }), "4096, 2048, 1024, 512 quiet, 2896");
  EXPECT_EQ(sizes(4096, [](auto n) { return between(n, 300, 1000); }),
            "4096 long, 512, 1448 long, 861, 1117 long, 664, 256 quiet, 362");
  EXPECT_EQ(sizes(4096, [](auto n) { return between(n, 500, 520); }),
            "4096 long, 512, 1448 long, 861 long, 664 long, 256 quiet, 362 quiet")
      << "between these no two differ";
  EXPECT_EQ(sizes(5, [](auto n) { return between(n, 1, 5); }), "5, 2, 1, 3") << "the errors of a client that gives up";
  EXPECT_EQ(sizes(3, [](auto n) { return between(n, 1, 3); }), "3, 1, 2");
}
TEST(Sizes, come_to_an_end) {
  EXPECT_EQ(sizes(1 << 20, [](auto) { return Sizes::Seen::too_long; }),
            "1048576 long, 131072 long, 16384 long, 2048 long, 256 long, 32 long, 4 long");
  bool quiet = false;
  Sizes by_turns(1 << 20);
  int runs = 0;
  for (; auto size = by_turns.next(); runs++)
    by_turns.saw(std::exchange(quiet, !quiet) ? Sizes::Seen::quiet : Sizes::Seen::too_long, *size);
  EXPECT_LE(runs, 10);
}
TEST(Sizes, go_on_from_what_a_client_met_that_gave_up) {
  Sizes errors(1024);
  errors.saw(Sizes::Seen::stands_out, 20);
  EXPECT_EQ(errors.next(), 10);
}

TEST(Series, are_what_the_answers_without_faults_can_bear) {
  auto run = pages({{"/items", R"({"items":[1]})"}});
  run.exchanges[0].response_headers = {{"Content-Type", "application/json"}};
  run.exchanges[0].response_bytes = 1024;
  run.exchanges[0].service_status = 200;
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
  while (run.exchanges.size() < 4) run.exchanges.push_back(run.exchanges[0]);
  EXPECT_EQ(plans(),
            "stress errors: error(transient); stress errors apart: every 4: error(transient); "
            "stress bytes: lengthen(65536); stress drip: stall; ");
  EXPECT_EQ(plan_of({.of = trace::Load::Of::errors, .most = 1024, .one_of = 4}, 7),
            "every 4: error(transient) x 7, then pass");
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
