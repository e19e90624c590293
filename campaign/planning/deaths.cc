#include "campaign/planning/deaths.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "policies/policy.h"
#include "predict/death.h"
#include "trace/fault_name.h"

namespace retrial::campaign {
namespace {

using predict::MayFall;

// As the policy has it, in policies/tof.cc: a wait's writer is ended whenever it is about to write, or its message
// lost.
policies::FaultPlan plan_for(const MayFall& fall) {
  if (fall.kind == MayFall::Kind::recovery) return crash_once(fall.before);
  auto name = fall.own_process ? trace::FaultName::crash : trace::FaultName::reset;
  auto point = fall.own_process ? trace::Point::before_request : trace::Point::after_request;
  return {{{trace::FaultSpec{.name = name, .point = point}, 0}}};
}

std::set<std::int32_t> senders_of(const trace::Run& run, const std::string& origin) {
  std::set<std::int32_t> all;
  for (auto& e : run.exchanges)
    if (predict::origin_of(e) == origin) all.insert(e.pid);
  return all;
}

// Waits that were seen in a run, of processes of which no other wait is known.
void add_seen(const trace::Run& reference, const std::vector<const trace::Run*>& runs, std::vector<MayFall>& waits) {
  std::set<std::int32_t> known;
  for (auto& wait : waits)
    for (auto& e : reference.exchanges)
      if (e.id == wait.writer.exchange) known.insert(e.pid);
  for (auto* run : runs) {
    auto fall = predict::left_waiting(reference, *run);
    if (!fall) continue;
    auto senders = senders_of(reference, predict::origin_of(*predict::death_in(reference, *run).at));
    if (std::ranges::none_of(senders, [&](auto pid) { return known.contains(pid); })) waits.push_back(std::move(*fall));
    known.merge(senders);
  }
}

}  // namespace

policies::FaultPlan crash_once(bool before) {
  trace::FaultSpec crash{.name = trace::FaultName::crash,
                         .point = before ? trace::Point::before_request : trace::Point::executed};
  return {{{crash, 1}, {trace::FaultSpec{}, 0}}};
}

std::vector<MayDie> may_die(const Tests& tests, const SeenDeaths& deaths) {
  std::vector<MayDie> all;
  std::set<std::string> known;  // pairs of places
  for (auto& [test, reference] : tests) {
    auto falls = predict::waits_of(*reference);
    if (auto runs = deaths.find(test); runs != deaths.end()) {
      auto ended = runs->second;
      std::erase_if(ended, [](auto* run) { return run->stop != trace::Stop::exited; });
      add_seen(*reference, runs->second, falls);
      std::ranges::move(predict::falls_of(*reference, ended), std::back_inserter(falls));
    }
    std::map<const trace::Run*, std::map<std::uint64_t, Found>> calls;
    std::set<std::string> here;
    for (auto& fall : falls) {
      auto [in, fresh] = calls.try_emplace(fall.written_in);
      if (fresh) in->second = every_call(test, *fall.written_in);
      auto call = in->second.find(fall.writer.exchange);
      if (call == in->second.end()) continue;
      auto plan = plan_for(fall);
      auto pair = predict::pair_of(fall) + policies::show(plan);
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
