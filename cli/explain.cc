#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/text.h"
#include "campaign/report/explanation.h"
#include "cli/commands.h"
#include "oracles/oracle.h"
#include "policies/registry.h"

namespace retrial::cli {
namespace {

int print_json(const nlohmann::ordered_json& json) {
  fmt::print("{}\n", json.dump(2));
  return kFine;
}

// What a policy asks, and by which faults.
int explain_policy(const policies::Policy& policy, bool json) {
  std::vector<std::string> plans;
  for (auto& plan : policy.plans) plans.push_back(policies::show(plan));
  if (json)
    return print_json({{"version", 1}, {"policy", policy.name}, {"question", policy.question}, {"faults", plans}});
  fmt::print("### {}\n{}\n", policy.name, policy.question);
  for (auto& plan : plans) fmt::print("- `{}`\n", plan);
  fmt::print("How faults are written: retrial explain faults\n");
  return kFine;
}

int explain(const std::string& name, bool json) {
  if (auto* policy = policies::policy_named(name)) return explain_policy(*policy, json);
  if (auto page = campaign::report::page("faults.md"); name == "faults") {
    if (json) return print_json({{"version", 1}, {"page", name}, {"markdown", page}});
    fmt::print("{}", page);
    return kFine;
  }
  std::vector<std::string_view> known;
  auto all = nlohmann::ordered_json::array();
  for (auto* oracle : oracles::oracles())
    for (auto& verdict : oracle->verdicts()) {
      if (std::ranges::count(known, verdict.name)) continue;
      known.push_back(verdict.name);
      all.push_back({{"verdict", verdict.name}, {"title", verdict.title}});
      if (name.empty() && !json) fmt::print("{:24} {}\n", verdict.name, verdict.title);
    }
  if (name.empty() && json) return print_json({{"version", 1}, {"verdicts", all}});
  if (name.empty()) {
    std::vector<std::string_view> names;
    for (auto& policy : policies::policies()) names.push_back(policy.name);
    fmt::print("\nPolicies: {}. How faults are written: retrial explain faults\n", fmt::join(names, ", "));
    return kFine;
  }
  if (auto text = campaign::report::explanation(name); !text.empty()) {
    if (json) return print_json({{"version", 1}, {"verdict", name}, {"markdown", text}});
    fmt::print("{}", text);
    return kFine;
  }
  auto near = nearest(name, known);
  return complain(
      fmt::format(
          "{}: no verdict or policy has this name{}; `retrial explain` lists them, `retrial explain faults` the faults",
          name, near ? fmt::format(", did you mean {}?", *near) : ""),
      kUsage);
}

}  // namespace

void add_explain(CLI::App& app, int& status) {
  auto name = std::make_shared<std::string>();
  auto* command = app.add_subcommand(
      "explain", "what a verdict means, when it is given, and what would fool it; what a policy asks");
  command->add_option(
      "verdict", *name,
      "such as missing-cap, or a policy such as P1, or faults: how they are written; without it, all are listed");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "the same in JSON; what is said of one is Markdown");
  command->callback([=, &status] { status = explain(*name, *json); });
}

}  // namespace retrial::cli
