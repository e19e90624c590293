#pragma once
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policies/policy.h"
#include "trace/exchange.h"

namespace retrial::campaign {

struct Case;

// One [[case]] of a plan file: what `plan -o` writes, and `run --plan` looks for in the suite as it is by then
// (docs/shards.md). Nothing in it depends on how long a test takes, or on the machine.
struct PlannedCase {
  int number = 0, line = 0;             // in the file: the n-th, begun there
  std::optional<trace::CallSite> site;  // found again by file and function; of several, the one of the nearest line
  std::string service, operation;
  const policies::Policy* policy = nullptr;
  policies::FaultPlan faults;
  std::string test;    // empty: in any test that makes its call
  int occurrence = 0;  // of the call in that test; 0: the first that can be tried, or all where its policy asks for all
};

// TOML. `command` stands in its first line, for people.
std::string plan_file_text(std::span<const Case> cases, const std::string& command);

// Its first error names line and key, as retrial.toml's do. A file without a case is one.
Result<std::vector<PlannedCase>> parse_plan_file(std::string_view text, std::string_view file_name);
Result<std::vector<PlannedCase>> load_plan_file(const std::filesystem::path& file);

}  // namespace retrial::campaign
