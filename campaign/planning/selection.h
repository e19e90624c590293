#pragma once
#include <optional>
#include <vector>

#include "campaign/planning/changed_files.h"
#include "campaign/planning/company.h"
#include "campaign/planning/shard.h"
#include "scan/location.h"

namespace retrial::campaign {

// What of a suite a campaign puts on trial, beside [run] coverage and policies.
struct Selection {
  std::optional<std::vector<PlannedCase>> planned;     // of a plan file; none: what the coverage says
  std::optional<ChangedFiles> changed;                 // of these, at call sites in them
  std::optional<std::vector<scan::Location>> retries;  // of these, at call sites that lead through one of them
  Shard shard;                                         // and of these
};

// The plan, with an id that all its shards share; its remarks say what was left out. An error as of make_plan.
Result<Plan> select(const Selection& selection, const References& refs,
                    const std::vector<const policies::Policy*>& policies, const Config& config);

// What one way of covering would cost.
struct Forecast {
  std::string coverage;  // "c0"; empty: as [run] and the plan file have it
  std::size_t calls = 0, cases = 0;
  Expected expected;  // of the first also what goes further
};

Forecast forecast(const Plan& plan, const References& refs, const Pace& pace);
// This plan's, and that of each coverage in its place (unless there is a plan file).
std::vector<Forecast> forecasts(const Plan& plan, const Selection& selection, const References& refs,
                                const std::vector<const policies::Policy*>& policies, const Config& config,
                                const Pace& pace);

}  // namespace retrial::campaign
