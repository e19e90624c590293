// What schedules of waits may look like, and what they may not be taken for.
#include <gtest/gtest.h>

#include <random>

#include "tests/oracles/runs.h"

namespace retrial::oracles {
namespace {
using Schedule = std::vector<double>;  // gaps in ms
using trace::Telling;

Tale& get(Tale& tale) { return tale.call("load", "GET", "/things/lamp"); }
void wait(Tale& tale, double ms, bool moved) {
  auto time = static_cast<Nanos>(ms * 1e6);
  moved ? tale.moved_on(time).again(0) : tale.again(time);
}
void tell(Tale& tale, const Schedule& gaps, bool moved = false, int status = 503) {
  get(tale).gets_error(status);
  for (auto gap : gaps) {
    wait(tale, gap, moved);
    tale.gets_error(status);
  }
}
Trial trial(const std::vector<Schedule>& calls, bool moved = false) {
  Trial t("P3", "error(503)");
  get(t.reference).answers(200);
  for (std::size_t i = 0; i < calls.size(); i++) tell(i ? t.one_more() : t.in_case(), calls[i], moved);
  return t;
}

// Of a thousand SDKs with full jitter some look by chance as if they did not wait: how many, of those with two retries
// after these times at most, whose calls are seen so often?
int taken_for_none(double first, double second, std::size_t calls, bool moved) {
  std::mt19937 draw(6);
  auto up_to = [&](double ms) { return std::uniform_real_distribution<double>(0, ms)(draw); };
  int taken = 0;
  for (int client = 0; client < 1000; client++) {
    std::vector<Schedule> gaps;
    double load = moved ? 0 : 2;
    while (gaps.size() < calls) gaps.push_back({up_to(first) + load, up_to(second) + load});
    for (auto& f : trial(gaps, moved).judge().findings) taken += f.verdict == "missing-delay";
  }
  return taken;
}

TEST(FullJitter, near_zero_is_hardly_ever_taken_for_a_missing_delay) {
  EXPECT_LE(taken_for_none(50, 100, 6, false), 5);
  EXPECT_LE(taken_for_none(50, 100, 4, true), 2);
  EXPECT_LE(taken_for_none(50, 50, 4, true), 10);
  EXPECT_EQ(taken_for_none(0, 0, 6, true), 1000) << "these do not wait";
}

TEST(Jitter, of_half_to_one_and_a_half_times_ten_seconds_is_no_fixed_wait) {
  EXPECT_EQ(trial({{12'400, 5'300, 14'900}}).verdicts(), "");
  EXPECT_EQ(trial({{9'900, 10'300, 10'100}}, true).verdicts(), "") << "near one another by chance";
  EXPECT_EQ(trial({{9'900, 10'300, 10'100}, {6'100, 13'700, 11'200}}).verdicts(), "") << "a second look tells";
}

TEST(Backoff, that_is_short_is_no_fixed_wait_under_load_and_a_short_fixed_one_is) {
  for (auto& gaps : std::vector<Schedule>{{100, 120, 140}, {22, 43, 84}, {31, 88, 64}})
    EXPECT_EQ(trial({gaps}).verdicts(), "") << gaps[0];
  EXPECT_EQ(trial({{52, 55, 53, 110}, {52, 54, 53, 90}}).verdicts(), "no-backoff likely");
}

TEST(Faults, do_not_answer_for_one_another) {
  auto post = [](Tale& tale) -> Tale& { return tale.call("put", "POST", "/orders"); };
  Trial t("P3", "error(503)");
  post(t.reference).answers(201);
  post(t.in_case()).gets_error();
  post(t.one_more()).is_reset();
  t.in_case().again(kSecond).answers(201).passes();
  EXPECT_EQ(t.verdicts(), "retries-non-idempotent likely") << "on a reset, and not on 503";

  Trial other("P3", "error(503)");
  post(other.reference).answers(201);
  post(other.in_case()).is_reset();
  post(other.one_more()).gets_error();
  other.in_case().again(kSecond).answers(201).passes();
  EXPECT_EQ(other.verdicts(), "") << "on 503, and not on a reset";
}

TEST(Faults, have_a_schedule_each) {
  auto t = trial({{500, 1000, 2000, 4000}});
  get(t.one_more()).is_reset();
  for (int i = 0; i < 5; i++) t.in_case().again(kSecond).is_reset();
  EXPECT_EQ(t.verdicts(), "no-backoff likely") << "it backs off on 503 alone";
}

TEST(Hosts, that_are_tried_in_turn_are_one_service_to_a_call_and_several_to_a_delay) {
  Trial t("P1", "reset(after-request)");
  t.reference.call("put", "POST", "/orders").answers(201);
  t.in_case().call("put", "POST", "/orders").is_reset();
  t.in_case().again(kMillisecond).answers(201).passes();
  t.in_case().last().host = "127.0.0.1:9001";
  EXPECT_EQ(t.verdicts(), "retries-non-idempotent likely");

  auto in_turn = [](const Schedule& gaps) {
    auto delays = trial({gaps});
    int n = 0;
    for (auto& e : delays.in_case().run().exchanges) e.service = n++ % 2 ? "127.0.0.1:9000" : "[::1]:9000";
    return delays.verdicts();
  };
  EXPECT_EQ(in_turn({0.2, 1000, 0.2, 2000, 0.2, 4000, 0.2}), "") << "each address is left alone for longer each time";
  EXPECT_EQ(in_turn({0.2, 1000, 0.2, 1000, 0.2, 1000, 0.2}), "no-backoff likely");
  EXPECT_EQ(in_turn(Schedule(8, 0.2)), "missing-delay likely");
}

// A service in which writes are protected by a precondition: five call sites, of which one has none.
TEST(Preconditions, change_what_is_retried_and_sites_with_and_without_are_not_compared) {
  Trial t("P3", "error(503)");
  for (auto site : {"a", "b", "c", "d", "e"}) {
    bool guarded = std::string_view(site) != "e";
    auto target = std::string("/upload/storage/v1/b/shelf/o?name=lamp") + (guarded ? "&ifGenerationMatch=0" : "");
    t.reference.call(site, "POST", target, {}, "google-storage").answers(200);
    t.in_case().call(site, "POST", target, {}, "google-storage").gets_error();
    if (guarded) t.in_case().again(kSecond).answers(200);
  }
  EXPECT_EQ(t.verdicts(), "");
  t.in_case().call("f", "POST", "/upload/storage/v1/b/shelf/o?name=lamp&ifGenerationMatch=0", {}, "google-storage");
  t.in_case().gets_error();
  EXPECT_EQ(t.verdicts(), "inconsistent-retry possible") << "this one might have";
}

TEST(StreamedBodies, cannot_be_sent_again_and_are_not_compared_with_those_that_can) {
  auto put = [](Tale& tale, const char* site, bool streamed) -> Tale& {
    return tale.call(site, "PUT", "/things/lamp",
                     {streamed ? trace::Header{"Transfer-Encoding", "chunked"} : trace::Header{"Content-Length", "5"}});
  };
  Trial t("P3", "error(503)");
  for (auto site : {"a", "b", "c", "d", "e"}) put(t.reference, site, false).answers(200);
  for (auto site : {"a", "b", "c", "d"}) put(t.in_case(), site, false).gets_error().again(kSecond).answers(200);
  put(t.in_case(), "e", true).gets_error();
  EXPECT_EQ(t.verdicts(), "");
  put(t.in_case(), "f", false).gets_error();
  EXPECT_EQ(t.verdicts(), "inconsistent-retry possible");
}

// AWS: after about 35 retries a call has one attempt.
TEST(Budgets, of_a_whole_client_are_not_taken_for_calls_that_are_not_retried) {
  Trial t("P3", "error(503)");
  get(t.reference).answers(200);
  get(t.in_case()).gets_error().again(100 * kMillisecond).gets_error().again(200 * kMillisecond).gets_error();
  get(t.in_case()).gets_error();
  auto notes = t.judge().notes;
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].verdict, "retry-budget");

  Trial never("P3", "error(503)");
  get(never.reference).answers(200);
  get(never.in_case()).gets_error();
  never.in_case().call("save", "PUT", "/things/lamp").gets_error().again(kSecond).gets_error();
  ASSERT_EQ(never.judge().notes.size(), 1u);
  EXPECT_EQ(never.judge().notes[0].verdict, "not-retried-transient") << "another operation says nothing of it";
}

TEST(Vendors, are_known_by_headers_and_shapes_and_never_by_their_clients_names) {
  auto read = [](std::string agent) {
    Trial t("P3", "error(503)");
    std::vector<trace::Header> headers{{"x-ms-version", "2025-11-05"}, {"x-ms-date", "x"}, {"User-Agent", agent}};
    t.reference.call("send", "POST", "/acct/jobs/messages", headers, "").answers(201);
    t.in_case().call("send", "POST", "/acct/jobs/messages", headers, "").is_reset();
    for (int i = 0; i < 5; i++) t.in_case().again(kSecond).is_reset();
    return std::string(trace::profile_of(t.in_case().last()).name()) + " " + t.in_case().last().operation + ": " +
           t.verdicts();
  };
  auto one = read("azsdk-js-azure-storage-queue/12.29.0 Node/20");
  EXPECT_EQ(one, "azure-storage POST /{account}/{queue}/messages: retries-non-idempotent certain, no-backoff likely");
  for (auto agent : {"azsdk-python-storage-queue/12.9.0", "azsdk-go-azqueue/v1.0.0", "Boto3/1.44.5", "curl/8", ""})
    EXPECT_EQ(read(agent), one) << agent;
  Trial bare;
  bare.in_case().call("take", "GET", "/jobs/messages", {{"User-Agent", "azsdk-js-azure-storage-queue/12"}}, "");
  EXPECT_EQ(trace::profile_of(bare.in_case().last()).name(), "generic");
}

}  // namespace
}  // namespace retrial::oracles
