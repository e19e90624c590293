#include "cli/command_tree.h"

#include <CLI/CLI.hpp>

#include "base/text.h"

namespace retrial::cli {
namespace {

// A type reads "TEXT", "INT in [1 - 1024]" or "TEXT:{c0,c1}".
Option option_of(const CLI::Option& option) {
  Option made{.what = option.get_description(), .required = option.get_required()};
  for (auto& name : option.get_snames()) made.names.push_back("-" + name);
  for (auto& name : option.get_lnames()) made.names.push_back("--" + name);
  if (made.names.empty()) made.names.push_back(option.get_name(true));
  if (option.get_items_expected_max() == 0) return made;
  auto type = option.get_type_name();
  if (auto open = type.find(":{"); open != type.npos && type.ends_with('}'))
    for (auto word : split(std::string_view(type).substr(open + 2, type.size() - open - 3), ','))
      made.values.emplace_back(trim(word));
  made.value = type.substr(0, type.find_first_of(": "));
  if (made.value.empty()) made.value = "VALUE";
  return made;
}

Command command_of(const CLI::App& app, const std::string& before) {
  Command made{.path = before + app.get_name(), .name = app.get_name(), .what = app.get_description()};
  for (auto* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    (option->nonpositional() ? made.options : made.positionals).push_back(option_of(*option));
  }
  for (auto* inner : app.get_subcommands([](const CLI::App*) { return true; }))
    if (!inner->get_group().empty()) made.commands.push_back(command_of(*inner, made.path + " "));
  return made;
}

}  // namespace

Command tree_of(const CLI::App& app) { return command_of(app, ""); }

}  // namespace retrial::cli
