#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/inject_options.h"
#include "deploy/kubernetes/webhook.h"

namespace retrial::cli {
namespace {

struct WebhookOptions {
  deploy::WebhookSettings settings;
  std::string ca;
};

int act(const WebhookOptions& options) {
  SystemClock clock;
  auto authority =
      certs::Authority::load(options.ca.empty() ? certs::default_folder() : std::filesystem::path(options.ca));
  if (!authority) return complain(authority.error().line() + "; `retrial ca make --dir DIR` makes one", kUsage);
  spdlog::logger logger("retrial", std::make_shared<spdlog::sinks::stderr_sink_st>());
  logger.set_pattern("%Y-%m-%d %H:%M:%S.%e %l: %v");
  auto webhook = deploy::Webhook::start(options.settings, *authority, clock,
                                        [&](std::string_view line) { logger.info("{}", line); });
  if (!webhook) return complain(webhook.error().line(), webhook.error().blame == Blame::user ? kUsage : kIncomplete);
  logger.info("listening on {}:{} as {}, certificates by {}", options.settings.listen, (*webhook)->port(),
              options.settings.name, authority->name());
  (*webhook)->run();
  logger.info("ended");
  return kFine;
}

}  // namespace

void add_webhook(CLI::App& app, int& status) {
  auto options = std::make_shared<WebhookOptions>();
  auto& settings = options->settings;
  auto* command = app.add_subcommand("webhook", "the mutating admission webhook that puts the sidecar into new pods");
  command->add_option("--listen", settings.listen, "the address")->capture_default_str();
  command->add_option("--port", settings.port, "0: the kernel's choice")->capture_default_str();
  command->add_option("--name", settings.name, "whom it is called: retrial-webhook.retrial.svc, or an address")
      ->required();
  command->add_option("--ca", options->ca,
                      "the folder of the authority that signs its certificate (`retrial ca make --dir`)");
  add_inject_options(*command, settings.inject);
  command->callback([options, &status] { status = act(*options); });
}

}  // namespace retrial::cli
