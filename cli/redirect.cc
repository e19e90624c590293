#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "deploy/nft/redirect.h"

namespace retrial::cli {
namespace {

struct RedirectOptions {
  deploy::Redirection redirection;
  bool remove = false;
};

int act(const RedirectOptions& options) {
  auto& r = options.redirection;
  auto done = options.remove ? deploy::end_redirect() : deploy::redirect(r);
  if (!done) return complain(done.error().line(), done.error().blame == Blame::user ? kUsage : kIncomplete);
  if (options.remove) return kFine;
  auto what =
      r.ports.empty() ? std::string("every TCP connection") : fmt::format("TCP to {}", fmt::join(r.ports, ", "));
  auto except = [](const char* word, const auto& of) {
    return of.empty() ? std::string() : fmt::format(", {} {}", word, fmt::join(of, ", "));
  };
  fmt::print("retrial: {} that leaves this network namespace is redirected to port {}, but not{}{}{}{}\n", what, r.to,
             " to its own addresses", except("of uid", r.not_users), except("to port", r.not_ports),
             except("into", r.not_nets));
  return kFine;
}

}  // namespace

void add_redirect(CLI::App& app, int& status) {
  auto options = std::make_shared<RedirectOptions>();
  auto& r = options->redirection;
  auto* command = app.add_subcommand(
      "redirect",
      "lead a network namespace's connections to `serve --redirect`, by nf_tables, without the program nft");
  command->add_option("--to", r.to, "the listener's port")->capture_default_str()->check(CLI::Range(1, 65535));
  command->add_option("--port", r.ports, "these ports alone; without it every port")
      ->delimiter(',')
      ->check(CLI::Range(1, 65535));
  command->add_option("--except-port", r.not_ports, "but not these")->delimiter(',')->check(CLI::Range(1, 65535));
  command->add_option("--except-uid", r.not_users, "not what this user's processes open: that of `serve` itself")
      ->delimiter(',');
  command->add_option("--except-net", r.not_nets, "not what leads there: 10.0.0.0/8, fd00::/8")->delimiter(',');
  command->add_flag("--remove", options->remove, "take the rules away");
  command->callback([options, &status] { status = act(*options); });
}

}  // namespace retrial::cli
