#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "campaign/workload/look.h"
#include "cli/commands.h"

namespace retrial::cli {

// Not for users: Retrial puts it around a command of theirs (campaign/workload/look.h).
void add_look(CLI::App& app, int& status) {
  struct Options {
    std::vector<std::string> urls, command;
    std::string test, orders;
  };
  auto options = std::make_shared<Options>();
  auto* command = app.add_subcommand("look", "")->group("");
  command->add_option("--url", options->urls)->allow_extra_args(false);
  command->add_option("--test", options->test);
  command->add_option("--orders", options->orders);
  command->add_option("command", options->command)->required();
  command->callback([options, &status] {
    status = campaign::look_after(options->command, options->urls, options->test, options->orders);
  });
}

}  // namespace retrial::cli
