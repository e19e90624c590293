#pragma once
#include <gtest/gtest.h>

#include "tests/trace/wire.h"
#include "trace/calls/correlator.h"
#include "trace/fault_table.h"

namespace retrial::trace {

// One run: requests come in as bytes, are assigned, and end.
class Traffic {
 public:
  explicit Traffic(Lessons lessons = {}) : correlator_(std::move(lessons)) {}

  struct From {
    std::string site = "app/orders.py:42:fetch";
    std::string call_id;
    std::string test = "t1";
    std::int32_t pid = 100;
    std::uint64_t connection = 0;  // 0: a fresh one
    std::string service = "127.0.0.1:10001";
    std::uint32_t stream = 0;
    std::string stack;
    std::uint64_t statement = 0;
  };
  Exchange begin(std::string_view raw, const From& from) {
    auto e = wire::request(raw);
    e.id = ++exchanges_;
    e.pid = from.pid;
    e.service = from.service;
    e.stream = from.stream;
    e.connection = from.connection ? from.connection : 1000 + e.id;
    if (!from.site.empty()) e.tag.site = parse_call_site(from.site);
    e.tag.call_id = from.call_id;
    e.tag.test = from.test;
    e.tag.stack = from.stack;
    e.tag.statement = from.statement;
    e.begun = e.request_read = now_ += kMillisecond;
    auto a = correlator_.at_head(e);
    e.call = a.call;
    e.attempt = a.attempt;
    e.confidence = a.confidence;
    nth = a.nth();
    return e;
  }
  Exchange begin(std::string_view raw) { return begin(raw, From{}); }
  void end(Exchange& e, Ending how, int status = 0) {
    e.ending = how;
    e.client_status = status;
    e.told = now_ += kMillisecond;
    correlator_.over(e);
    run.exchanges.push_back(e);
  }
  Exchange& serve(Exchange& e, int status) {
    e.service_status = status;
    end(e, Ending::answered, status);
    return e;
  }
  Exchange& inject(Exchange& e, int status) {
    e.fired = true;
    e.fault = {.name = fault_row("error")->fault, .status = status};
    end(e, Ending::answered, status);
    return e;
  }
  Exchange& reset(Exchange& e) {
    e.fired = true;
    end(e, Ending::reset);
    return e;
  }
  void pass(Nanos time) { now_ += time; }
  Run run;
  int nth = 0;  // of the last that began: Assignment::nth

 private:
  Correlator correlator_;
  std::uint64_t exchanges_ = 0;
  Nanos now_ = kSecond;
};

inline std::string said(std::uint64_t call, int attempt, Confidence confidence) {
  return "attempt " + std::to_string(attempt) + " of call " + std::to_string(call) + ", " +
         std::string(show(confidence));
}
#define EXPECT_ATTEMPT(exchange, of, n, sure)                                                            \
  EXPECT_EQ(([](const Exchange& got) { return said(got.call, got.attempt, got.confidence); })(exchange), \
            said((of).call, n, Confidence::sure))
#define EXPECT_OWN_CALL(exchange)                   \
  do {                                              \
    auto got = exchange;                            \
    EXPECT_EQ(got.attempt, 1);                      \
    EXPECT_EQ(got.confidence, Confidence::certain); \
  } while (0)

}  // namespace retrial::trace
