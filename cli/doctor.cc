#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "campaign/workload/slot.h"
#include "campaign/workload/try_time.h"
#include "campaign/workload/ways_in.h"
#include "cli/commands.h"
#include "proxy/capture/tree.h"

namespace retrial::cli {
namespace {

int doctor() {
  for (auto way : {proxy::Way::getfd, proxy::Way::rewrite}) {
    auto ok = proxy::try_way(way);
    fmt::print("seccomp ({}): {}\n", proxy::show(way),
               ok ? "works: a child's connect was captured" : ok.error().line());
  }
  using Kind = campaign::Capture::Kind;
  constexpr std::pair<Kind, std::string_view> kOthers[] = {
      {Kind::redirect, "works"},
      {Kind::forward, "works: for clients that read HTTP_PROXY"},
      {Kind::reverse, "works: for commands that take a service's address from RETRIAL_<NAME>_URL"}};
  for (auto [kind, what] : kOthers) {
    auto ok = campaign::try_capture(kind);
    fmt::print("{}: {}\n", campaign::show({.kind = kind}), ok ? std::string(what) : ok.error().what);
  }
  for (auto& line : campaign::try_time()) fmt::print("{}\n", line);
  auto slot = campaign::Slot::open({}, {".", 1});
  fmt::print("slots: {}\n",
             slot ? "work: runs side by side can have services at fixed ports, each its own" : slot.error().line());
  auto chosen = campaign::choose_capture("", {});
  if (chosen)
    fmt::print("`retrial run` will use {}\n", campaign::show(*chosen));
  else
    fmt::print("`retrial run` cannot capture here: {}\n", chosen.error().line());
  return chosen ? kFine : kIncomplete;
}

}  // namespace

void add_doctor(CLI::App& app, int& status) {
  app.add_subcommand("doctor",
                     "try each way of capture, time compression and slots on this machine, and say which work")
      ->callback([&status] { status = doctor(); });
}

}  // namespace retrial::cli
