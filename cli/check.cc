#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "campaign/config/config.h"
#include "campaign/config/server_settings.h"
#include "cli/commands.h"

namespace retrial::cli {
namespace {

using Json = nlohmann::ordered_json;

// The same in JSON.
int print_checked(const std::string& file, const std::vector<Error>& errors, const std::vector<std::string>& warnings) {
  auto wrong = Json::array();
  for (auto& error : errors) wrong.push_back({{"where", error.on}, {"what", error.what}});
  Json out{{"version", 1}, {"file", file}, {"fine", errors.empty()}, {"errors", wrong}, {"warnings", warnings}};
  fmt::print("{}\n", out.dump(2, ' ', false, Json::error_handler_t::replace));
  return errors.empty() ? kFine : kUsage;
}

int check(const std::string& file, bool json) {
  std::ifstream in(file);
  if (!in) return complain(file + ": cannot be read", kUsage);
  std::stringstream text;
  text << in.rdbuf();
  auto checked = campaign::check_config(text.str(), file);
  std::vector<std::string> warnings;
  if (checked.errors.empty()) {
    auto settings = campaign::server_settings(checked.config);
    if (settings)
      warnings = campaign::warnings_of(*settings);
    else
      checked.errors.push_back({settings.error().line(), file, Blame::user});
  }
  if (json) return print_checked(file, checked.errors, warnings);
  for (auto& error : checked.errors) complain(error.line(), kUsage);
  if (!checked.errors.empty()) return kUsage;
  for (auto& line : warnings) fmt::print("{}: {}\n", file, line);
  fmt::print("{}: fine\n", file);
  return kFine;
}

}  // namespace

void add_check(CLI::App& app, int& status) {
  auto file = std::make_shared<std::string>("retrial.toml");
  auto* command = app.add_subcommand("check", "say everything that is wrong with a retrial.toml");
  command->add_option("file", *file)->capture_default_str();
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "the same in JSON");
  command->callback([=, &status] { status = check(*file, *json); });
}

}  // namespace retrial::cli
