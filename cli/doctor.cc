#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "proxy/capture/tree.h"

namespace retrial::cli {
namespace {

int doctor() {
  bool any = false;
  for (auto way : {proxy::Way::getfd, proxy::Way::rewrite}) {
    auto ok = proxy::try_way(way);
    any |= ok.has_value();
    fmt::print("seccomp ({}): {}\n", proxy::show(way),
               ok ? "works: a child's connect was captured" : ok.error().line());
  }
  auto chosen = proxy::choose_way();
  if (chosen)
    fmt::print("`retrial run` will use seccomp ({})\n", proxy::show(*chosen));
  else
    fmt::print("`retrial run` cannot capture here: {}\n", chosen.error().line());
  return any && chosen ? kFine : kIncomplete;
}

}  // namespace

void add_doctor(CLI::App& app, int& status) {
  app.add_subcommand("doctor", "try each way of capture on this machine, and say which works")->callback([&status] {
    status = doctor();
  });
}

}  // namespace retrial::cli
