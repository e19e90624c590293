#include "predict/near_misses.h"

#include <gtest/gtest.h>

#include "tests/predict/traffic.h"

namespace retrial::predict {
namespace {

// "PUT /a > GET /a", a line each.
std::string pairs(const Traffic& t) {
  std::string out;
  for (auto& miss : near_misses(t.run))
    out += (out.empty() ? "" : ", ") + miss.first.operation + " > " + miss.second.operation;
  return out;
}

constexpr auto kMain = "1:a,2:b", kChild = "1:c,/9,10:d,11:e";  // the child was begun at 9

TEST(NearMisses, are_of_two_strands_on_one_thing_that_one_of_them_makes_or_ends) {
  Traffic t;
  t.sends("1:a,/9,20:b", "PUT", "/jobs/1", 201, 10, 12);
  t.sends("1:a,/8,21:b", "GET", "/jobs/1", 200, 20, 22);
  t.sends("1:a,/9,22:b", "GET", "/other", 200, 23, 24);
  auto found = near_misses(t.run);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].resource, "/jobs/1");
  EXPECT_EQ(found[0].gap, 12 * kMillisecond) << "from the first's beginning to the second's answer";
  EXPECT_TRUE(found[0].why.contains("9 and 8")) << found[0].why;
}

TEST(NearMisses, are_none_within_one_strand_unless_both_are_open_at_once) {
  Traffic t;
  t.sends(kMain, "PUT", "/jobs/1", 201, 10, 12);
  t.sends(kMain, "GET", "/jobs/1", 200, 20, 22);
  EXPECT_EQ(pairs(t), "");
  t.sends(kMain, "DELETE", "/jobs/1", 204, 21, 25);
  EXPECT_EQ(pairs(t), "GET /jobs/1 > DELETE /jobs/1");
}

TEST(NearMisses, are_none_of_what_was_done_before_the_strand_was_begun) {
  Traffic t;
  t.sends("1:a,8:b", "PUT", "/jobs/1", 201, 10, 12);
  t.sends(kChild, "GET", "/jobs/1", 200, 20, 22);
  EXPECT_EQ(pairs(t), "");
}

TEST(NearMisses, are_none_of_what_was_waited_for) {
  Traffic t;
  t.sends("1:a,/9,10:d", "PUT", "/jobs/1", 201, 10, 12);
  t.sends("1:a,14:b,+9", "GET", "/jobs/1", 200, 20, 22);
  t.sends("1:a,+9,/15,16:b", "GET", "/jobs/1/parts", 200, 24, 26);
  EXPECT_EQ(pairs(t), "") << "what it starts then is later too";
  t.run.exchanges[1].tag.stack = "1:a,14:b,+8";
  EXPECT_EQ(pairs(t), "PUT /jobs/1 > GET /jobs/1") << "another was waited for";
}

TEST(NearMisses, are_none_of_a_process_whose_end_was_waited_for) {
  Traffic t;
  t.sends("1:a", "PUT", "/jobs/1", 201, 10, 12).pid = 41;
  t.sends("1:a,+@41", "GET", "/jobs/1", 200, 20, 22).pid = 7;
  EXPECT_EQ(pairs(t), "");
  t.run.exchanges[1].tag.stack = "1:a,+@42";
  EXPECT_EQ(pairs(t), "PUT /jobs/1 > GET /jobs/1");
}

TEST(NearMisses, are_there_of_what_was_done_after_the_strand_was_begun) {
  Traffic t;
  t.sends("1:a,12:b", "PUT", "/jobs/1", 201, 10, 12);
  t.sends(kChild, "GET", "/jobs/1", 200, 20, 22);
  EXPECT_EQ(pairs(t), "PUT /jobs/1 > GET /jobs/1");
}

TEST(NearMisses, are_none_where_the_second_holds_what_only_the_firsts_answer_told) {
  Traffic t;
  t.sends("1:a,12:b", "POST", "/jobs", 201, 10, 12).response_sample = R"({"id": 17})";
  t.sends(kChild, "GET", "/jobs/17", 200, 20, 22);
  EXPECT_EQ(pairs(t), "");
  t.sends(kChild, "GET", "/jobs", 200, 24, 26);
  EXPECT_EQ(pairs(t), "") << "it comes after what holds it, in one strand";
}

TEST(NearMisses, are_none_where_a_third_stands_between) {
  Traffic t;
  t.sends("1:a,12:b", "PUT", "/jobs/1", 201, 10, 12);
  t.sends("1:a,13:b", "POST", "/queue", 201, 13, 14).response_sample = R"({"id": "message-77"})";
  t.sends(kChild, "DELETE", "/queue/message-77", 204, 15, 16);
  t.sends(kChild, "GET", "/jobs/1", 200, 20, 22);
  EXPECT_EQ(pairs(t), "");
}

TEST(NearMisses, are_none_further_apart_than_a_delay_reaches) {
  Traffic t;
  t.sends("1:a,12:b", "PUT", "/jobs/1", 201, 10, 12);
  t.sends(kChild, "GET", "/jobs/1", 200, 109, 111);
  EXPECT_EQ(pairs(t), "");
  EXPECT_EQ(further_apart(t.run), 1u) << "but they are counted";
  t.sends(kChild, "GET", "/jobs/1", 200, 309, 311);
  EXPECT_EQ(further_apart(t.run), 1u) << "the same two places";
  t.sends("1:a,12:b", "DELETE", "/jobs/1", 204, 500, 502);
  EXPECT_EQ(further_apart(t.run), 2u) << "what the other has read is ended, but its own making of it is no other's";
}

TEST(NearMisses, of_one_pair_of_places_are_one) {
  Traffic t;
  for (int i = 0; i < 5; i++) {
    t.sends("1:a,12:b", "PUT", "/jobs/1", 201, 200 * i + 10, 200 * i + 12);
    t.sends(kChild, "GET", "/jobs/1", 200, 200 * i + 20, 200 * i + 22);
  }
  EXPECT_EQ(pairs(t), "PUT /jobs/1 > GET /jobs/1");
}

TEST(NearMisses, go_by_threads_and_processes_where_no_agent_tells_strands) {
  Traffic t;
  t.sends("", "PUT", "/jobs/1", 201, 10, 12);
  t.sends("", "GET", "/jobs/1", 200, 20, 22);
  EXPECT_EQ(pairs(t), "") << "nothing is known of who sends them";
  t.run.exchanges[0].busy.thread = 7;
  t.run.exchanges[1].busy.thread = 8;
  EXPECT_EQ(pairs(t), "PUT /jobs/1 > GET /jobs/1");
  t.run.exchanges[1].busy.thread = 7;
  EXPECT_EQ(pairs(t), "");
  t.run.exchanges[1].pid = 8;
  EXPECT_EQ(pairs(t), "PUT /jobs/1 > GET /jobs/1");
}

// As Node's agent has it: each request is a strand of its own, behind those whose answers led to it.
TEST(NearMisses, of_one_thread_whose_agent_tells_what_led_to_each_request_go_by_that) {
  Traffic t;
  t.sends("/2,1.a", "PUT", "/jobs/1", 201, 10, 12);
  t.sends("/2,/4,3.a", "GET", "/jobs/1", 200, 20, 22);
  EXPECT_EQ(pairs(t), "") << "it waited for the answer";
  t.sends("/4,/6,5.a", "DELETE", "/jobs/1", 204, 30, 32);
  EXPECT_EQ(pairs(t), "") << "it waited for who had waited";
  t.sends("/8,7.a", "GET", "/jobs/1/parts", 200, 34, 36);
  EXPECT_EQ(pairs(t), "PUT /jobs/1 > GET /jobs/1/parts, DELETE /jobs/1 > GET /jobs/1/parts") << "it waited for none";
}

TEST(NearMisses, leave_out_set_up_and_teardown) {
  Traffic t;
  t.sends("1:a,12:b", "PUT", "/jobs/1", 201, 10, 12).tag.phase = trace::Phase::setup;
  t.sends(kChild, "GET", "/jobs/1", 200, 20, 22).tag.phase = trace::Phase::test;
  EXPECT_EQ(pairs(t), "");
}

TEST(Delays, are_long_enough_for_the_gap_and_neither_shorter_than_5_ms_nor_longer_than_100) {
  EXPECT_EQ(delay_for(0), 5 * kMillisecond);
  EXPECT_EQ(delay_for(19 * kMillisecond), 23 * kMillisecond);
  EXPECT_EQ(delay_for(99 * kMillisecond), 100 * kMillisecond);
}

TEST(NearMisses, are_found_in_a_hundred_thousand_requests_with_bounded_looks) {
  Traffic t;
  for (int i = 0; i < 100'000; i++)
    t.sends(i % 2 ? "1:a,/3,4:b" : "1:a,/5,6:b", i % 2 ? "GET" : "PUT", "/jobs/" + std::to_string(i % 1000),
            i % 2 ? 200 : 201, i / 100, i / 100 + 1);
  for (auto& e : t.run.exchanges) e.operation = e.method + " /jobs/{id}";
  EXPECT_LE(near_misses(t.run).size(), 4u);
  EXPECT_EQ(further_apart(t.run), 0u) << "those are near somewhere";
}

}  // namespace
}  // namespace retrial::predict
