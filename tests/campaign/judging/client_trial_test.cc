#include "campaign/judging/client_trial.h"

#include <gtest/gtest.h>

#include "trace/fault_name.h"

namespace retrial::campaign {
namespace {

// A job is asked for once a second; of the looks of a run with the fault the first is answered 503.
trace::Run looks(std::uint64_t id, int times, bool fault) {
  trace::Run run{.id = id, .kind = fault ? trace::RunKind::with_fault : trace::RunKind::reference};
  for (int n = 1; n <= times; n++) {
    auto number = static_cast<std::uint64_t>(n);
    trace::Exchange e{.id = number, .connection = number, .fresh = true, .pid = 7, .service = "127.0.0.1:8000"};
    e.host = e.service;
    e.method = "GET";
    e.target = "/jobs/1";
    e.operation = "GET /jobs/{id}";
    e.profile = "generic";
    e.tag.site = trace::CallSite{"wait.py", 5, "wait"};
    e.call = e.id;
    e.attempt = 1;
    e.confidence = trace::Confidence::certain;
    e.begun = e.request_read = n * kSecond;
    e.told = e.begun + kMillisecond;
    e.ending = trace::Ending::answered;
    e.fired = fault && n == 1;
    if (e.fired) {
      e.fault = {.name = trace::FaultName::error, .status = 503};
      e.fired_at = e.told;
    }
    e.client_status = e.fired ? 503 : 200;
    e.service_status = e.fired ? 0 : 200;
    run.exchanges.push_back(std::move(e));
  }
  run.ended = (times + 1) * kSecond;
  return run;
}

trace::CampaignRecord judged(const trace::Run& run, const trace::Run* reference) {
  trace::CampaignRecord record;
  ClientCase c{.row = {.id = "c1", .policy = std::string(trace::kObserved), .plan = "error(503) x 1, then pass"},
               .reference = reference,
               .runs = {&run}};
  judge_client({&c, 1}, {}, record);
  return record;
}

// `observe` has no reference, `judge` may have one.
TEST(ClientTrial, of_a_poll_what_follows_the_fault_is_not_judged_with_a_reference_or_without) {
  auto run = looks(1, 4, true), reference = looks(2, 3, false);
  for (auto* beside : {&reference, static_cast<trace::Run*>(nullptr)}) {
    auto record = judged(run, beside);
    ASSERT_EQ(record.not_judged.size(), 1u);
    EXPECT_EQ(record.not_judged[0].why,
              "this request is sent again after a success, as a poll does: what follows the fault may be a retry or "
              "the next look");
    EXPECT_EQ(record.not_judged[0].operation, "GET /jobs/{id}");
    EXPECT_TRUE(record.clean.empty());
    EXPECT_TRUE(record.findings.empty());
    for (auto& note : record.notes) EXPECT_NE(note.operation, "GET /jobs/{id}") << note.verdict;
  }
}

TEST(ClientTrial, a_poll_that_sends_no_more_than_without_the_fault_is_clean) {
  auto run = looks(1, 3, true), reference = looks(2, 3, false);
  auto record = judged(run, &reference);
  EXPECT_TRUE(record.not_judged.empty());
  EXPECT_EQ(record.clean.size(), 1u);
}

TEST(ClientTrial, says_what_the_command_never_came_to) {
  auto run = looks(1, 1, true), reference = looks(2, 1, false);
  auto later = reference.exchanges.back();
  later.id = later.call = 9;
  later.operation = "PUT /checkpoints/{id}";
  reference.exchanges.push_back(later);
  auto said = [&] {
    auto remarks = judged(run, &reference).remarks;
    return remarks.empty() ? std::string() : remarks.back();
  };
  EXPECT_TRUE(said().contains("the command never came to PUT /checkpoints/{id}, so nothing is known of that"))
      << said();
  reference.exchanges.back().tag.site = trace::CallSite{"retrial", 1, "retrial"};
  EXPECT_EQ(said(), "") << "that is a look of ours";
  reference.exchanges.back().tag.site = later.tag.site;
  run.exchanges.push_back(later);
  EXPECT_EQ(said(), "");
}

}  // namespace
}  // namespace retrial::campaign
