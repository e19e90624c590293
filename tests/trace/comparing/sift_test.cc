#include "trace/comparing/sift.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "trace/fault_name.h"

namespace retrial::trace {
namespace {

Exchange exchange(std::uint64_t id, std::uint64_t call, int attempt, int status, std::string operation = "GET /x") {
  Exchange e{.id = id, .service = "s:1", .operation = std::move(operation), .call = call, .attempt = attempt};
  e.ending = Ending::answered;
  e.service_status = e.client_status = status;
  e.told = static_cast<Nanos>(id);
  return e;
}
Exchange faulted(Exchange e) {
  e.fired = true;
  e.fault = {.name = FaultName::error, .status = 503};
  e.client_status = 503;
  return e;
}
trace::Run given(Sift& sift) {
  trace::Run run{.id = 1};
  sift.give(run);
  return run;
}
std::size_t count(const trace::Run& run, auto what) {
  return static_cast<std::size_t>(std::ranges::count_if(run.exchanges, what));
}

TEST(Sift, a_short_run_is_kept_whole_and_by_id) {
  Sift sift;
  for (std::uint64_t id = Sift::kWhole; id >= 1; id--) sift.take(1, exchange(id, id, 1, 200));
  auto run = given(sift);
  ASSERT_EQ(run.exchanges.size(), Sift::kWhole);
  EXPECT_EQ(run.exchanges.front().id, 1u);
  EXPECT_TRUE(sift.left_out(1).empty());
}

TEST(Sift, of_a_long_run_the_first_calls_of_each_kind_are_kept_and_the_rest_counted) {
  Sift sift;
  std::uint64_t id = 0;
  for (std::uint64_t call = 1; call <= 20'000; call++) {
    if (call % 100 == 0) {  // one in a hundred meets a fault, and is sent again
      sift.take(1, faulted(exchange(++id, call, 1, 0)));
      sift.take(1, exchange(++id, call, 2, 200));
    } else {
      sift.take(1, exchange(++id, call, 1, 200, call % 2 ? "GET /odd" : "GET /even"));
    }
  }
  auto run = given(sift);
  EXPECT_EQ(sift.exchanges(1), 20'200u);
  EXPECT_EQ(count(run, [](auto& e) { return e.fired; }), 200u) << "fewer than there may be: all";
  EXPECT_EQ(count(run, [](auto& e) { return e.attempt == 2; }), 200u) << "with all of their attempts";
  EXPECT_EQ(run.exchanges.size(), 400 + 2 * Sift::kAlike);
  auto left = sift.left_out(1);
  ASSERT_EQ(left.size(), 2u);
  EXPECT_EQ(left[0].kind.operation, "GET /even");
  EXPECT_EQ(left[0].seen, 9'800u);
  EXPECT_EQ(left[0].kept, Sift::kAlike);
}

TEST(Sift, where_every_call_meets_a_fault_calls_are_kept_whole_or_not_at_all) {
  Sift sift;
  std::uint64_t id = 0;
  for (std::uint64_t call = 1; call <= 20'000; call++)
    for (int attempt = 1; attempt <= 4; attempt++) sift.take(1, faulted(exchange(++id, call, attempt, 0)));
  auto run = given(sift);
  EXPECT_EQ(run.exchanges.size(), 4 * Sift::kAlike);
  for (auto& e : run.exchanges) EXPECT_LE(e.call, Sift::kAlike);
  ASSERT_EQ(sift.left_out(1).size(), 1u);
  EXPECT_EQ(sift.left_out(1)[0].seen, 20'000u);
  EXPECT_EQ(sift.left_out(1)[0].kind.fault, "error(503)");
}

TEST(Sift, a_call_that_never_ends_is_kept_as_far_as_it_shows_that) {
  Sift sift;
  for (std::uint64_t id = 1; id <= 30'000; id++) sift.take(1, faulted(exchange(id, 1, static_cast<int>(id), 0)));
  EXPECT_EQ(given(sift).exchanges.size(), Sift::kAttempts);
}

TEST(Sift, of_calls_that_are_left_out_not_all_are_remembered) {
  Sift sift;
  for (std::uint64_t id = 1; id <= 3 * Sift::kKnown; id++) sift.take(1, faulted(exchange(id, id, 1, 0)));
  EXPECT_LE(sift.remembered(1), Sift::kKnown);
  EXPECT_EQ(sift.left_out(1)[0].seen, 3 * Sift::kKnown);
  EXPECT_EQ(given(sift).exchanges.size(), Sift::kAlike);
}

TEST(Sift, a_copy_that_ends_before_the_first_attempt_keeps_the_call_whole) {
  Sift sift;
  std::uint64_t id = 0;
  for (std::uint64_t call = 1; call <= Sift::kWhole; call++) sift.take(1, exchange(++id, call, 1, 200));
  sift.take(1, exchange(id + 2, 9'000, 2, 200, "hedged"));
  sift.take(1, exchange(id + 1, 9'000, 1, 200, "hedged"));
  auto run = given(sift);
  EXPECT_EQ(count(run, [](auto& e) { return e.call == 9'000; }), 2u);
}

TEST(Sift, a_call_whose_beginning_was_left_out_is_left_out) {
  Sift sift;
  std::uint64_t id = 0;
  for (std::uint64_t call = 1; call <= 2 * Sift::kWhole; call++) sift.take(1, exchange(++id, call, 1, 200));
  sift.take(1, exchange(++id, 2 * Sift::kWhole, 2, 200));
  auto run = given(sift);
  EXPECT_EQ(count(run, [](auto& e) { return e.attempt == 2; }), 0u);
}

TEST(Sift, no_number_of_kinds_or_runs_fills_the_memory) {
  Sift sift;
  std::uint64_t id = 0;
  for (std::uint64_t call = 1; call <= 60'000; call++) {
    auto operation = "GET /" + std::to_string(call);
    sift.take(1, call % 2 ? exchange(++id, call, 1, 200, operation) : faulted(exchange(++id, call, 1, 0, operation)));
  }
  for (std::uint64_t run = 2; run <= 50; run++)
    for (std::uint64_t n = 1; n <= 4'000; n++) sift.take(run, exchange(n, n, 1, 200));
  std::vector<trace::Run> runs(50);
  for (std::uint64_t n = 0; n < 50; n++) {
    runs[n].id = n + 1;
    sift.give(runs[n]);
  }
  EXPECT_LE(runs[0].exchanges.size(), Sift::kCalls);
  EXPECT_GE(count(runs[0], [](auto& e) { return e.fired; }), Sift::kKinds / 2);
  EXPECT_EQ(runs[1].exchanges.size(), 4'000u);
  EXPECT_EQ(runs[49].exchanges.size(), Sift::kAlike) << "there is no room for another whole one";
}

}  // namespace
}  // namespace retrial::trace
