#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <vector>

#include "base/text.h"
#include "campaign/report/explanation.h"
#include "cli/commands.h"
#include "oracles/oracle.h"

namespace retrial::cli {
namespace {

int explain(const std::string& name) {
  std::vector<std::string_view> known;
  for (auto* oracle : oracles::oracles())
    for (auto& verdict : oracle->verdicts()) {
      if (std::ranges::count(known, verdict.name)) continue;
      known.push_back(verdict.name);
      if (name.empty()) fmt::print("{:24} {}\n", verdict.name, verdict.title);
    }
  if (name.empty()) return kFine;
  if (auto text = campaign::report::explanation(name); !text.empty()) {
    fmt::print("{}", text);
    return kFine;
  }
  auto near = nearest(name, known);
  return complain(fmt::format("{}: no verdict has this name{}; `retrial explain` lists them", name,
                              near ? fmt::format(", did you mean {}?", *near) : ""),
                  kUsage);
}

}  // namespace

void add_explain(CLI::App& app, int& status) {
  auto name = std::make_shared<std::string>();
  auto* command = app.add_subcommand("explain", "what a verdict means, when it is given, and what would fool it");
  command->add_option("verdict", *name, "such as missing-cap; without it, all of them are listed");
  command->callback([name, &status] { status = explain(*name); });
}

}  // namespace retrial::cli
