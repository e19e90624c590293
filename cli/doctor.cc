#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "base/descriptor_limit.h"
#include "campaign/sight.h"
#include "campaign/workload/slot.h"
#include "campaign/workload/try_time.h"
#include "campaign/workload/ways_in.h"
#include "cli/campaign_options.h"
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

// Of a command: one run without faults, as `run` begins.
int doctor_of(const CampaignOptions& options, bool json) {
  raise_descriptor_limit();
  auto setting = setting_of(options);
  if (!setting) return complain(setting.error().line(), kUsage);
  auto folder = make_folder(options.out, false);
  if (!folder) return complain(folder.error().line(), kUsage);
  setting->folder = *folder;
  setting->look_only = true;
  SystemClock clock;
  auto outcome = campaign::run_campaign(*setting, clock);
  if (!outcome) return complain(outcome.error().line(), outcome.error().blame == Blame::user ? kUsage : kIncomplete);
  auto sight = campaign::sight_of(*outcome, setting->config);
  std::fputs(json ? campaign::report::json_of(sight).c_str()
                  : campaign::report::table_of(sight, campaign::report::style_of(stdout)).c_str(),
             stdout);
  if (outcome->interrupted) return kInterrupted;
  if (outcome->nothing_to_try) return kNothing;
  return sight.trouble.empty() ? kFine : kIncomplete;
}

}  // namespace

void add_doctor(CLI::App& app, int& status) {
  auto options = std::make_shared<CampaignOptions>();
  auto json = std::make_shared<bool>(false);
  auto* command = app.add_subcommand(
      "doctor",
      "try each way of capture, time compression and slots on this machine, and say which work; with a command, run it "
      "once without faults, and say what is seen of it and what would mend what is not");
  options->add_common(*command);
  command->add_flag("--json", *json, "of a command: the same in JSON");
  command->add_option("command", options->command, "-- the test command, as you always run it");
  command->callback([=, &status] {
    if (!options->command.empty())
      status = doctor_of(*options, *json);
    else
      status =
          *json ? complain("--json: what it says is of a command: retrial doctor --json -- COMMAND", kUsage) : doctor();
  });
}

}  // namespace retrial::cli
