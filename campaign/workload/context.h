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

// What all parts of a campaign share. Nothing is owned.
struct CampaignContext {
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
  Result<const trace::Run*> execute(const RunSpec& spec) {
    auto run = executor.execute(spec);
    if (!run) return std::unexpected(run.error());
    lessons.services.name(runs.emplace_back(std::move(*run)));
    return &runs.back();
  }
  // This test alone, as the runner can.
  RunSpec spec_for(const std::string& test, trace::RunKind kind, bool wide) const {
    RunSpec spec;
    spec.launch = adapter.only(argv, test, wide);
    spec.kind = kind;
    spec.tests = {test};
    spec.lessons.names = lessons.names;
    spec.lessons.services = lessons.services;
    if (test == kWholeCommand) spec.only_test = test;
    return spec;
  }
};

}  // namespace retrial::campaign
