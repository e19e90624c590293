#include "trace/calls/polls.h"

#include <gtest/gtest.h>

#include "tests/trace/traffic.h"

namespace retrial::trace {
namespace {

constexpr std::string_view kGet = "GET /orders/7 HTTP/1.1\r\nHost: h\r\n\r\n";

TEST(Polls, have_retries_by_ids_only) {
  Traffic reference;
  Traffic::From polling{.site = "app/wait.py:5:poll"};
  for (int i = 0; i < 2; i++) {
    auto e = reference.begin(kGet, polling);
    reference.serve(e, 200);
  }
  auto polls = lessons_of(reference.run);
  ASSERT_EQ(polls.polls.size(), 1u);

  Traffic t(polls);
  auto failed = t.begin(kGet, polling);
  t.inject(failed, 503);
  auto next = t.begin(kGet, polling);
  EXPECT_EQ(next.attempt, 1);
  EXPECT_EQ(next.confidence, Confidence::possible) << "it may be a retry all the same";
  EXPECT_EQ(t.nth, 2) << "of a plan that lets the third look pass";
  t.inject(next, 503);
  auto third = t.begin(kGet, polling);
  EXPECT_EQ(t.nth, 3);
  t.serve(third, 200);
  auto anew = t.begin(kGet, polling);
  EXPECT_EQ(t.nth, 1);
  t.inject(anew, 503);
  (void)t.begin(kGet, polling);
  EXPECT_EQ(t.nth, 2);
  auto elsewhere = t.begin(kGet);
  t.inject(elsewhere, 503);
  EXPECT_ATTEMPT((t.begin(kGet)), elsewhere, 2, likely);
  polling.call_id = "100-1";
  auto first = t.begin(kGet, polling);
  t.inject(first, 503);
  EXPECT_ATTEMPT((t.begin(kGet, polling)), first, 2, certain);
}

TEST(Polls, are_what_is_read_first_of_a_service_that_refused_connections_before) {
  for (auto [method, refused, connection] :
       {std::tuple("GET", true, 1u), {"GET", false, 1u}, {"POST", true, 1u}, {"GET", true, 2u}}) {
    auto head = std::string(method) + std::string(kGet.substr(3));
    Traffic reference;
    auto first = reference.begin(head, {.connection = connection});
    reference.serve(first, 200);
    if (refused) reference.run.capture.not_seen = {reference.run.exchanges[0].service + " (Connection refused)"};
    Traffic t(lessons_of(reference.run));
    for (int i = 0; i < 3; i++) {
      auto e = t.begin(head);
      t.inject(e, 503);
      t.pass(kSecond);
    }
    EXPECT_EQ(t.run.exchanges[2].attempt, refused && method == std::string("GET") && connection == 1 ? 1 : 3)
        << method << refused << connection << ": by the second, after one that has asked for nothing";
  }
}

TEST(Polls, that_hurry_after_a_failure_retry) {
  Traffic reference;
  for (int i = 0; i < 4; i++) {
    auto e = reference.begin(kGet);
    reference.serve(e, 200);
    reference.pass(2 * kSecond);
  }
  auto lessons = lessons_of(reference.run);
  for (auto pause : {kMillisecond, 2 * kSecond}) {
    Traffic t(lessons);
    for (int i = 0; i < 5; i++) {
      auto e = t.begin(kGet);
      t.inject(e, 503);
      t.pass(pause);
    }
    Correlator::correlate_again(t.run.exchanges, lessons);
    EXPECT_EQ(t.run.exchanges[4].attempt, pause < kSecond ? 5 : 1);
    EXPECT_EQ(t.run.exchanges[4].confidence, pause < kSecond ? Confidence::likely : Confidence::possible);
  }
}

TEST(Polls, a_write_that_is_made_twice_is_none_and_one_that_goes_on_is) {
  Traffic t;
  auto write = [&] {
    auto e = t.begin("POST /payments HTTP/1.1\r\n\r\n");
    t.serve(e, 201);
  };
  write();
  write();
  EXPECT_TRUE(lessons_of(t.run).polls.empty());
  write();
  EXPECT_EQ(lessons_of(t.run).polls.size(), 1u);
}

TEST(Polls, what_two_statements_of_a_test_ask_is_none) {
  auto polls = [](std::uint64_t second) {
    Traffic traffic;
    for (auto statement : {std::uint64_t{0xa}, second}) {
      auto e =
          traffic.begin("GET /profile HTTP/1.1\r\nHost: h\r\n\r\n", {.site = "client.go:9:Do", .statement = statement});
      traffic.serve(e, 200);
    }
    return lessons_of(traffic.run).polls.size();
  };
  EXPECT_EQ(polls(0xa), 1u);
  EXPECT_EQ(polls(0xb), 0u);
}

TEST(Polls, who_asks_at_once_for_what_is_never_there_does_not_poll) {
  for (auto pause : {kMillisecond, 50 * kMillisecond}) {
    Traffic t;
    for (int i = 0; i < 3; i++) {
      auto e = t.begin(kGet);
      t.serve(e, 404);
      t.pass(pause);
    }
    EXPECT_EQ(lessons_of(t.run).polls.size(), pause == kMillisecond ? 0u : 1u);
  }
}

TEST(Polls, who_sends_a_write_again_that_was_refused_does_not_poll_unless_he_takes_his_time) {
  constexpr std::string_view kPost = "POST /jobs HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}";
  auto polls = [&](Nanos pause, int status) {
    Traffic reference;
    for (int i = 0; i < 5; i++) {
      auto e = reference.begin(kPost);
      reference.serve(e, status);
      reference.pass(pause);
    }
    return lessons_of(reference.run).polls.size();
  };
  EXPECT_EQ(polls(100 * kMillisecond, 422), 0u);
  EXPECT_EQ(polls(5 * kSecond, 400), 1u) << "OAuth's device flow";
  EXPECT_EQ(polls(100 * kMillisecond, 200), 1u);
}

TEST(Polls, a_repeat_with_other_requests_between_or_after_a_failure_is_none) {
  Traffic t;
  for (auto raw : {kGet, std::string_view("PUT /orders/7 HTTP/1.1\r\n\r\n"), kGet}) {
    auto e = t.begin(raw);
    t.serve(e, 200);
  }
  auto failed = t.begin("GET /late HTTP/1.1\r\n\r\n");
  t.serve(failed, 503);
  auto again = t.begin("GET /late HTTP/1.1\r\n\r\n");
  t.serve(again, 200);
  EXPECT_TRUE(lessons_of(t.run).polls.empty());
}

}  // namespace
}  // namespace retrial::trace
