#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "campaign/report/words.h"
#include "cli/campaign_options.h"
#include "cli/commands.h"

namespace retrial::cli {
namespace {

using Json = nlohmann::ordered_json;

double milliseconds(Nanos time) { return std::round(static_cast<double>(time) / 1e3) / 1e3; }

std::string words_of_side(const predict::Side& side) {
  return fmt::format("{:7} {} at {}: {}", predict::show(side.kind), side.operation,
                     side.site ? trace::show(*side.site) : "-", side.status);
}

Json json_of_side(const predict::Side& side) {
  return {{"operation", side.operation},
          {"target", side.target},
          {"kind", predict::show(side.kind)},
          {"call_site", side.site ? Json(trace::show(*side.site)) : Json(nullptr)},
          {"status", side.status},
          {"exchange", side.exchange}};
}

void print_turn(const campaign::MayTurn& turn) {
  for (auto& miss : turn.misses)
    fmt::print("{}{} in {}\n  first  {}\n  then   {}\n  within {:.1f} ms; {}, and nothing is known to order them\n\n",
               miss.service, miss.resource, turn.found.target.test, words_of_side(miss.first),
               words_of_side(miss.second), milliseconds(miss.gap), miss.why);
}

void print_death(const campaign::MayDie& death) {
  for (auto& fall : death.falls) {
    bool waits = fall.kind == predict::MayFall::Kind::wait;
    fmt::print("{}{} in {}\n  writes {}\n  {} {}\n  {} {}; {}\n\n", fall.service, fall.resource,
               death.found.target.test, words_of_side(fall.writer), waits ? "waits " : "reads ",
               words_of_side(fall.reader), policies::show(death.plan),
               waits ? "at the write" : "at the write, and then its recovery reads", fall.why);
  }
}

Json json_of_turns(const std::vector<campaign::MayTurn>& turns) {
  auto all = Json::array();
  for (auto& turn : turns)
    for (auto& miss : turn.misses)
      all.push_back({{"test", turn.found.target.test},
                     {"service", miss.service},
                     {"resource", miss.resource},
                     {"first", json_of_side(miss.first)},
                     {"second", json_of_side(miss.second)},
                     {"gap_ms", milliseconds(miss.gap)},
                     {"delay_ms", milliseconds(turn.delay)},
                     {"why", miss.why}});
  return all;
}

Json json_of_deaths(const std::vector<campaign::MayDie>& deaths) {
  auto all = Json::array();
  for (auto& death : deaths)
    for (auto& fall : death.falls)
      all.push_back({{"test", death.found.target.test},
                     {"kind", fall.kind == predict::MayFall::Kind::wait ? "wait" : "recovery"},
                     {"service", fall.service},
                     {"resource", fall.resource},
                     {"write", json_of_side(fall.writer)},
                     {"read", json_of_side(fall.reader)},
                     {"fault", policies::show(death.plan)},
                     {"why", fall.why}});
  return all;
}

std::string json_of_candidates(const campaign::CampaignOutcome& outcome) {
  Json out{{"version", 1},
           {"candidates", json_of_turns(outcome.may_turn)},
           {"further_apart", outcome.further_apart},
           {"deaths", json_of_deaths(outcome.may_die)},
           {"left_alone", outcome.record.left_alone},
           {"remarks", outcome.record.remarks},
           {"incomplete", outcome.record.incomplete}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void print_all(const campaign::CampaignOutcome& outcome) {
  for (auto& turn : outcome.may_turn) print_turn(turn);
  for (auto& death : outcome.may_die) print_death(death);
}

int predict_orders(const CampaignOptions& options, bool json) {
  auto setting = setting_in_folder(options, false);
  if (!setting) return complain(setting.error().line(), kUsage);
  setting->predict_only = true;
  setting->aside = true;
  SystemClock clock;
  auto outcome = campaign::run_campaign(*setting, clock);
  if (!outcome || outcome->nothing_to_try) return conclude(*setting, outcome);
  if (json)
    std::fputs(json_of_candidates(*outcome).c_str(), stdout);
  else
    print_all(*outcome);
  if (outcome->interrupted) return kInterrupted;
  if (!outcome->record.incomplete.empty()) return complain(outcome->record.incomplete, kIncomplete);
  if (json) return kFine;
  auto calls = campaign::report::counted(outcome->may_turn.size(), "operation");
  if (outcome->may_turn.empty())
    fmt::print(
        "no two operations that are known to be unordered came close together (tasks of one thread that no agent tells "
        "apart are, while both wait)\n");
  else
    fmt::print("{} to be held: retrial run --policies order -- COMMAND\n", calls);
  if (outcome->further_apart)
    fmt::print("{} further apart than {} ms: not held, as no delay of ours would turn them around\n",
               campaign::report::counted(outcome->further_apart, "pair of operations", "pairs of operations"),
               predict::kNear / kMillisecond);
  if (!outcome->may_die.empty())
    fmt::print("{} at which a process is to die: retrial run --policies tof -- COMMAND\n",
               campaign::report::counted(outcome->may_die.size(), "moment"));
  return kFine;
}

}  // namespace

void add_predict(CLI::App& app, int& status) {
  auto options = std::make_shared<CampaignOptions>();
  auto json = std::make_shared<bool>(false);
  auto* command = app.add_subcommand(
      "predict",
      "run the references only, and show which operations might come in another order (what `run --policies order` "
      "tries), and at which writes a process's death may be seen (`tof`)");
  options->add_common(*command);
  command->add_flag("--json", *json, "the same in JSON");
  command->add_option("command", options->command, "-- the test command, as you always run it")->required();
  command->callback([=, &status] { status = predict_orders(*options, *json); });
}

}  // namespace retrial::cli
