#pragma once
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "campaign/config/config.h"
#include "campaign/report/terminal.h"
#include "campaign/workload/adapters/adapter.h"
#include "campaign/workload/run_log.h"
#include "campaign/workload/slot.h"
#include "campaign/workload/turns.h"
#include "campaign/workload/workers.h"
#include "trace/executions.h"

namespace retrial::campaign {

// What all parts of a campaign share. Nothing that is referred to is owned.
struct CampaignContext {
  Executor& executor;
  Workers& workers;
  const Adapter& adapter;
  const std::vector<std::string>& argv;
  Slots& slots;
  const Config& config;
  RunLog& runs;
  report::LiveLine& live;
  const Clock& clock;
  Turns turns = {};
  trace::Lessons lessons = {};                          // of the whole suite without faults: names of things
  std::set<std::string> wide = {};                      // tests that the narrow launch does not reach
  std::map<std::string, const trace::Run*> alone = {};  // without faults, by test: those that have been run so
  bool once = false;          // the suite is run once, and clients' clocks are moved on in that
  bool keep_suites = false;   // both reference runs are kept whole, for checkers
  bool measures = false;      // what runs take is looked at
  bool services_stay = true;  // what one run leaves at a service another finds there

  Result<std::uint64_t> begin(const RunSpec& spec) { return workers.begin(spec); }
  const trace::Run* keep(trace::Run run) {
    lessons.services.name(run);
    turns.part(run);
    return &runs.keep(std::move(run));
  }
  // One run, while nothing else is under way.
  Result<const trace::Run*> execute(const RunSpec& spec) {
    if (auto begun = begin(spec); !begun) return std::unexpected(begun.error());
    auto ended = workers.wait();
    if (!ended->run) return std::unexpected(ended->run.error());
    return keep(std::move(*ended->run));
  }
  // These tests and no others, as the runner can.
  RunSpec spec_for(std::vector<std::string> tests, trace::RunKind kind) const {
    RunSpec spec;
    bool narrow =
        std::ranges::none_of(tests, [&](auto& test) { return wide.contains(std::string(trace::test_of(test))); });
    spec.launch = adapter.only(argv, tests, !narrow);
    spec.kind = kind;
    spec.lessons = lessons;
    spec.measured = measures;
    if (tests.front() == kWholeCommand) spec.only_test = tests.front();
    spec.tests = std::move(tests);
    return spec;
  }
  // Without faults it would take so long.
  static Nanos deadline_of(Nanos usual) { return std::max(kLeastDeadline, 10 * usual); }

 private:
  static constexpr Nanos kLeastDeadline = 120 * kSecond;  // design: 10 times the reference time, 120 s at least
};

}  // namespace retrial::campaign
