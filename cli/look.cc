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
    std::vector<std::string> command;
    campaign::Looking looking;
  };
  auto options = std::make_shared<Options>();
  auto* command = app.add_subcommand("look", "")->group("");
  command->add_option("--url", options->looking.urls)->allow_extra_args(false);
  command->add_option("--test", options->looking.test);
  command->add_option("--orders", options->looking.orders);
  command->add_option("--memory", options->looking.memory);
  command->add_option("command", options->command)->required();
  command->callback([options, &status] { status = campaign::look_after(options->command, options->looking); });
}

}  // namespace retrial::cli
