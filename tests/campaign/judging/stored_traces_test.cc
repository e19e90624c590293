#include "campaign/judging/stored_traces.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "tests/support/folder.h"
#include "trace/fault_name.h"
#include "trace/recording/segment.h"
#include "trace/store/store.h"

namespace retrial::campaign {
namespace {
namespace fs = std::filesystem;
using trace::Exchange;

// One request of a client that is answered 503 by a fault, or 200 by the service.
Exchange request(std::uint64_t id, Nanos at, bool fault) {
  Exchange e{.id = id, .connection = id, .fresh = true, .pid = 7, .service = "127.0.0.1:8000"};
  e.host = e.service;
  e.method = "GET";
  e.target = "/things/" + std::string(1, 'a');
  e.begun = e.request_read = at;
  if (fault) e.fault = {.name = trace::FaultName::error, .status = 503};
  return e;
}
void record(trace::SegmentWriter& writer, std::uint64_t run, Exchange e) {
  ASSERT_TRUE(writer.head(run, e));
  e.ending = trace::Ending::answered;
  e.told = e.begun + kMillisecond;
  e.client_status = 503;
  if (e.fault.name == trace::FaultName::none) {
    e.service_status = e.client_status = 200;
    e.answered = e.service_done = e.told;
  } else {
    e.fired = true;
    e.fired_at = e.told;
    e.evidence = "answered 503";
    ASSERT_TRUE(writer.fired(run, e));
  }
  ASSERT_TRUE(writer.over(run, e));
}
std::unique_ptr<trace::SegmentWriter> writer(const fs::path& folder) {
  auto opened = trace::SegmentWriter::open(folder, 1 << 16);
  EXPECT_TRUE(opened) << opened.error().line();
  return std::move(*opened);
}
// As `observe` leaves it: calls that are sent again 100 ms after a 503, `times` times.
trace::Run observed(std::uint64_t id, bool fault, int calls = 2) {
  trace::Run run{.id = id, .kind = fault ? trace::RunKind::with_fault : trace::RunKind::reference, .ended = kSecond};
  std::uint64_t n = 0;
  for (int call = 1; call <= calls; call++)
    for (int attempt = fault ? 1 : 2; attempt <= 2; attempt++) {
      n++;
      auto e = request(n, static_cast<Nanos>(n) * 100 * kMillisecond, attempt == 1);
      e.operation = "GET /things/a";
      e.profile = "generic";
      e.call = static_cast<std::uint64_t>(call);
      e.attempt = fault ? attempt : 1;
      e.confidence = trace::Confidence::certain;
      e.ending = trace::Ending::answered;
      e.told = e.begun + kMillisecond;
      e.fired = attempt == 1;
      e.client_status = attempt == 1 ? 503 : 200;
      e.service_status = attempt == 1 ? 0 : 200;
      run.exchanges.push_back(e);
    }
  return run;
}
void put(const fs::path& folder, trace::Run run, const char* plan) {
  if (plan) run.kind = trace::RunKind::with_fault;
  fs::create_directories(folder);
  trace::CampaignRecord record{.command = {"client"}, .hold = 30 * kSecond};
  if (plan) record.cases = {{.id = "c1", .policy = "observe", .plan = plan, .runs = {run.id}}};
  ASSERT_TRUE(trace::write_store(folder / "campaign.db", record, {run}));
}
JudgeOutcome judged(std::vector<fs::path> folders) { return judge({.folders = std::move(folders)}); }
std::string whys(const JudgeOutcome& j) {
  std::string out;
  for (auto& n : j.record.not_judged) out += n.why + "\n";
  return out;
}

TEST(Judge, of_served_traffic_says_afterwards_which_attempt_of_which_call_a_request_was_over_all_loops) {
  test::Folder folder;
  {
    auto a = writer(folder.path()), b = writer(folder.path());
    ASSERT_TRUE(a->begin({.id = 1}));
    for (std::uint64_t n = 0; n < 4; n++) {  // the first attempt comes to one loop, the second to the other
      auto at = static_cast<Nanos>(n) * kSecond;
      record(*a, 1, request(2 * n + 1, at + 1, true));
      record(*b, 1, request(2 * n + 2, at + 300 * kMillisecond, false));
    }
    ASSERT_TRUE(a->end({.id = 1, .ended = 4 * kSecond}));
  }
  auto j = judged({folder.path()});
  EXPECT_TRUE(j.served);
  EXPECT_EQ(j.failed, "");
  ASSERT_EQ(j.record.cases.size(), 1u);
  EXPECT_EQ(j.record.cases[0].policy, "serve");
  EXPECT_EQ(j.record.cases[0].plan, "error(503)");
  EXPECT_EQ(j.record.cases[0].outcome, "run");
  ASSERT_EQ(j.runs.size(), 1u);
  ASSERT_EQ(j.runs[0].exchanges.size(), 8u);
  for (auto& e : j.runs[0].exchanges) {
    EXPECT_EQ(e.attempt, e.id % 2 ? 1 : 2) << e.id;
    EXPECT_EQ(e.operation, "GET /things/a");
  }
  auto stored = trace::read_store(folder.path() / "campaign.db");
  ASSERT_TRUE(stored) << stored.error().line();
  EXPECT_EQ(stored->runs.at(0).exchanges.size(), 8u);
  EXPECT_EQ(stored->runs.at(0).exchanges.at(1).attempt, 2);
  EXPECT_EQ(stored->campaign.cases.size(), 1u);
  EXPECT_EQ(stored->campaign.services.at(0).exchanges, 8u);
}

// All that is said of it, line by line.
std::vector<std::string> said(const JudgeOutcome& j) {
  std::vector<std::string> out;
  for (auto* list : {&j.record.clean, &j.record.not_judged})
    for (auto& judged : *list) out.push_back(judged.operation + ": " + judged.why);
  for (auto& note : j.record.notes) out.push_back(note.verdict + ": " + note.message);
  return out;
}

TEST(Judge, of_served_traffic_says_the_same_by_its_segments_and_by_the_store_that_is_made_of_them) {
  for (int calls : {1, 3, 12}) {
    SCOPED_TRACE(calls);
    test::Folder folder;
    auto w = writer(folder.path());
    ASSERT_TRUE(w->begin({.id = 1}));
    Nanos now = kSecond;
    for (int n = 0; n < 2 * calls; n++) {  // each is answered 503, and sent again after 100 ms; 50 ms later the next
      auto e = request(static_cast<std::uint64_t>(n) + 1, now, n % 2 == 0);
      e.pid = 0;
      record(*w, 1, e);
      now += (n % 2 ? 50 : 100) * kMillisecond;
    }
    ASSERT_TRUE(w->end({.id = 1, .ended = now}));
    w.reset();
    auto by_segments = said(judged({folder.path()}));
    for (auto& entry : fs::directory_iterator(folder.path()))
      if (entry.path().extension() == ".seg") fs::remove(entry.path());
    EXPECT_FALSE(by_segments.empty());
    EXPECT_EQ(said(judged({folder.path()})), by_segments);
  }
}

TEST(Judge, of_a_command_that_was_cut_short_the_runs_that_have_ended_are_judged) {
  test::Folder folder;
  for (std::uint64_t run : {1, 2}) {
    auto w = writer(folder.path() / "trace" / std::to_string(run));
    auto whole = observed(run, true);
    auto exchanges = std::exchange(whole.exchanges, {});
    ASSERT_TRUE(w->begin(whole));
    for (auto& e : exchanges) {
      if (e.attempt == 1) e.fault = {.name = trace::FaultName::error, .status = 503};
      record(*w, run, e);
    }
    if (run == 1) {
      ASSERT_TRUE(w->end(whole));
    }
  }
  auto j = judged({folder.path()});
  EXPECT_FALSE(j.served);
  ASSERT_EQ(j.record.cases.size(), 2u) << "each run by what it met";
  EXPECT_EQ(j.record.cases[0].outcome, "run");
  EXPECT_EQ(j.record.cases[1].outcome, "incomplete");
  EXPECT_NE(whys(j).find("the trace stops before the run has ended"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder.path() / "campaign.db")) << "it is the command's, and `report` makes it";
}

// As after kill -9, at any moment of it.
TEST(Judge, of_served_traffic_that_was_cut_off_the_calls_that_had_ended_are_judged_and_no_other) {
  for (bool recovered : {true, false}) {
    SCOPED_TRACE(recovered);
    test::Folder folder;
    auto w = writer(folder.path());
    ASSERT_TRUE(w->begin({.id = 1, .began = 5 * kSecond}));
    for (std::uint64_t n = 0; n < 4; n++) {
      auto at = static_cast<Nanos>(6 + n) * kSecond;
      record(*w, 1, request(2 * n + 1, at, true));
      if (n < 3 || recovered) record(*w, 1, request(2 * n + 2, at + 300 * kMillisecond, false));
    }
    auto open = request(9, 11 * kSecond, true);
    open.target = "/things/b";
    ASSERT_TRUE(w->head(1, open));

    auto j = judged({folder.path()});
    EXPECT_TRUE(j.record.incomplete.empty()) << j.record.incomplete;
    EXPECT_EQ(j.record.took, 6 * kSecond) << "to the last that was recorded";
    EXPECT_TRUE(j.record.findings.empty()) << j.record.findings.front().message;
    EXPECT_EQ(whys(j), recovered ? "" : "1 call still going on where the trace stops\n");
    ASSERT_EQ(j.record.clean.size(), 1u);
    EXPECT_TRUE(j.record.clean[0].why.starts_with(recovered ? "4 calls" : "3 calls")) << j.record.clean[0].why;
    auto& remarks = j.record.remarks;
    EXPECT_TRUE(std::ranges::count(remarks,
                                   "the trace stops before `serve` has ended: it was killed, goes on, or could not "
                                   "write the last of it (its log says so)"));
  }
}

// The oldest segments of `serve` go where `keep` says so: what is left may begin with a call's second attempt.
TEST(Judge, of_served_traffic_without_its_beginning_calls_that_may_have_begun_before_are_left_out_and_that_is_said) {
  test::Folder folder;
  auto w = trace::SegmentWriter::open(folder.path(), 8192, 65536);
  ASSERT_TRUE(w);
  ASSERT_TRUE((*w)->begin({.id = 1, .began = kSecond}));
  for (std::uint64_t n = 0; n < 2000; n++) {
    auto at = static_cast<Nanos>(6 + 300 * n) * kSecond;
    record(**w, 1, request(2 * n + 1, at, true));
    record(**w, 1, request(2 * n + 2, at + 300 * kMillisecond, false));
  }
  auto j = judged({folder.path()});
  auto& remarks = j.record.remarks;
  auto said = [](auto& line) { return line.starts_with("the beginning of the trace was removed"); };
  EXPECT_EQ(std::ranges::count_if(remarks, said), 1);
  EXPECT_TRUE(std::ranges::count(remarks,
                                 "the trace stops before `serve` has ended: it was killed, goes on, or could not write "
                                 "the last of it (its log says so)"));
  EXPECT_NE(whys(j).find("whose first attempts may be gone with the beginning of the trace"), std::string::npos)
      << whys(j);
  EXPECT_EQ(j.record.clean.size(), 1u) << "what began later";
}

TEST(Judge, a_campaign_that_was_cut_short_is_incomplete_whatever_its_trace_shows) {
  for (bool torn : {false, true}) {
    SCOPED_TRACE(torn);
    test::Folder folder;
    if (torn) std::ofstream(folder.path() / "campaign.db") << "SQLite format 3";
    auto w = writer(folder.path() / "trace" / "0001");
    ASSERT_TRUE(w->begin({.id = 1, .kind = trace::RunKind::with_fault, .began = 1}));
    for (std::uint64_t n = 0; n < 4; n++) {
      record(*w, 1, request(2 * n + 1, static_cast<Nanos>(n + 1) * kSecond, true));
      record(*w, 1, request(2 * n + 2, static_cast<Nanos>(n + 1) * kSecond + 300 * kMillisecond, false));
    }
    ASSERT_TRUE(w->end({.id = 1, .kind = trace::RunKind::with_fault, .began = 1, .ended = 9 * kSecond}));
    auto j = judged({folder.path()});
    EXPECT_EQ(j.read, 1u);
    EXPECT_NE(j.record.incomplete.find("what its trace holds was judged"), std::string::npos) << j.record.incomplete;
    EXPECT_EQ(j.record.incomplete.find("cut short") == std::string::npos, torn) << j.record.incomplete;
    auto both = judged({folder.path(), folder.path()});
    EXPECT_NE(both.record.incomplete.find(folder.path().string()), std::string::npos) << both.record.incomplete;
  }
}

TEST(Judge, several_folders_are_one_client_and_runs_are_numbered_on) {
  test::Folder folder;
  put(folder.path() / "a", observed(1, true), "error(503) x 1, then pass");
  put(folder.path() / "b", observed(1, true), "error(503)");
  put(folder.path() / "c", observed(1, false), nullptr);
  auto j = judged({folder.path() / "a", folder.path() / "b", folder.path() / "c"});
  EXPECT_EQ(j.read, 3u);
  ASSERT_EQ(j.record.cases.size(), 2u);
  EXPECT_EQ(j.record.cases[0].runs, std::vector<std::uint64_t>{1});
  EXPECT_EQ(j.record.cases[1].runs, std::vector<std::uint64_t>{2});
  EXPECT_EQ(j.record.cases[1].reference, 3u) << "a run without faults, wherever it lies";
  ASSERT_EQ(j.runs.size(), 3u);
  EXPECT_EQ(j.runs[2].id, 3u);
  auto named = "run 2: " + (folder.path() / "b").string();
  EXPECT_EQ(std::ranges::count(j.record.remarks, named), 1);
  for (auto& f : j.record.findings) EXPECT_TRUE(f.confirmed);
}

// A call that is sent `times` times, a millisecond apart, while it is answered 503.
trace::Run storm(int times) {
  trace::Run run{.id = 1, .kind = trace::RunKind::with_fault, .ended = kSecond};
  for (int attempt = 1; attempt <= times; attempt++) {
    auto e = request(static_cast<std::uint64_t>(attempt), attempt * 2 * kMillisecond, true);
    e.operation = "GET /things/a";
    e.profile = "generic";
    e.call = 1;
    e.attempt = attempt;
    e.confidence = trace::Confidence::certain;
    e.ending = trace::Ending::answered;
    e.told = e.fired_at = e.begun + kMillisecond;
    e.fired = true;
    e.client_status = 503;
    run.exchanges.push_back(e);
  }
  return run;
}

TEST(Judge, what_several_faults_show_keeps_its_id_whichever_of_them_shows_it_best) {
  std::set<std::string> ids;
  for (int attempts : {12, 40}) {
    test::Folder folder;
    put(folder.path() / "a", storm(attempts), "error(503)");
    put(folder.path() / "b", storm(20), "error(500)");
    auto j = judged({folder.path() / "a", folder.path() / "b"});
    ASSERT_FALSE(j.record.findings.empty()) << whys(j);
    for (auto& f : j.record.findings)
      if (f.verdict == "missing-delay") {
        EXPECT_EQ(f.id, trace::finding_id(f.verdict, f.site, f.operation, "error(500)"));
        ids.insert(f.id);
      }
  }
  EXPECT_EQ(ids.size(), 1u);
}

TEST(Judge, what_is_clean_is_told_in_numbers) {
  test::Folder folder;
  put(folder.path() / "a", observed(1, true, 3), "error(503) x 1, then pass");
  auto j = judged({folder.path() / "a"});
  EXPECT_EQ(j.record.command, std::vector<std::string>{"client"});
  if (!j.record.findings.empty()) GTEST_SKIP() << j.record.findings[0].verdict;
  ASSERT_EQ(j.record.clean.size(), 1u) << whys(j);
  EXPECT_EQ(j.record.clean[0].why, "3 calls, 2 attempts each, 99 ms apart; 3 recovered");
}

TEST(Judge, what_cannot_be_read_or_never_fired_is_not_judged_and_the_rest_is) {
  test::Folder folder;
  put(folder.path() / "good", observed(1, true), "error(503) x 1, then pass");
  put(folder.path() / "never", observed(1, false), "stall");
  fs::create_directories(folder.path() / "none");
  fs::create_directories(folder.path() / "torn");
  std::ofstream(folder.path() / "torn" / "campaign.db") << "SQLite format 3";
  fs::create_directories(folder.path() / "other");
  std::ofstream(folder.path() / "other" / "0001.seg") << std::string("RTRLSEG\n\x63\0\0\0\0\0\0\0", 16);
  {
    auto w = writer(folder.path() / "cut");
    ASSERT_TRUE(w->begin({.id = 1}));
    record(*w, 1, request(1, 1, true));
  }
  auto at = [&](const char* name) { return folder.path() / name; };
  auto j = judged({at("good"), at("never"), at("none"), at("torn"), at("other"), at("cut")});
  EXPECT_EQ(j.read, 3u);
  auto said = whys(j);
  for (auto part : {"none: holds no trace of ours", "torn/campaign.db: ", "other/0001.seg: this trace was written by",
                    "1 call still going on where the trace stops", "never fired"})
    EXPECT_NE(said.find(part), said.npos) << part << "\n" << said;
  for (auto& f : j.record.findings) EXPECT_EQ(f.run, 1u) << "of the good one alone";
  std::string outcomes;
  for (auto& row : j.record.cases) outcomes += row.outcome + " ";
  EXPECT_EQ(outcomes, "run not_fired incomplete ");
}

// As `observe` leaves a poll: looks a second apart, of which the first may have been answered 503 by a fault.
trace::Run looks(int times, bool fault) {
  trace::Run run{
      .id = 1, .kind = fault ? trace::RunKind::with_fault : trace::RunKind::reference, .ended = 60 * kSecond};
  for (int n = 1; n <= times; n++) {
    auto e = request(static_cast<std::uint64_t>(n), n * kSecond, fault && n == 1);
    e.operation = "GET /things/a";
    e.profile = "generic";
    e.call = e.id;
    e.attempt = 1;
    e.confidence = trace::Confidence::certain;
    e.ending = trace::Ending::answered;
    e.told = e.begun + kMillisecond;
    e.fired = fault && n == 1;
    e.client_status = e.fired ? 503 : 200;
    e.service_status = e.fired ? 0 : 200;
    run.exchanges.push_back(std::move(e));
  }
  return run;
}

TEST(Judge, of_a_poll_that_looks_once_more_than_in_the_reference_nothing_is_said_but_that) {
  test::Folder folder;
  put(folder.path() / "a", looks(4, true), "error(503) x 1, then pass");
  put(folder.path() / "b", looks(3, false), nullptr);
  auto j = judged({folder.path() / "a", folder.path() / "b"});
  EXPECT_EQ(whys(j),
            "this request is sent again after a success, as a poll does: what follows the fault may be a retry or the "
            "next look\n");
  EXPECT_TRUE(j.record.clean.empty());
  put(folder.path() / "b", looks(4, false), nullptr);
  EXPECT_EQ(whys(judged({folder.path() / "a", folder.path() / "b"})), "") << "as many as without the fault";
}

TEST(Judge, of_a_trace_without_faults_there_is_nothing_to_judge) {
  test::Folder folder;
  put(folder.path(), observed(1, false), nullptr);
  auto j = judged({folder.path()});
  EXPECT_EQ(j.read, 1u);
  EXPECT_TRUE(j.record.findings.empty());
  EXPECT_TRUE(j.record.clean.empty());
  EXPECT_NE(j.record.remarks.at(0).find("no fault was injected"), std::string::npos);
}

TEST(Judge, of_a_long_trace_the_first_calls_are_judged_and_the_rest_counted) {
  test::Folder folder;
  put(folder.path(), observed(1, true, 4'000), "error(503) x 1, then pass");
  auto j = judged({folder.path()});
  EXPECT_EQ(j.runs.at(0).exchanges.size(), 600u);
  EXPECT_EQ(
      std::ranges::count(j.record.remarks, "GET /things/a under error(503): 300 of 4000 calls like it were judged"), 1);
}

}  // namespace
}  // namespace retrial::campaign
