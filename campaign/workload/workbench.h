#pragma once
#include <deque>
#include <string>
#include <vector>

#include "campaign/config/config.h"
#include "campaign/report/terminal.h"
#include "campaign/workload/adapters/adapter.h"
#include "campaign/workload/execution.h"
#include "campaign/workload/services.h"

namespace retrial::campaign {

// What every part of a campaign works with. Nothing is owned.
struct Workbench {
  Executor& executor;
  const Adapter& adapter;
  const std::vector<std::string>& argv;
  Services& services;
  const Config& config;
  std::deque<trace::Run>& runs;  // every run so far; addresses stay
  report::LiveLine& live;
  const Clock& clock;
  trace::Lessons lessons = {};  // of the whole suite without faults: names of things

  // Executes and keeps it.
  Result<const trace::Run*> execute(const Order& order) {
    auto run = executor.execute(order);
    if (!run) return std::unexpected(run.error());
    runs.push_back(std::move(*run));
    return &runs.back();
  }
  // The order that runs this test alone, as the runner can.
  Order order_for(const std::string& test, trace::RunKind kind, bool wide) const {
    Order order;
    order.launch = adapter.only(argv, test, wide);
    order.kind = kind;
    order.tests = {test};
    order.lessons.names = lessons.names;
    if (adapter.whole()) order.only_test = test;
    return order;
  }
};

}  // namespace retrial::campaign
