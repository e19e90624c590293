// Attempts that are turns of a loop over things become calls of their own.
#include "campaign/workload/turns.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/crc.hpp>
#include <filesystem>
#include <fstream>
#include <utility>

#include "tests/support/folder.h"

namespace retrial::campaign {
namespace {

constexpr const char* kPrices = R"(def convert(prices):
    out = []
    for price in prices:
        try:
            out.append(price * rate("EUR"))
        except RateError:
            out.append(None)
    return out

def rate(currency):
    for pause in (1, 2, 4):
        try:
            return get(currency)
        except OSError:
            sleep(pause)
)";

// A stack as agents send it (docs/agents.md).
std::string marks(const std::vector<std::pair<int, std::string>>& runs) {
  std::string stack;
  for (auto& [run, frame] : runs) {
    boost::crc_32_type crc;
    crc.process_bytes(frame.data(), frame.size());
    stack += fmt::format("{}{}:{:x}", stack.empty() ? "" : ",", run, crc.checksum());
  }
  return stack;
}

// Three exchanges of one call whose attempts come from that frame: the chain's only one that they share.
trace::Run sent_thrice(int line, const char* function) {
  trace::Run run;
  for (std::uint64_t i = 1; i <= 3; i++) {
    auto& e = run.exchanges.emplace_back();
    e.id = i;
    e.call = 1;
    e.attempt = static_cast<int>(i);
    e.pid = 100;
    e.begun = static_cast<Nanos>(i) * kSecond;
    e.told = e.begun + kMillisecond;
    e.tag.site = trace::CallSite{"prices.py", line, function};
  }
  return run;
}

class InAProject : public ::testing::Test {
 protected:
  InAProject() : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(folder_.path());
    std::ofstream("prices.py") << kPrices;
  }
  ~InAProject() override { std::filesystem::current_path(before_); }
  std::filesystem::path before_;
  test::Folder folder_;
  Turns turns_;
};

TEST_F(InAProject, turns_of_a_loop_over_things_are_calls_of_their_own) {
  auto run = sent_thrice(5, "convert");
  turns_.part(run);
  auto calls = trace::calls_of(run);
  ASSERT_EQ(calls.size(), 3U);
  for (auto& call : calls) EXPECT_EQ(call.attempts.size(), 1U);
}

// rate() was called twice by the loop, and asked twice each time: of both calls the loop's function is all that is
// shared, of each its own run of rate().
TEST_F(InAProject, attempts_of_one_turn_stay_together) {
  auto run = sent_thrice(13, "rate");
  auto& fourth = run.exchanges.emplace_back(run.exchanges.back());
  fourth.id = 4, fourth.attempt = 4;
  for (auto& e : run.exchanges) {
    auto inner = e.id <= 2 ? 11 : 12;
    e.begun = static_cast<Nanos>(e.id) * kSecond;
    e.told = e.begun + kMillisecond;
    e.tag.site->callers = "prices.py:5:convert";
    e.tag.stack = marks({{10, "prices.py:5:convert"}, {inner, "prices.py:13:rate"}});
  }
  turns_.part(run);
  auto calls = trace::calls_of(run);
  ASSERT_EQ(calls.size(), 2U);
  for (auto& call : calls) EXPECT_EQ(call.attempts.size(), 2U);
}

// for (const parcel of parcels) await pRetry(() => order(parcel)): what the library calls stands in the loop.
TEST_F(InAProject, what_an_id_names_is_one_call_wherever_it_is_sent_from) {
  for (auto confidence : {trace::Confidence::certain, trace::Confidence::likely}) {
    auto run = sent_thrice(5, "convert");
    for (auto& e : run.exchanges) e.confidence = confidence;
    turns_.part(run);
    EXPECT_EQ(trace::calls_of(run).size(), confidence == trace::Confidence::certain ? 1U : 3U);
  }
}

TEST_F(InAProject, attempts_of_a_loop_that_tries_again_stay_attempts) {
  auto run = sent_thrice(13, "rate");
  turns_.part(run);
  EXPECT_EQ(trace::calls_of(run).size(), 1U);
}

TEST_F(InAProject, where_the_source_is_not_at_hand_nothing_is_parted) {
  std::filesystem::remove("prices.py");
  auto run = sent_thrice(5, "convert");
  turns_.part(run);
  EXPECT_EQ(trace::calls_of(run).size(), 1U);
}

}  // namespace
}  // namespace retrial::campaign
