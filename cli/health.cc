#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <memory>

#include "base/text.h"
#include "cli/admin_options.h"
#include "cli/commands.h"
#include "cli/serving_here.h"

namespace retrial::cli {
namespace {

// One line, and 0 or 1: what a container engine asks of a HEALTHCHECK.
int said(const std::string& line, bool well) {
  fmt::print("{}\n", line);
  return well ? 0 : 1;
}

int health(const AdminOptions& options, const std::string& listener, const std::string& time) {
  auto timeout = parse_duration(time);
  if (!timeout || *timeout <= 0) return complain("--timeout: expected a duration, such as 2s", kUsage);
  if (!listener.empty()) {
    auto at = proxy::http_address_of(listener);
    if (!at) return complain("--listener: " + at.error().line(), kUsage);
    auto ok = proxy::accepts_connections(*at, *timeout);
    return ok ? said(at->show() + " accepts connections", true) : said(ok.error().line(), false);
  }
  auto admin = options.address();
  if (!admin) return complain(admin.error().line(), kUsage);
  if (admin->empty()) {
    std::string line;
    bool well = serving_here(line);
    return said(line, well);
  }
  auto client = options.client(*timeout);
  if (!client) return complain(client.error().line(), kUsage);
  auto answer = client->ask("GET", "/health");
  if (!answer) return said(answer.error().line(), false);
  auto line = answer->body.substr(0, answer->body.find('\n'));
  return said(answer->status == 200 ? line : fmt::format("{} {}", answer->status, line), answer->status == 200);
}

}  // namespace

void add_health(CLI::App& app, int& status) {
  auto options = std::make_shared<AdminOptions>();
  auto listener = std::make_shared<std::string>();
  auto timeout = std::make_shared<std::string>("2s");
  auto* command = app.add_subcommand("health", "whether a `retrial serve` is well: one line, and exit status 0 or 1");
  options->add_to(*command);
  command->add_option("--listener", *listener,
                      "HOST:PORT: whether this listener accepts connections; without it and an admin side, whether a "
                      "serve listens in this container");
  command->add_option("--timeout", *timeout, "for each step")->capture_default_str();
  command->callback([options, listener, timeout, &status] { status = health(*options, *listener, *timeout); });
}

}  // namespace retrial::cli
