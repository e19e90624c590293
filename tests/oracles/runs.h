#pragma once
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "oracles/oracle.h"
#include "trace/calls/operation.h"
#include "trace/fault_table.h"
#include "trace/profiles/profile.h"
#include "trace/status.h"

namespace retrial::oracles {

inline constexpr const char* kTest = "tests/test_orders.py::test_put";

// A run, told step by step: each step is about the exchange before it, and moves the run's clock on.
class Tale {
 public:
  explicit Tale(trace::RunKind kind) {
    run_.id = kind == trace::RunKind::alone ? 1 : 2;
    run_.kind = kind;
    if (kind == trace::RunKind::with_fault) run_.case_id = "c1";
    run_.tests = {kTest};
    run_.began = now_;
    run_.agents = {"python"};
  }

  // A request of a new call. `site`: function of the call site, in src/orders.py; empty: none is known.
  Tale& call(const std::string& site, std::string method, std::string target, std::vector<trace::Header> headers = {},
             std::string profile = "generic") {
    auto& e = add();
    e.call = ++calls_;
    e.attempt = 1;
    e.confidence = trace::Confidence::certain;
    if (!site.empty()) e.tag.site = trace::CallSite{"src/orders.py", 12, site};
    e.tag.test = kTest;
    e.tag.phase = trace::Phase::test;
    e.method = std::move(method);
    e.target = std::move(target);
    e.request_headers = std::move(headers);
    e.profile = std::move(profile);
    e.operation = trace::operation_of(e);
    return *this;
  }
  // A gRPC call; timeout 0: it carries no deadline.
  Tale& rpc(const std::string& site, std::string path, Nanos timeout = 5 * kSecond) {
    call(site, "POST", std::move(path), {{"content-type", "application/grpc"}}, "grpc");
    last().stream = static_cast<std::uint32_t>(2 * last().id - 1);
    last().grpc = {.is = true, .timeout = timeout, .requests = 1};
    return *this;
  }
  // The same request again, `gap` after its client was told of the failure.
  Tale& again(Nanos gap, trace::Confidence confidence = trace::Confidence::certain) {
    auto before = last();
    now_ += gap;
    auto& e = add();
    for (auto member :
         {&trace::Exchange::method, &trace::Exchange::target, &trace::Exchange::operation, &trace::Exchange::profile})
      e.*member = before.*member;
    e.request_headers = before.request_headers;
    e.request_digest = before.request_digest;
    e.tag = before.tag;
    e.call = before.call;
    e.attempt = before.attempt + 1;
    e.confidence = confidence;
    e.stream = before.stream ? before.stream + 2 : 0;
    e.grpc = before.grpc;
    e.grpc.pushback = trace::kNoPushback;
    if (e.grpc.is && !before.refused) e.grpc.previous++;
    return *this;
  }

  // The service answers, and its answer is delivered.
  Tale& answers(int status, std::string body = {}, std::vector<trace::Header> headers = {}) {
    executed(status, std::move(body), std::move(headers));
    return told(trace::Ending::answered, status);
  }
  // The service answers, and the client is told otherwise.
  Tale& is_lost(trace::Telling telling, int status, std::string body = {}, std::vector<trace::Header> headers = {}) {
    executed(status, std::move(body), std::move(headers));
    fire({.name = named("lost-response"), .telling = telling, .status = telling == trace::Telling::error ? 503 : 0});
    switch (telling) {
      case trace::Telling::reset:
        last().evidence = "RST after 312 response bytes were withheld";
        return told(trace::Ending::reset, 0);
      case trace::Telling::close:
        last().evidence = "FIN after 312 response bytes were withheld";
        return told(trace::Ending::closed, 0);
      case trace::Telling::error:
        return told(trace::Ending::answered, 503);
      case trace::Telling::stall:
        break;
    }
    return *this;
  }
  // The fault answers before the service hears of it.
  Tale& gets_error(int status = 503) {
    fire({.name = named("error"), .status = status});
    return told(trace::Ending::answered, status);
  }
  // The same with Retry-After, in seconds or as a date that many seconds ahead.
  Tale& saying(std::string body) {  // that error
    last().injected_sample = std::move(body);
    return *this;
  }
  Tale& gets_error(int status, int retry_after, trace::RetryAfter as = trace::RetryAfter::seconds) {
    fire({.name = named("error"), .status = status, .retry = as, .retry_after = retry_after});
    return told(trace::Ending::answered, status);
  }
  // A status of gRPC by the fault, with grpc-retry-pushback-ms.
  Tale& gets_status(int code, std::int64_t pushback = trace::kNoPushback) {
    fire({.name = named("error"), .status = trace::kGrpcStatus + code, .pushback = pushback});
    last().grpc.pushback = pushback;
    return told(trace::Ending::answered, trace::kGrpcStatus + code);
  }
  Tale& is_refused() {
    fire({.name = named("goaway")});
    last().refused = true;
    return told(trace::Ending::reset, 0);
  }
  // An earlier exchange of several that are open together ends.
  Tale& ends(std::size_t id, trace::Ending ending, int service_status, int client_status) {
    auto& e = run_.exchanges.at(id - 1);
    e.service_status = service_status;
    e.client_status = client_status;
    e.ending = ending;
    e.told = now_ += kMillisecond;
    return *this;
  }
  Tale& is_reset() {
    fire({.name = named("reset")});
    return told(trace::Ending::reset, 0);
  }
  Tale& is_held() {
    fire({.name = named("stall")});
    return *this;
  }
  Tale& is_delayed() {
    fire({.name = named("delay"), .delay = 20 * kMillisecond});
    return *this;
  }
  Tale& client_leaves(Nanos after) {
    now_ += after;
    return told(trace::Ending::client_left, 0);
  }
  Tale& waits(Nanos time) {
    now_ += time;
    return *this;
  }

  // The client's thread works, or waits for a processor.
  Tale& works(Nanos time) {
    busy_ += time;
    return waits(time);
  }
  // What follows is said on a connection of another thread.
  Tale& on_another_thread() {
    thread_++;
    return *this;
  }

  // What follows is said by another process.
  Tale& in_process(std::int32_t pid) {
    pid_ = pid;
    return *this;
  }
  // The process of this request is ended: once the service has carried it out, or (0) before it hears of it.
  Tale& dies(int status) {
    if (status) executed(status, {}, {});
    fire({.name = named("crash"), .point = status ? trace::Point::executed : trace::Point::before_request});
    return told(trace::Ending::reset, 0);
  }

  // Everybody waits, and the client's clock is moved on.
  Tale& moved_on(Nanos by) {
    run_.compressed = true;
    run_.jumps.push_back({now_, by});
    return waits(by);
  }

  Tale& passes() { return result("passed", {}); }
  Tale& fails(std::vector<trace::Thrown> chain, trace::Phase phase = trace::Phase::test) {
    return result("failed", std::move(chain), phase);
  }
  Tale& stops(trace::Stop stop, int code = 0) {
    run_.stop = stop;
    run_.exit_code = code;
    return *this;
  }

  trace::Exchange& last() { return run_.exchanges.back(); }
  trace::Run& run() { return run_; }
  const trace::Run& done() {
    run_.ended = now_;
    return run_;
  }

 private:
  trace::Exchange& add() {
    auto& e = run_.exchanges.emplace_back();
    e.id = run_.exchanges.size();
    e.connection = e.id;
    e.fresh = true;
    e.pid = pid_;
    e.service = e.host = "127.0.0.1:9000";
    e.request_digest = 77;
    e.begun = now_;
    e.busy = {thread_, busy_, 0};
    e.request_read = now_ += kMillisecond / 10;
    return e;
  }
  void executed(int status, std::string body, std::vector<trace::Header> headers) {
    auto& e = last();
    e.answered = e.service_done = now_ += kMillisecond;
    e.service_status = status;
    e.response_sample = std::move(body);
    e.response_bytes = e.response_sample.size();
    e.response_headers = std::move(headers);
  }
  static trace::FaultName named(std::string_view word) { return trace::fault_row(word)->fault; }
  void fire(trace::FaultSpec fault) {
    auto& e = last();
    e.fault = fault;
    e.fired = true;
    e.fault_id = "f1";
    e.fired_at = now_;
    e.evidence = trace::show(fault);
  }
  Tale& told(trace::Ending ending, int status) {
    auto& e = last();
    e.ending = ending;
    e.client_status = status;
    e.told = now_ += kMillisecond / 10;
    e.busy.told = busy_;
    return *this;
  }
  Tale& result(std::string outcome, std::vector<trace::Thrown> chain, trace::Phase phase = trace::Phase::test) {
    trace::TestResult r;
    r.test = kTest;
    r.phase = phase;
    r.outcome = std::move(outcome);
    r.chain = std::move(chain);
    run_.results.push_back(std::move(r));
    run_.exit_code = bad(run_.results.back()) ? 1 : 0;
    return *this;
  }

  trace::Run run_;
  Nanos now_ = kSecond, busy_ = kSecond;
  std::int32_t thread_ = 100, pid_ = 100;
  std::uint64_t calls_ = 0;
};

inline trace::Thrown thrown(std::string type, std::string message, std::string code = {}, std::string link = "raised") {
  return {std::move(type), std::move(message), std::move(code), std::move(link), "src/orders.py", 40, "put", false};
}
inline trace::Thrown on_a_test_line(std::string type, std::string message) {
  return {std::move(type), std::move(message), {}, "raised", "tests/test_orders.py", 9, "test_put", true};
}
inline trace::Thrown assertion(std::string message) {
  return on_a_test_line("builtins.AssertionError", std::move(message));
}

// A reference, and one case or several beside it.
struct Trial {
  Tale reference{trace::RunKind::alone};
  std::deque<Tale> cases;
  trace::CaseRecord row;
  Nanos hold = 30 * kSecond;
  std::deque<trace::Comparison> comparisons;
  Tale* control = nullptr;

  explicit Trial(std::string policy = "P1", std::string plan = "lost-response(reset) x 1, then pass") {
    row.id = "c1";
    row.policy = std::move(policy);
    row.plan = std::move(plan);
    row.test = kTest;
    one_more();
  }
  Tale& in_case() { return cases.back(); }
  Tale& one_more() {
    auto& tale = cases.emplace_back(trace::RunKind::with_fault);
    tale.run().id = 1 + cases.size();
    return tale;
  }
  // The row aims at the first call of the first case.
  ComparedCase compared() {
    if (reference.run().results.empty()) reference.passes();
    comparisons.clear();
    ComparedCase e{&row, {}, hold, control ? &control->done() : nullptr};
    for (auto& tale : cases) {
      comparisons.push_back(trace::compare(reference.done(), tale.done()));
      e.comparisons.push_back(&comparisons.back());
    }
    if (auto& all = cases.front().run().exchanges; !all.empty()) {
      row.operation = all.front().operation;
      row.service = all.front().service;
      row.site = all.front().tag.site;
    }
    return e;
  }
  Judgement judge() { return oracles::judge(compared()); }
  // "duplicate-effect certain, missing-delay likely", the notes with "note " before them.
  std::string verdicts() {
    std::string out;
    auto judgement = judge();
    for (auto* all : {&judgement.findings, &judgement.notes})
      for (auto& f : *all)
        if (f.verdict != "no-agent" && f.verdict != "not-retried-transient")
          out += std::string(out.empty() ? "" : ", ") + (f.note ? "note " : "") + f.verdict + " " +
                 std::string(show(f.confidence));
    return out;
  }
  std::string why_not() {
    auto judgement = judge();
    return judgement.not_judged.empty() ? "" : judgement.not_judged.front().why;
  }
};

}  // namespace retrial::oracles
