#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "campaign/workload/one_by_one.h"
#include "cli/commands.h"

namespace retrial::cli {

// Not for users: Retrial puts it around a command of theirs (campaign/workload/one_by_one.h).
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

}  // namespace retrial::cli
