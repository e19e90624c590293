#pragma once
#include <string>

#include "tests/predict/traffic.h"
#include "trace/fault_name.h"

namespace retrial::predict {

inline constexpr std::int32_t kTester = 7, kDying = 8, kSuccessor = 9;

// A run told request by request, each by a process, a millisecond each.
struct Story : Traffic {
  int now = 0;
  trace::Exchange& by(std::int32_t pid, const std::string& method, const std::string& target, int status,
                      const std::string& answer = "") {
    auto& e = sends("", method, target, status, now, now + 1);
    now += 2;
    e.pid = pid;
    e.response_sample = answer;
    return e;
  }
  void dies(const std::string& method, const std::string& target, int status) {
    auto& e = by(kDying, method, target, status);
    e.fired = true;
    e.fault = {.name = trace::FaultName::crash,
               .point = status ? trace::Point::executed : trace::Point::before_request};
    e.fired_at = e.answered;
    e.client_status = 0;
    e.ending = trace::Ending::reset;
    if (!status) e.answered = e.service_done = 0;
  }
};

}  // namespace retrial::predict
