#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "campaign/workload/look.h"
#include "campaign/workload/one_by_one.h"
#include "cli/commands.h"

namespace retrial::cli {

namespace {

// campaign/workload/one_by_one.h
void add_each(CLI::App& app, int& status) {
  struct Options {
    std::vector<std::string> command;
    std::string runner;
  };
  auto options = std::make_shared<Options>();
  auto* command = app.add_subcommand("each", "")->group("");
  command->add_option("--of", options->runner)->required();
  command->add_option("command", options->command)->required();
  command->callback([options, &status] { status = campaign::run_one_by_one(options->runner, options->command); });
}

}  // namespace

// Not for users: Retrial puts these around a command of theirs (campaign/workload/look.h).
void add_look(CLI::App& app, int& status) {
  add_each(app, status);
  struct Options {
    std::vector<std::string> urls, command;
    std::string test;
  };
  auto options = std::make_shared<Options>();
  auto* command = app.add_subcommand("look", "")->group("");
  command->add_option("--url", options->urls)->allow_extra_args(false);
  command->add_option("--test", options->test);
  command->add_option("command", options->command)->required();
  command->callback(
      [options, &status] { status = campaign::look_after(options->command, options->urls, options->test); });
}

}  // namespace retrial::cli
