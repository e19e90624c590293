#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/serve_options.h"

namespace retrial::cli {

void add_envoy(CLI::App& app, int& status) {
  auto options = std::make_shared<ServeOptions>();
  auto* command = app.add_subcommand(
      "envoy", "tells the Envoys of a mesh what to do with their requests: rules and recording by ext_proc");
  options->add_to_envoy(*command);
  command->callback([options, &status] { status = serve(*options); });
}

}  // namespace retrial::cli
