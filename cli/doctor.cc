#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "campaign/sight.h"
#include "campaign/workload/slot.h"
#include "campaign/workload/try_time.h"
#include "campaign/workload/ways_in.h"
#include "cli/campaign_options.h"
#include "cli/commands.h"
#include "proxy/capture/tree.h"

namespace retrial::cli {
namespace {

using Json = nlohmann::ordered_json;

// What was tried on this machine.
struct Tried {
  std::string what, told;
  bool works = false;
};

std::vector<Tried> tried_here() {
  std::vector<Tried> all;
  for (auto way : {proxy::Way::getfd, proxy::Way::rewrite}) {
    auto ok = proxy::try_way(way);
    all.push_back({fmt::format("seccomp ({})", proxy::show(way)),
                   ok ? "works: a child's connect was captured" : ok.error().line(), ok.has_value()});
  }
  using Kind = campaign::Capture::Kind;
  constexpr std::pair<Kind, std::string_view> kOthers[] = {
      {Kind::redirect, "works"},
      {Kind::forward, "works: for clients that read HTTP_PROXY"},
      {Kind::reverse, "works: for commands that take a service's address from RETRIAL_<NAME>_URL"}};
  for (auto [kind, what] : kOthers) {
    auto ok = campaign::try_capture(kind);
    all.push_back({campaign::show({.kind = kind}), ok ? std::string(what) : ok.error().what, ok.has_value()});
  }
  for (auto& line : campaign::try_time()) {
    auto colon = line.find(": ");
    auto told = line.substr(std::min(line.size(), colon + 2));
    all.push_back({line.substr(0, colon), told, told.starts_with("works")});
  }
  auto slot = campaign::Slot::open({}, {".", 1});
  all.push_back({"slots",
                 slot ? "work: runs side by side can have services at fixed ports, each its own" : slot.error().line(),
                 slot.has_value()});
  return all;
}

int doctor(bool json) {
  auto all = tried_here();
  auto chosen = campaign::choose_capture("", {});
  if (json) {
    auto tried = Json::array();
    for (auto& one : all) tried.push_back({{"what", one.what}, {"works", one.works}, {"told", one.told}});
    Json out{{"version", 1},
             {"tried", tried},
             {"capture", chosen ? campaign::show(*chosen) : ""},
             {"trouble", chosen ? "" : chosen.error().line()}};
    fmt::print("{}\n", out.dump(2, ' ', false, Json::error_handler_t::replace));
    return chosen ? kFine : kIncomplete;
  }
  for (auto& one : all) fmt::print("{}: {}\n", one.what, one.told);
  if (chosen)
    fmt::print("`retrial run` will use {}\n", campaign::show(*chosen));
  else
    fmt::print("`retrial run` cannot capture here: {}\n", chosen.error().line());
  return chosen ? kFine : kIncomplete;
}

// Of a command: one run without faults, as `run` begins.
int doctor_of(const CampaignOptions& options, bool json) {
  auto setting = setting_in_folder(options, false);
  if (!setting) return complain(setting.error().line(), kUsage);
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
  command->add_flag("--json", *json, "the same in JSON");
  command->add_option("command", options->command, "-- the test command, as you always run it");
  command->callback([=, &status] { status = options->command.empty() ? doctor(*json) : doctor_of(*options, *json); });
}

}  // namespace retrial::cli
