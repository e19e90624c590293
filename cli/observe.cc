#include <fmt/format.h>
#include <sys/wait.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <random>

#include "campaign/campaign.h"
#include "campaign/execution.h"
#include "cli/commands.h"
#include "policies/fault_plan.h"
#include "trace/comparison.h"
#include "trace/store.h"

namespace retrial::cli {
namespace {

struct Options {
  std::optional<std::string> inject;
  std::optional<std::uint64_t> seed;
  std::string out;
  std::string capture;
  std::vector<std::string> command;
};

void print(const trace::Run& run) {
  for (auto& c : run.connection_faults)
    fmt::print(stderr, "retrial: {} of process {} {}: {}{}{}\n", c.service, c.pid, trace::show(c.fault),
               c.fired ? "" : "not fired: ", c.evidence, c.times > 1 ? fmt::format(", {} times", c.times) : "");
  for (auto& call : trace::calls_of(run)) {
    auto& e = call.first();
    std::string answers;
    for (auto* a : call.attempts)
      answers += fmt::format(
          " {}", a->client_status ? trace::status_of(*a, a->client_status) : std::string(trace::show(a->ending)));
    std::string waits;
    for (auto gap : trace::gaps(call)) waits += fmt::format(" {:.0f}", static_cast<double>(gap) / kMillisecond);
    fmt::print(stderr, "retrial: {} {} at {}: {} attempt(s):{}{}{}\n", e.service, e.operation,
               e.tag.site ? trace::show(*e.tag.site) : "-", call.attempts.size(), answers,
               waits.empty() ? "" : "; gaps in ms:", waits);
  }
}

int observe(const Options& options) {
  auto capture = campaign::choose_capture(options.capture, {});
  if (!capture) return complain(capture.error().line(), kUsage);
  if (!capture->remark.empty()) fmt::print(stderr, "retrial: {}\n", capture->remark);
  campaign::Order order;
  order.attached = true;
  order.only_test = campaign::kWholeCommand;
  if (options.inject) {
    auto plan = policies::parse_fault_plan(*options.inject);
    if (!plan) return complain("--inject: " + plan.error().line(), kUsage);
    auto seed = options.seed.value_or(std::random_device{}());
    if (policies::rolls(*plan)) fmt::print(stderr, "retrial: chance is drawn with --seed {}\n", seed);
    order.aim = campaign::Aim{{}, *plan, seed};
    order.kind = trace::RunKind::with_fault;
  }
  auto folder = make_folder(options.out);
  if (!folder) return complain(folder.error().line(), kUsage);
  SystemClock clock;
  auto executor = campaign::Executor::open({*folder, *capture, false, {}}, clock);
  if (!executor) return complain(executor.error().line(), kUsage);
  auto command = campaign::command_to_run(options.command);
  order.launch = campaign::adapter_for(command).suite(command);
  auto run = (*executor)->execute(order);
  if (!run)
    return complain(run.error().line(),
                    run.error().blame == Blame::user ? proxy::shell_status(run.error()) : kIncomplete);
  print(*run);
  trace::CampaignRecord record{.command = options.command,
                               .runner = "command",
                               .directory = std::filesystem::current_path().string(),
                               .wall_began = run->wall_began,
                               .took = run->ended - run->began,
                               .incomplete = run->incomplete};
  if (auto ok = trace::write_store(*folder / "campaign.db", record, {*run}); !ok)
    complain(ok.error().line(), kIncomplete);
  if (!run->incomplete.empty()) complain("this run is incomplete: " + run->incomplete, kIncomplete);
  return run->stop == trace::Stop::signalled ? 128 + run->exit_code : run->exit_code;
}

}  // namespace

void add_observe(CLI::App& app, int& status) {
  auto options = std::make_shared<Options>();
  auto* command = app.add_subcommand("observe", "run a command once, recorded; exits as the command does");
  command->add_option("--inject", options->inject, "faults for every call, e.g. 'error(503) x 2, then pass'");
  command->add_option("--seed", options->seed, "for faults that come by chance (default: another one each time)");
  command->add_option("--capture", options->capture, "seccomp or forward (default: the first that works)");
  command->add_option("--out", options->out, "folder for the trace (default: .retrial/<time>)");
  command->add_option("command", options->command, "-- the command")->required();
  command->callback([options, &status] { status = observe(*options); });
}

}  // namespace retrial::cli
