#include "campaign/planning/deaths.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "campaign/trial.h"
#include "policies/policy.h"
#include "predict/death.h"
#include "trace/fault_name.h"

namespace retrial::campaign {
namespace {

using predict::MayFall;

policies::FaultPlan crash_once(bool before) {
  trace::FaultSpec crash{.name = trace::FaultName::crash,
                         .point = before ? trace::Point::before_request : trace::Point::executed};
  return {{{crash, 1}, {trace::FaultSpec{}, 0}}};
}

// As the policy has it, in policies/tof.cc: a wait's writer is ended whenever it is about to write, or its message
// lost.
policies::FaultPlan plan_for(const MayFall& fall) {
  if (fall.kind == MayFall::Kind::recovery) return crash_once(fall.before);
  auto name = fall.own_process ? trace::FaultName::crash : trace::FaultName::reset;
  auto point = fall.own_process ? trace::Point::before_request : trace::Point::after_request;
  return {{{trace::FaultSpec{.name = name, .point = point}, 0}}};
}

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
  return predict::death_in(reference, **run).at ? *run : nullptr;
}

}  // namespace

Result<void> learn_deaths(CampaignContext& context, References& refs) {
  std::size_t number = 0, not_borne = 0;
  for (auto& [test, reference] : refs.tests)
    for (auto& moment : predict::moments(*reference)) {
      if (context.executor.interrupted()) return {};
      context.live.show({.phase = "a process is ended, to see what follows", .what = test});
      auto run = end_at(context, test, *reference, moment, ++number);
      if (!run) return std::unexpected(run.error());
      if (!*run) continue;
      if (borne(**run, test))
        refs.borne[test].push_back(*run);
      else
        not_borne++;
    }
  if (not_borne)
    refs.remarks.push_back(
        fmt::format("{} of {} deaths that were tried to learn from were not borne: nothing is learned of those",
                    not_borne, number));
  return {};
}

std::vector<MayDie> may_die(const Tests& tests, const BorneDeaths& borne) {
  std::vector<MayDie> all;
  std::set<std::string> known;  // pairs of places
  for (auto& [test, reference] : tests) {
    auto falls = predict::waits_of(*reference);
    if (auto runs = borne.find(test); runs != borne.end())
      std::ranges::move(predict::falls_of(*reference, runs->second), std::back_inserter(falls));
    std::map<const trace::Run*, std::map<std::uint64_t, Found>> calls;
    std::set<std::string> here;
    for (auto& fall : falls) {
      auto [in, fresh] = calls.try_emplace(fall.written_in);
      if (fresh) in->second = every_call(test, *fall.written_in);
      auto call = in->second.find(fall.writer.exchange);
      if (call == in->second.end()) continue;
      auto place = [](auto& side) { return (side.site ? trace::key_of(*side.site) : "") + "\n" + side.operation; };
      auto plan = plan_for(fall);
      auto pair = fmt::format("{}\n{}\n{}", place(fall.writer), place(fall.reader), policies::show(plan));
      if (known.contains(pair)) continue;
      here.insert(std::move(pair));
      auto same = std::ranges::find_if(all, [&](auto& one) {
        auto &a = one.found.target, &b = call->second.target;
        return one.plan == plan && a.test == b.test && a.site == b.site && a.operation == b.operation &&
               a.service == b.service && a.occurrence == b.occurrence;
      });
      if (same == all.end()) {
        same = all.insert(all.end(), MayDie{call->second, plan, 0, {}});
        same->found.places.front().reference = reference;
      }
      same->value = std::max(same->value, static_cast<double>(fall.breaks));
      same->falls.push_back(std::move(fall));
    }
    known.merge(here);
  }
  std::ranges::stable_sort(all, std::greater{}, &MayDie::value);
  return all;
}

}  // namespace retrial::campaign
