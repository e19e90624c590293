#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/text.h"
#include "campaign/report/explanation.h"
#include "campaign/report/right_code.h"
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

std::vector<std::string_view> languages_of(const std::vector<campaign::report::RightProgram>& programs) {
  std::vector<std::string_view> all;
  for (auto& program : programs)
    if (!std::ranges::count(all, program.language)) all.push_back(program.language);
  return all;
}

int explain_verdict(const std::string& name, const std::string& text, bool json) {
  auto programs = campaign::report::right_code(name);
  if (json) {
    auto right = nlohmann::ordered_json::array();
    for (auto& program : programs) right.push_back({{"language", program.language}, {"text", program.text}});
    return print_json({{"version", 1}, {"verdict", name}, {"markdown", text}, {"right_code", right}});
  }
  fmt::print("{}", text);
  if (!programs.empty())
    fmt::print("\nRight code, as a pattern: retrial explain {} --code {}\n", name,
               fmt::join(languages_of(programs), "|"));
  return kFine;
}

int show_code(const std::string& name, const std::string& language) {
  auto programs = campaign::report::right_code(name);
  if (programs.empty())
    return complain(fmt::format("{}: there is no code for it; `retrial explain {}` says what is right", name, name),
                    kUsage);
  auto languages = languages_of(programs);
  if (!std::ranges::count(languages, language))
    return complain(fmt::format("--code {}: there is code in {}", language, fmt::join(languages, ", ")), kUsage);
  for (auto between = ""; auto& program : programs)
    if (program.language == language) fmt::print("{}{}\n", std::exchange(between, "\n"), program.text);
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
  if (auto text = campaign::report::explanation(name); !text.empty()) return explain_verdict(name, text, json);
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
  auto* verdict = command->add_option(
      "verdict", *name,
      "such as missing-cap, or a policy such as P1, or faults: how they are written; without it, all are listed");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "the same in JSON; what is said of one is Markdown");
  auto code = std::make_shared<std::string>();
  command->add_option("--code", *code, "of a verdict: right code, in python, node, java or go")
      ->needs(verdict)
      ->excludes("--json");
  command->callback([=, &status] { status = code->empty() ? explain(*name, *json) : show_code(*name, *code); });
}

}  // namespace retrial::cli
