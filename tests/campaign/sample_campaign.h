#pragma once
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "trace/campaign_record.h"
#include "trace/comparing/comparison.h"
#include "trace/fault_name.h"

// A campaign written by hand, with something of everything that a report can be asked to show: several findings of one
// cause, an accepted one, one without call site and with hostile bytes, many attempts, a held exchange, notes, clean
// calls, calls that could not be judged.
namespace retrial::campaign::report {

struct Sample {
  trace::CampaignRecord record;
  std::vector<trace::Run> runs;
};

namespace sample {
using namespace std::string_literals;
using namespace trace;

inline const CallSite kEnqueue{"src/jobs.mjs", 41, "enqueue"};
inline const CallSite kTake{"src/jobs.mjs", 58, "take"};
inline const CallSite kDone{"src/jobs.mjs", 77, "JobQueue.done"};
inline const CallSite kPrices{"order_sync/pricing.py", 23, "current_prices"};
inline const CallSite kHook{"src/webhook.mjs", 20, "notify"};

// One exchange of a story: what is asked, what the service says, and how the client is told.
struct Told {
  CallSite site;
  std::uint64_t call;
  int attempt;
  double at_ms;
  double took_ms;
  std::string method;
  std::string target;
  std::string operation;
  int service_status;
  FaultSpec fault{};
};

inline std::string reason(int status) {
  return status == 201   ? "Created"
         : status == 204 ? "No Content"
         : status == 404 ? "Not Found"
         : status >= 500 ? "Unavailable"
                         : "OK";
}

inline void tell(Run& run, const Told& t) {
  Exchange e;
  e.id = run.exchanges.size() + 1;
  e.connection = e.id;
  e.fresh = true;
  e.pid = 4242;
  e.service = "127.0.0.1:10001";
  e.host = "127.0.0.1:10001";
  e.method = t.method;
  e.target = t.target;
  e.operation = t.operation;
  e.profile = "azure-storage";
  e.tag.site = t.site.file.empty() ? std::nullopt : std::optional(t.site);
  e.tag.test = run.tests.empty() ? "" : run.tests.front();
  e.tag.phase = Phase::test;
  e.call = t.call;
  e.attempt = t.attempt;
  e.confidence = Confidence::certain;
  e.fault = t.fault;
  e.request_headers = {{"Host", e.host},
                       {"User-Agent", "azsdk-js-azure-storage-queue/12.30.0 Node/20.20.2 OS/(x64-Linux-6.1)"},
                       {"Accept", "application/xml"},
                       {"Content-Type", "application/xml; charset=utf-8"},
                       {"Authorization", "redacted"},
                       {"x-ms-client-request-id", "6a1c5e9e-52cf-4f9a-9f5e-0d4b0f6a7a3" + std::to_string(t.call)}};
  if (t.method == "POST") {
    e.request_sample =
        "<?xml version=\"1.0\" "
        "encoding=\"UTF-8\"?><QueueMessage><MessageText>eyJpbWFnZSI6InNjYW4tMTcucGdtIn0=</MessageText></QueueMessage>";
    e.request_bytes = e.request_sample.size();
  }
  auto at = [&](double ms) { return run.began + static_cast<Nanos>(ms * 1e6); };
  e.begun = at(t.at_ms);
  e.request_read = at(t.at_ms + t.took_ms * 0.2);
  bool asked =
      t.fault.name == FaultName::none || t.fault.name == FaultName::lost_response || t.fault.name == FaultName::delay;
  if (asked) {
    e.service_status = t.service_status;
    e.answered = at(t.at_ms + t.took_ms * 0.8);
    e.service_done = at(t.at_ms + t.took_ms * 0.9);
    e.response_headers = {{"Server", "Azurite-Queue/3.35.0"},
                          {"Content-Type", "application/xml"},
                          {"Date", "Tue, 04 Mar 2025 09:12:44 GMT"}};
    e.response_sample = t.service_status < 300
                            ? "<?xml version=\"1.0\"?><QueueMessagesList><QueueMessage><MessageId>0d9a7c1e-" +
                                  std::to_string(1000 + e.id) + "</MessageId></QueueMessage></QueueMessagesList>"
                            : "<?xml version=\"1.0\"?><Error><Code>MessageNotFound</Code><Message>The specified "
                              "message does not exist.</Message></Error>";
    e.response_bytes = e.response_sample.size();
  }
  e.told = at(t.at_ms + t.took_ms);
  e.ending = Ending::answered;
  e.client_status = t.service_status;
  if (t.fault.name != FaultName::none) {
    e.fired = true;
    e.fired_at = e.told;
    e.fault_id = "5f0c" + std::to_string(e.id);
    switch (t.fault.name) {
      case FaultName::error:
        e.client_status = t.fault.status;
        e.evidence = "answered with " + std::to_string(t.fault.status) + " before the service heard of it";
        break;
      case FaultName::lost_response:
        e.evidence = "RST after " + std::to_string(e.response_bytes) + " response bytes were withheld";
        if (t.fault.telling == Telling::reset) e.ending = Ending::reset, e.client_status = 0;
        if (t.fault.telling == Telling::error)
          e.client_status = t.fault.status, e.evidence = "the service's 201 was withheld, and 503 told in its place";
        break;
      case FaultName::stall:
        e.ending = Ending::open, e.client_status = 0, e.told = 0, e.fired_at = e.request_read;
        e.evidence = "held for 30 s, untouched by the client";
        break;
      default:
        break;
    }
  }
  run.exchanges.push_back(e);
  run.ended = std::max(run.ended, at(t.at_ms + t.took_ms));
}

inline Run run_of(std::uint64_t id, RunKind kind, std::string case_id, std::string test, std::string outcome) {
  Run run;
  run.id = id;
  run.kind = kind;
  run.case_id = std::move(case_id);
  run.tests = {test};
  run.began = static_cast<Nanos>(id) * 100 * kSecond;
  run.results.push_back({test, Phase::test, std::move(outcome), 61, {}});
  return run;
}

inline Finding finding(std::string verdict, Confidence confidence, std::optional<CallSite> site, std::string operation,
                       std::string policy, std::string fault, std::string test, std::uint64_t reference,
                       std::uint64_t run, std::vector<std::uint64_t> evidence, std::vector<double> gaps,
                       std::string message) {
  Finding f;
  f.id = finding_id(verdict, site, operation, fault);
  f.verdict = std::move(verdict);
  f.confidence = confidence;
  f.confirmed = true;
  f.site = std::move(site);
  f.service = "127.0.0.1:10001";
  f.operation = std::move(operation);
  f.policy = std::move(policy);
  f.fault = std::move(fault);
  f.test = std::move(test);
  f.reference = reference;
  f.run = run;
  f.evidence = std::move(evidence);
  f.attempts = static_cast<int>(gaps.size()) + 1;
  f.gaps_ms = std::move(gaps);
  f.message = std::move(message);
  return f;
}
}  // namespace sample

inline Sample sample_campaign() {
  using namespace sample;
  const FaultSpec reset{FaultName::lost_response, Telling::reset},
      told503{FaultName::lost_response, Telling::error, 503}, error503{FaultName::error, Telling::reset, 503},
      stall{FaultName::stall};
  const std::string post = "POST /{account}/{queue}/messages", get = "GET /{account}/{queue}/messages",
                    del = "DELETE /{account}/{queue}/messages/{id}", prices = "GET /v1/prices";
  const std::string worker = "test/worker.test.mjs > worker > renders every job once",
                    jobs = "test/jobs.test.mjs > jobs > are taken in order",
                    pricing = "tests/test_orders.py::test_prices_are_current[EUR]";
  Sample s;
  auto& runs = s.runs;
  auto base = [&](Run& run) {
    tell(run, {kEnqueue, 1, 1, 4, 9, "POST", "/devstoreaccount1/jobs/messages", post, 201});
    tell(run, {kTake, 2, 1, 18, 7, "GET", "/devstoreaccount1/jobs/messages?visibilitytimeout=30", get, 200});
    tell(run, {kDone, 3, 1, 31, 6, "DELETE", "/devstoreaccount1/jobs/messages/0d9a7c1e?popreceipt=redacted", del, 204});
    tell(run, {kHook, 4, 1, 41, 12, "POST", "/hook", "POST /hook", 204});
  };
  runs.push_back(run_of(1, RunKind::alone, "", worker, "passed"));
  base(runs.back());

  runs.push_back(run_of(2, RunKind::with_fault, "c1", worker, "failed"));  // duplicate effect by reset
  tell(runs.back(), {kEnqueue, 1, 1, 4, 9, "POST", "/devstoreaccount1/jobs/messages", post, 201, reset});
  tell(runs.back(), {kEnqueue, 1, 2, 21, 8, "POST", "/devstoreaccount1/jobs/messages", post, 201});
  tell(runs.back(), {kTake, 2, 1, 33, 7, "GET", "/devstoreaccount1/jobs/messages?visibilitytimeout=30", get, 200});
  tell(runs.back(),
       {kDone, 3, 1, 46, 6, "DELETE", "/devstoreaccount1/jobs/messages/0d9a7c1e?popreceipt=redacted", del, 204});
  runs.push_back(run_of(3, RunKind::with_fault, "c2", worker, "failed"));  // … by a status, after 4 s
  tell(runs.back(), {kEnqueue, 1, 1, 4, 9, "POST", "/devstoreaccount1/jobs/messages", post, 201, told503});
  tell(runs.back(), {kEnqueue, 1, 2, 4021, 8, "POST", "/devstoreaccount1/jobs/messages", post, 201});
  tell(runs.back(), {kTake, 2, 1, 4033, 7, "GET", "/devstoreaccount1/jobs/messages?visibilitytimeout=30", get, 200});
  runs.push_back(run_of(4, RunKind::with_fault, "c3", worker, "failed"));  // unrelated exception
  tell(runs.back(), {kEnqueue, 1, 1, 4, 9, "POST", "/devstoreaccount1/jobs/messages", post, 201});
  tell(runs.back(), {kTake, 2, 1, 18, 7, "GET", "/devstoreaccount1/jobs/messages?visibilitytimeout=30", get, 200});
  tell(runs.back(),
       {kDone, 3, 1, 31, 6, "DELETE", "/devstoreaccount1/jobs/messages/0d9a7c1e?popreceipt=redacted", del, 204, reset});
  tell(runs.back(),
       {kDone, 3, 2, 42, 6, "DELETE", "/devstoreaccount1/jobs/messages/0d9a7c1e?popreceipt=redacted", del, 404});

  runs.push_back(run_of(5, RunKind::alone, "", pricing, "passed"));
  tell(runs.back(), {kPrices, 1, 1, 3, 5, "GET", "/v1/prices?currency=EUR", prices, 200});
  runs.push_back(run_of(6, RunKind::with_fault, "c4", pricing, "failed"));  // missing delay
  for (int i = 1; i <= 14; i++)
    tell(runs.back(), {kPrices, 1, i, 3 + 1.4 * i, 1.1, "GET", "/v1/prices?currency=EUR", prices, 200, error503});

  runs.push_back(run_of(7, RunKind::alone, "", jobs, "passed"));
  tell(runs.back(), {kTake, 1, 1, 3, 5, "GET", "/devstoreaccount1/jobs/messages", get, 200});
  runs.push_back(run_of(8, RunKind::with_fault, "c5", jobs, "failed"));  // held
  tell(runs.back(), {kTake, 1, 1, 3, 5, "GET", "/devstoreaccount1/jobs/messages", get, 200, stall});
  runs.back().ended = runs.back().began + 30 * kSecond;
  runs.back().stop = Stop::held;

  const std::string hostile = "tests/<b>&\"'\x01\xff.py::\xe6\x97\xa5\xe6\x9c\xac </script>]]>";
  runs.push_back(run_of(9, RunKind::alone, "", hostile, "passed"));
  tell(runs.back(), {{}, 1, 1, 3, 5, "PUT", "/<script>alert(1)</script>?x=\xff\x02", "PUT /{id}", 200});
  runs.push_back(run_of(10, RunKind::with_fault, "c6", hostile, "failed"));
  tell(runs.back(), {{}, 1, 1, 3, 5, "PUT", "/<script>alert(1)</script>?x=\xff\x02", "PUT /{id}", 200, reset});
  tell(runs.back(), {{}, 1, 2, 9, 5, "PUT", "/<script>alert(1)</script>?x=\xff\x02", "PUT /{id}", 409});
  runs.back().exchanges.back().response_sample = "<img src=x onerror=alert(1)>\x00\x1b[31m\xc3("s;

  auto& c = s.record;
  c.command = {"node", "--test", "it's/here"};
  c.runner = "node:test";
  c.directory = "/home/team/queue-worker";
  c.wall_began = 1'741'079'564 * kSecond;
  c.took = 252 * kSecond + 400 * kMillisecond;
  c.overhead = 6 * kSecond + 300 * kMillisecond;
  c.capture = "seccomp (getfd)";
  c.services = {{"127.0.0.1:10001", "queue", "azure-storage", 312},
                {"127.0.0.1:10000", "blob", "azure-storage", 95},
                {"127.0.0.1:*", "", "generic", 31}};
  c.findings = {
      finding("duplicate-effect", Confidence::certain, kEnqueue, post, "P1", "lost-response(reset) x 1, then pass",
              worker, 1, 2, {1, 2}, {8},
              "Both attempts were answered 201 by the service, with two message ids: the job is in the queue twice. "
              "Nothing in the "
              "request lets the service know the second as a repeat."),
      finding("unrelated-exception", Confidence::certain, kDone, del, "P1", "lost-response(reset) x 1, then pass",
              worker, 1, 4, {3, 4}, {5},
              "The message was deleted by attempt 1; attempt 2 was answered 404, and the test failed with RestError: "
              "MessageNotFound (404). "
              "The caller is told that a delete failed which succeeded."),
      finding("duplicate-effect", Confidence::certain, kEnqueue, post, "P1", "lost-response(error(503)) x 1, then pass",
              worker, 1, 3, {1, 2}, {4008},
              "Both attempts were answered 201 by the service, with two message ids: the job is in the queue twice."),
      finding("missing-delay", Confidence::likely, kPrices, prices, "P3", "error(503)", pricing, 5, 6,
              {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14},
              {0.3, 0.3, 0.2, 0.3, 0.3, 0.4, 0.3, 0.3, 0.3, 0.2, 0.3, 0.3, 0.3},
              "14 attempts, every retry within 0.4 ms of the failure before it (median 0.3 ms)."),
      finding("missing-timeout", Confidence::possible, kTake, get, "P2", "lost-response(stall)", jobs, 7, 8, {1}, {},
              "The request was held for 30 s, and the client left it untouched."),
      finding("retries-non-idempotent", Confidence::likely, std::nullopt, "PUT /{id}", "P1",
              "lost-response(reset) x 1, then pass", hostile, 9, 10, {1, 2}, {1},
              "A message with <b>markup</b> & \"quotes\", a control \x07 and bytes that are no UTF-8: \xff\xfe."),
      finding("duplicate-effect", Confidence::certain, kTake, get, "P1", "lost-response(reset) x 1, then pass", jobs, 7,
              8, {1}, {}, "The first answer was lost with the message in it; the second hides one more."),
  };
  c.findings.back().accepted = true;
  auto cap = finding("cap-not-seen", Confidence::possible, kPrices, prices, "P3", "error(503)", pricing, 5, 6, {1}, {},
                     "Still retrying after 14 attempts in 20 ms.");
  auto plain = finding("not-retried-transient", Confidence::likely, kHook, "POST /hook", "K1",
                       "error(503) x 1, then pass", worker, 1, 2, {4}, {}, "1 attempt; 503 went up to the caller.");
  cap.note = plain.note = true;
  c.notes = {cap, plain};
  for (const char* policy : {"P3", "P1", "K1", "P4"})
    c.clean.push_back({worker, kHook, "127.0.0.1:*", "POST /hook", policy, "error(503)",
                       "1 attempt, the failure reached the caller"});
  for (const char* policy : {"P3", "K1"})
    c.clean.push_back({worker, kEnqueue, "127.0.0.1:10001", post, policy, "error(503)",
                       "3 attempts, gaps 4.0 s, 8.1 s; the test passed"});
  c.not_judged = {
      {worker, kDone, "127.0.0.1:10001", del, "P4", "lost-response(reset) x 1, then error(503)",
       "service state: the test no longer passes without faults; [service.queue] reset = \"restart\" would help"},
      {worker, kTake, "127.0.0.1:10001", get, "P4", "lost-response(reset) x 1, then error(503)",
       "service state: the test no longer passes without faults; [service.queue] reset = \"restart\" would help"},
      {pricing, kPrices, "127.0.0.1:*", prices, "P2", "lost-response(stall)",
       "the test's own time limit of 5 s ended it"}};
  auto row = [&](std::string id, const Judged& j, std::string outcome, std::string why, std::vector<std::uint64_t> of) {
    c.cases.push_back({std::move(id), j.policy, j.fault, j.test, j.site, j.service, j.operation, 1, std::move(outcome),
                       std::move(why), std::move(of)});
  };
  std::uint64_t n = 0;
  for (const auto& f : c.findings)
    row("c" + std::to_string(++n), {f.test, f.site, f.service, f.operation, f.policy, f.fault, ""}, "run", "", {f.run});
  for (const auto& j : c.clean) row("c" + std::to_string(++n), j, "run", "", {2});
  for (const auto& j : c.not_judged) row("c" + std::to_string(++n), j, "run", "", {2});
  row("c" + std::to_string(++n), {jobs, kTake, "127.0.0.1:10001", get, "P3", "error(503)", ""}, "not_fired",
      "no third call was made", {7});
  row("c" + std::to_string(++n),
      {jobs, kTake, "127.0.0.1:10001", get, "P4", "lost-response(reset) x 1, then error(503)", ""}, "left",
      "the budget was spent", {});
  c.left_alone = {"api.example.com:443: outside, faults stay on this machine (open it with [service.x] allow = true)",
                  "test/health.test.mjs > health > answers: fails without faults"};
  c.remarks = {"workers = 4: this version runs one", "the budget left 1 of 17 cases untried"};
  return s;
}

}  // namespace retrial::campaign::report
