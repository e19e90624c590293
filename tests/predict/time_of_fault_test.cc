#include "predict/time_of_fault.h"

#include <gtest/gtest.h>

#include "predict/death.h"
#include "tests/predict/story.h"

namespace retrial::predict {
namespace {

// "before PUT /a > GET /a", in order.
std::string pairs(const Story& reference, const std::vector<Story>& borne) {
  std::vector<Borne> runs;
  for (auto& story : borne) runs.push_back(&story.run);
  std::string out;
  for (auto& fall : falls_of(reference.run, runs))
    out += (out.empty() ? "" : ", ") + std::string(fall.before ? "before " : "after ") + fall.writer.operation + " > " +
           fall.reader.operation;
  return out;
}

// The data, then the marker; who comes again looks at the marker first.
Story well_ordered() {
  Story story;
  story.by(kDying, "GET", "/marker", 404);
  story.by(kDying, "PUT", "/data", 201);
  story.by(kDying, "PUT", "/marker", 201);
  return story;
}
Story dead_at_the_end() {
  Story story;
  story.by(kDying, "GET", "/marker", 404);
  story.by(kDying, "PUT", "/data", 201);
  story.dies("PUT", "/marker", 201);
  story.by(kSuccessor, "GET", "/marker", 200, "yes");
  story.by(kSuccessor, "GET", "/data", 200, "all");
  return story;
}

TEST(Death, tells_the_dead_its_successors_and_who_cleans_up) {
  auto reference = well_ordered();
  reference.by(kTester, "GET", "/data", 200);
  auto run = dead_at_the_end();
  run.by(kTester, "GET", "/data", 200);
  run.by(kTester, "DELETE", "/stale", 204);
  auto death = death_in(reference.run, run.run);
  ASSERT_TRUE(death.at);
  EXPECT_EQ(death.at->operation, "PUT /marker");
  EXPECT_EQ(death.before.size(), 2u) << "what was carried out: the data and the marker";
  EXPECT_EQ(death.successors.size(), 2u);
  EXPECT_EQ(death.recovery.size(), 3u) << "what main reads as it always does is no recovery";
}

TEST(Death, has_no_successor_where_another_stage_begins_as_it_always_does) {
  Story reference, run;
  reference.by(kDying, "PUT", "/a", 201);
  reference.by(kSuccessor, "GET", "/b", 200);
  run.dies("PUT", "/a", 0);
  run.by(kSuccessor, "GET", "/b", 200);
  auto death = death_in(reference.run, run.run);
  EXPECT_TRUE(death.successors.empty());
  EXPECT_TRUE(death.recovery.empty());
}

TEST(Moments, are_the_last_effect_and_the_first_of_each_process_but_of_those_that_tests_run_in) {
  auto story = well_ordered();
  story.by(kTester, "PUT", "/own", 201);
  story.by(kSuccessor, "GET", "/data", 200);
  story.run.stages.push_back({"t", trace::Phase::test, kTester, true});
  auto all = moments(story.run);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].exchange, 3u);
  EXPECT_FALSE(all[0].before);
  EXPECT_EQ(all[1].exchange, 2u);
  EXPECT_TRUE(all[1].before);
  EXPECT_EQ(all[1].pid, kDying);
}

TEST(Waits, that_a_death_left_without_an_end_are_of_its_write_and_of_who_asked_last) {
  auto reference = well_ordered();
  Story run;
  run.by(kDying, "GET", "/marker", 404);
  run.dies("PUT", "/data", 0);
  for (int i = 0; i < 3; i++) run.by(kSuccessor, "GET", "/marker", 404);
  EXPECT_FALSE(left_waiting(reference.run, run.run)) << "it ended by itself";
  run.run.stop = trace::Stop::deadline;
  auto fall = left_waiting(reference.run, run.run);
  ASSERT_TRUE(fall);
  EXPECT_EQ(fall->kind, MayFall::Kind::wait);
  EXPECT_EQ(fall->resource, "/data");
  EXPECT_EQ(fall->reader.target, "/marker");
  EXPECT_TRUE(fall->before && fall->own_process);
  run.run.stop = trace::Stop::signalled;
  EXPECT_FALSE(left_waiting(reference.run, run.run)) << "the command itself";
  Story done = dead_at_the_end();
  done.run.stop = trace::Stop::hung;
  EXPECT_FALSE(left_waiting(reference.run, done.run)) << "that write was carried out";
}

TEST(Falls, are_what_the_recovery_reads_first_of_what_the_dead_wrote) {
  EXPECT_EQ(pairs(well_ordered(), {dead_at_the_end()}), "before PUT /marker > GET /marker");
}

TEST(Falls, of_data_behind_its_marker_are_both) {
  Story reference, run;
  for (auto* story : {&reference, &run}) {
    story->by(kDying, "GET", "/marker", 404);
    story->by(kDying, "PUT", "/marker", 201);
  }
  reference.by(kDying, "PUT", "/data", 201);
  run.dies("PUT", "/data", 201);
  run.by(kSuccessor, "GET", "/marker", 200, "yes");
  run.by(kSuccessor, "GET", "/data", 200, "all");
  EXPECT_EQ(pairs(reference, {run}), "before PUT /marker > GET /marker, before PUT /data > GET /data");
}

TEST(Falls, come_after_a_write_that_the_dead_had_not_come_to) {
  Story run;
  run.by(kDying, "GET", "/marker", 404);
  run.dies("PUT", "/data", 0);
  run.by(kSuccessor, "GET", "/marker", 404);
  run.by(kSuccessor, "PUT", "/data", 201);
  run.by(kSuccessor, "PUT", "/marker", 201);
  EXPECT_EQ(pairs(well_ordered(), {run}), "after PUT /marker > GET /marker");
}

// A message is taken, a key is put down for it, and then it is worked on. Who comes again once all is done takes none
// and asks for no key: what was taken last was not taken yet by who dies at the key.
TEST(Falls, are_not_cleared_by_a_look_at_what_the_dead_had_not_come_to) {
  auto all = [](Story& story, int by) {
    story.by(by, "POST", "/orders/receive", 200, "m1");
    story.by(by, "PUT", "/keys/m1", 201).request_headers.push_back({"If-None-Match", "*"});
    story.by(by, "PUT", "/shipments/m1", 201);
  };
  Story reference, at_the_end, before_all;
  all(reference, kDying);
  reference.by(kDying, "POST", "/orders/receive", 204);
  all(at_the_end, kDying);
  at_the_end.dies("POST", "/orders/receive", 204);
  at_the_end.by(kSuccessor, "POST", "/orders/receive", 204);
  before_all.dies("POST", "/orders/receive", 0);
  all(before_all, kSuccessor);
  before_all.by(kSuccessor, "POST", "/orders/receive", 204);
  auto found = pairs(reference, {at_the_end, before_all});
  EXPECT_TRUE(found.contains("after PUT /keys/m1 > PUT /keys/m1")) << found;
}

TEST(Falls, are_none_of_what_is_written_anew_before_it_is_read) {
  Story reference, run;
  for (auto* story : {&reference, &run}) story->by(kDying, "PUT", "/state", 200);
  reference.by(kDying, "PUT", "/end", 200);
  run.dies("PUT", "/end", 200);
  run.by(kSuccessor, "PUT", "/state", 200);
  run.by(kSuccessor, "GET", "/state", 200);
  run.by(kSuccessor, "PUT", "/end", 200);
  EXPECT_EQ(pairs(reference, {run}), "");
}

TEST(Falls, are_none_of_what_changes_nothing_that_follows) {
  Story reference, run;
  for (auto* story : {&reference, &run}) {
    story->by(kDying, "GET", "/count", 200, "1");
    story->by(kDying, "PUT", "/count", 200);
  }
  reference.by(kDying, "PUT", "/end", 200);
  run.dies("PUT", "/end", 200);
  run.by(kSuccessor, "GET", "/count", 200, "2");
  run.by(kSuccessor, "PUT", "/count", 200);
  run.by(kSuccessor, "PUT", "/end", 200);
  EXPECT_EQ(pairs(reference, {run}), "");
  run.by(kSuccessor, "PUT", "/other", 200);
  EXPECT_EQ(pairs(reference, {run}), "before PUT /count > GET /count") << "another answer was followed by less";
}

TEST(Falls, are_of_locks_and_conditional_writes_too) {
  Story reference, run;
  for (auto* story : {&reference, &run}) story->by(kDying, "POST", "/locks/a/acquire", 200);
  reference.by(kDying, "POST", "/locks/a/release", 200);
  run.dies("POST", "/locks/a/release", 200);
  run.by(kSuccessor, "POST", "/locks/a/acquire", 200);
  EXPECT_EQ(
      pairs(reference, {run}),
      "before POST /locks/a/acquire > POST /locks/a/acquire, before POST /locks/a/release > POST /locks/a/acquire");
}

TEST(Falls, of_many_writes_at_one_place_are_the_first_and_the_last) {
  Story reference, run;
  for (int part = 1; part <= 5; part++) {
    for (auto* story : {&reference, &run}) {
      auto target = "/parts/" + std::to_string(part);
      if (story == &run && part == 5)
        story->dies("PUT", target, 201);
      else
        story->by(kDying, "PUT", target, 201);
      story->run.exchanges.back().operation = "PUT /parts/{id}";
    }
  }
  run.by(kSuccessor, "GET", "/parts", 200, "1 2 3 4 5");
  std::vector<Borne> runs{&run.run};
  auto falls = falls_of(reference.run, runs);
  ASSERT_EQ(falls.size(), 2u);
  EXPECT_EQ(falls[0].writer.target, "/parts/1");
  EXPECT_EQ(falls[1].writer.target, "/parts/5");
}

TEST(Waits, are_ended_by_a_write_of_another_process_between_two_of_the_same_question) {
  Story story;
  story.by(kTester, "GET", "/grants/1", 404);
  story.by(kTester, "GET", "/grants/1", 404);
  story.by(kDying, "PUT", "/grants/1", 201);
  story.by(kTester, "GET", "/grants/1", 200, "go");
  auto waits = waits_of(story.run);
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_EQ(waits[0].writer.operation, "PUT /grants/1");
  EXPECT_TRUE(waits[0].own_process);
  EXPECT_EQ(waits[0].why, "3 requests waited for it, and process 8 wrote it");
}

TEST(Waits, are_none_where_the_answer_was_there_already_or_nobody_asked_before) {
  Story story;
  story.by(kDying, "PUT", "/grants/1", 201);
  story.by(kTester, "GET", "/grants/1", 200, "go");
  story.by(kTester, "GET", "/grants/1", 200, "go");
  EXPECT_TRUE(waits_of(story.run).empty());
}

TEST(Waits, on_a_process_that_tests_run_in_are_lost_messages) {
  Story story;
  story.run.stages.push_back({"t", trace::Phase::test, kDying, true});
  story.by(kTester, "GET", "/grants/1", 404);
  story.by(kDying, "PUT", "/grants/1", 201);
  story.by(kTester, "GET", "/grants/1", 200, "go");
  auto waits = waits_of(story.run);
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_FALSE(waits[0].own_process);
}

// 60,000 requests of one process and its successor: linear, or this does not end.
TEST(Falls, of_a_long_trace_are_found_in_one_pass) {
  Story reference, run;
  constexpr int kParts = 20'000;
  for (int part = 0; part < kParts; part++)
    for (auto* story : {&reference, &run}) {
      auto& e = story->by(kDying, "PUT", "/parts/" + std::to_string(part), 201);
      e.operation = "PUT /parts/{id}";
    }
  run.dies("PUT", "/end", 201);
  for (int part = 0; part < kParts; part++)
    run.by(kSuccessor, "GET", "/parts/" + std::to_string(part), 200).operation = "GET /parts/{id}";
  std::vector<Borne> runs{&run.run};
  EXPECT_EQ(falls_of(reference.run, runs).size(), 2u);
}

}  // namespace
}  // namespace retrial::predict
