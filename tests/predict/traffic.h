#pragma once
#include <string>
#include <utility>
#include <vector>

#include "trace/run.h"

namespace retrial::predict {

// A run told request by request: who sends what, when, and what comes of it.
struct Traffic {
  trace::Run run;

  // From `begun` to `told`, in milliseconds. `stack` as an agent has it: "1:a,/3,4:b".
  trace::Exchange& sends(const std::string& stack, std::string method, std::string target, int status, int begun,
                         int told) {
    auto& e = run.exchanges.emplace_back();
    e.id = e.call = run.exchanges.size();
    e.attempt = 1;
    e.pid = 7;
    e.service = "127.0.0.1:80";
    e.profile = "generic";
    e.method = std::move(method);
    e.target = std::move(target);
    e.operation = e.method + " " + e.target;
    e.tag.stack = stack;
    e.begun = e.request_read = begun * kMillisecond;
    e.answered = e.service_done = e.told = told * kMillisecond;
    e.service_status = e.client_status = status;
    e.ending = trace::Ending::answered;
    return e;
  }
};

}  // namespace retrial::predict
