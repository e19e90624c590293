#include "cli/admin_options.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "campaign/config/config.h"

namespace retrial::cli {
namespace {

std::string from_environment(const char* name) {
  auto* value = std::getenv(name);
  return value ? value : "";
}

Result<campaign::AdminSettings> settings_in(const std::string& config) {
  auto file = config.empty() ? "retrial.toml" : config;
  if (config.empty() && !std::filesystem::exists(file)) return campaign::AdminSettings{};
  auto loaded = campaign::load_config(file);
  if (!loaded) return std::unexpected(loaded.error());
  return loaded->admin;
}

}  // namespace

std::string admin_of_environment() { return from_environment("RETRIAL_ADMIN"); }

void AdminOptions::add_to(CLI::App& app) {
  app.add_option("--admin", admin,
                 "where the admin side is: unix:PATH, HOST:PORT or https://HOST:PORT (default: RETRIAL_ADMIN, else "
                 "[admin] of retrial.toml, else .retrial/admin.sock)");
  app.add_option("--token", token, "file that holds its token (default: RETRIAL_ADMIN_TOKEN, else [admin] token)");
  app.add_option("--admin-ca", ca, "PEM file that its certificate is verified by (default: the system's)");
  app.add_option("-c,--config", config, "retrial.toml (default: ./retrial.toml, if there is one)");
}

Result<std::string> AdminOptions::address() const {
  if (!admin.empty()) return admin;
  if (auto said = admin_of_environment(); !said.empty()) return said;
  auto settings = settings_in(config);
  if (!settings) return std::unexpected(settings.error());
  return settings->listen;
}

Result<proxy::HttpClient> AdminOptions::client(Nanos timeout) const {
  auto where = address();
  if (!where) return std::unexpected(where.error());
  constexpr std::string_view kHere = campaign::AdminSettings::kSocket;
  if (where->empty() && std::filesystem::exists(kHere.substr(kHere.find(':') + 1))) *where = kHere;
  if (where->empty())
    return fail("expected the address of the admin side: --admin, RETRIAL_ADMIN, or [admin] listen in retrial.toml",
                "--admin", Blame::user);
  auto at = proxy::http_address_of(*where);
  if (!at) return std::unexpected(at.error());
  proxy::HttpClient::Options made{.at = *at, .token = {}, .ca = ca, .timeout = timeout};
  auto file = token.empty() ? from_environment("RETRIAL_ADMIN_TOKEN") : token;
  if (file.empty() && at->path.empty()) {
    auto settings = settings_in(config);
    if (settings) file = settings->token_file();
    if (!std::filesystem::exists(file)) file.clear();
  }
  if (!file.empty()) {
    std::ifstream in(file);
    if (!in || !std::getline(in, made.token))
      return fail("expected a file whose first line is the admin side's token", file, Blame::user);
    made.token = trim(made.token);
  }
  return proxy::HttpClient(std::move(made));
}

}  // namespace retrial::cli
