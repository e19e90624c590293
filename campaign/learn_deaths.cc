#include "campaign/learn_deaths.h"

#include <fmt/format.h>

#include <set>

#include "campaign/planning/deaths.h"
#include "campaign/trial.h"
#include "predict/death.h"
#include "predict/time_of_fault.h"

namespace retrial::campaign {
namespace {

constexpr double kShare = 0.5;  // of the time that there is; the cases take the rest

bool borne(const trace::Run& run, const std::string& test) {
  return run.incomplete.empty() && run.stop == trace::Stop::exited && passed(run, test);
}

// One test's: the run in which a process dies at this moment; null where it did not come to be.
Result<const trace::Run*> end_at(CampaignContext& context, const std::string& test, const trace::Run& reference,
                                 const predict::Moment& moment, std::size_t number) {
  auto calls = every_call(test, reference);
  auto call = calls.find(moment.exchange);
  if (call == calls.end() || !may_be_faulted(call->second.target.service, context.config)) return nullptr;
  auto spec = context.spec_for({test}, trace::RunKind::with_fault);
  spec.case_id = fmt::format("death-{}", number);
  spec.deadline = CampaignContext::deadline_of(trace::lasted(reference));
  spec.after_fault = kAfterDeath;
  aim(spec, {{call->second.target, crash_once(moment.before)}}, context.config.run);
  auto run = context.execute(spec);
  if (!run) return std::unexpected(run.error());
  if (predict::death_in(reference, **run).at) return *run;
  context.runs.let_go((*run)->id);
  return nullptr;
}

}  // namespace

Result<void> learn_deaths(CampaignContext& context, References& refs, Nanos time, std::vector<std::string>& remarks) {
  std::size_t number = 0, not_borne = 0, of_command = 0, waiting = 0, left_out = 0;
  auto until =
      time == kNoLimit ? kNoLimit : context.clock.now() + static_cast<Nanos>(kShare * static_cast<double>(time));
  for (auto& [test, reference] : refs.tests) {
    std::set<std::int32_t> commands;  // processes in the reference that turned out to be the command itself
    for (auto& moment : predict::moments(*reference)) {
      if (context.executor.interrupted()) return {};
      if (commands.contains(moment.pid)) continue;
      if (context.clock.now() + refs.start + trace::lasted(*reference) > until) {
        left_out++;
        continue;
      }
      context.live.show({.phase = "a process is ended, to see what follows", .what = test});
      auto run = end_at(context, test, *reference, moment, ++number);
      if (!run) return std::unexpected(run.error());
      if (!*run) continue;
      if (borne(**run, test))
        refs.deaths[test].push_back(*run);
      else if (predict::left_waiting(*reference, **run))
        waiting++, refs.deaths[test].push_back(*run);
      else {
        if ((*run)->stop == trace::Stop::signalled)
          of_command++, commands.insert(moment.pid);
        else
          not_borne++;
        context.runs.let_go((*run)->id);
      }
    }
  }
  if (left_out)
    remarks.push_back(fmt::format(
        "{} deaths were not tried to learn from, as half of the budget was spent: what they would have shown "
        "is not on trial",
        left_out));
  if (of_command)
    remarks.push_back(fmt::format(
        "{} of {} deaths that were tried to learn from were the command's own: nobody was left to bear them",
        of_command, number));
  if (waiting)
    remarks.push_back(fmt::format(
        "{} of {} deaths that were tried to learn from left somebody waiting until the run was ended: they are tried "
        "again",
        waiting, number));
  if (not_borne)
    remarks.push_back(
        fmt::format("{} of {} deaths that were tried to learn from were not borne: nothing is learned of those",
                    not_borne, number));
  return {};
}

}  // namespace retrial::campaign
