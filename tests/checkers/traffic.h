#pragma once
#include <string>
#include <vector>

#include "checkers/checker.h"
#include "checkers/monitor.h"
#include "trace/run.h"

namespace retrial::checkers {

// A run told request by request, one after another unless said otherwise. A step is a millisecond.
struct Talk {
  trace::Run run;
  Nanos now = kMillisecond;

  explicit Talk(std::uint64_t id = 1) { run.id = id; }

  trace::Exchange& asks(std::string method, std::string target, int status, std::string sent = {},
                        std::string answer = {}) {
    auto& e = run.exchanges.emplace_back();
    e.id = e.call = run.exchanges.size();
    e.attempt = 1;
    e.confidence = trace::Confidence::certain;
    e.pid = 7;
    e.service = "127.0.0.1:8080";
    e.profile = "generic";
    e.method = std::move(method);
    e.target = std::move(target);
    e.tag.test = test;
    e.request_bytes = sent.size();
    e.response_bytes = answer.size();
    e.request_sample = std::move(sent);
    e.response_sample = std::move(answer);
    e.begun = now;
    e.answered = e.service_done = e.told = now += kMillisecond;
    now += kMillisecond;
    e.service_status = e.client_status = status;
    e.ending = trace::Ending::answered;
    return e;
  }
  // The last one met a loss: its service carried it out, and its client was not told.
  void is_lost();
  // The last one never came to the service.
  void is_kept_away();
  // The last one is another attempt of the one before it.
  void is_again() {
    auto& all = run.exchanges;
    all.back().call = all[all.size() - 2].call;
    all.back().attempt = all[all.size() - 2].attempt + 1;
  }
  std::string test = "test_it";
};

inline void Talk::is_lost() {
  auto& e = run.exchanges.back();
  e.fired = true;
  e.fault.name = trace::FaultName{1};
  e.client_status = 0;
  e.ending = trace::Ending::reset;
}
inline void Talk::is_kept_away() {
  is_lost();
  run.exchanges.back().service_status = 0;
}

inline Checker checker(Rule rule, std::string after, std::string then, std::vector<Field> fields = {},
                       Within within = Within::resource) {
  return {.name = "it",
          .rule = rule,
          .service = "127.0.0.1:8080",
          .after = std::move(after),
          .then = std::move(then),
          .fields = std::move(fields),
          .within = within};
}

// "pass 2, fail 4": the verdicts, each with the exchange that was judged.
inline std::string verdicts(const Checker& c, const trace::Run& run) {
  std::string out;
  watch({&c, 1}, run, [&](const Outcome& o) {
    out += (out.empty() ? "" : ", ") + std::string(o.verdict == Verdict::fail ? "fail " : "pass ") +
           std::to_string(o.exchange);
  });
  return out;
}

}  // namespace retrial::checkers
