#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <memory>
#include <sstream>

#include "campaign/config/config.h"
#include "campaign/config/server_settings.h"
#include "cli/commands.h"

namespace retrial::cli {
namespace {

int check(const std::string& file) {
  std::ifstream in(file);
  if (!in) return complain(file + ": cannot be read", kUsage);
  std::stringstream text;
  text << in.rdbuf();
  auto checked = campaign::check_config(text.str(), file);
  for (auto& error : checked.errors) complain(error.line(), kUsage);
  if (!checked.errors.empty()) return kUsage;
  auto settings = campaign::server_settings(checked.config);
  if (!settings) return complain(file + ": " + settings.error().line(), kUsage);
  for (auto& line : campaign::warnings_of(*settings)) fmt::print("{}: {}\n", file, line);
  fmt::print("{}: fine\n", file);
  return kFine;
}

}  // namespace

void add_check(CLI::App& app, int& status) {
  auto file = std::make_shared<std::string>("retrial.toml");
  auto* command = app.add_subcommand("check", "say everything that is wrong with a retrial.toml");
  command->add_option("file", *file)->capture_default_str();
  command->callback([file, &status] { status = check(*file); });
}

}  // namespace retrial::cli
