#include "predict/death.h"

#include <algorithm>
#include <set>

#include "predict/touch.h"

namespace retrial::predict {
namespace {

using trace::Exchange;

std::vector<const Exchange*> in_order(const trace::Run& run) {
  std::vector<const Exchange*> all;
  for (auto& e : run.exchanges)
    if (of_test(e)) all.push_back(&e);
  std::ranges::stable_sort(all, {}, &Exchange::begun);
  return all;
}

bool went_well(const Exchange& e) { return trace::executed(e) && e.service_status < 400; }

}  // namespace

std::string origin_of(const Exchange& e) {
  return (e.tag.site ? trace::key_of(*e.tag.site) : "") + "\n" + e.service + "\n" + e.operation;
}

Death death_in(const trace::Run& reference, const trace::Run& run) {
  Death death;
  auto all = in_order(run);
  auto dies = [](auto* e) { return e->fired && trace::ends_sender(e->fault); };
  auto at = std::ranges::find_if(all, dies);
  if (at == all.end()) return death;
  death.at = *at;
  auto pid = death.at->pid;
  std::set<std::string> usual, of_dead;  // places: of the reference, and of who died
  for (auto& e : reference.exchanges) usual.insert(origin_of(e));
  std::set<std::int32_t> known, new_ones, unlike;
  for (auto* e : all) {
    if (e->begun > death.at->fired_at) continue;
    known.insert(e->pid);
    if (e->pid != pid) continue;
    of_dead.insert(origin_of(*e));
    if (went_well(*e)) death.before.push_back(e);
  }
  std::map<std::int32_t, std::set<std::string>> by_pid;
  for (auto& e : reference.exchanges) by_pid[e.pid].insert(origin_of(e));
  for (auto& [process, places] : by_pid)
    if (places.contains(origin_of(*death.at))) of_dead.insert(places.begin(), places.end());
  for (auto* e : all) {
    if (e->begun <= death.at->fired_at || e->pid == pid) continue;
    if (!known.contains(e->pid) && !new_ones.contains(e->pid) && !unlike.contains(e->pid))
      (of_dead.contains(origin_of(*e)) ? new_ones : unlike).insert(e->pid);
    bool succeeds = new_ones.contains(e->pid);
    if (succeeds) death.successors.push_back(e);
    if (succeeds || !usual.contains(origin_of(*e))) death.recovery.push_back(e);
  }
  return death;
}

std::vector<Moment> moments(const trace::Run& run) {
  std::set<std::int32_t> tests_in;
  for (auto& stage : run.stages) tests_in.insert(stage.pid);
  struct Effects {
    const Exchange *first = nullptr, *last = nullptr;
    std::string role;
  };
  std::map<std::int32_t, Effects> processes;
  std::vector<std::int32_t> order;
  for (auto& touch : touches_of(run)) {
    auto& e = *touch.e;
    if (!of_test(e) || e.pid == 0 || looks(touch.kind) || tests_in.contains(e.pid)) continue;
    auto [it, fresh] = processes.try_emplace(e.pid);
    if (fresh) order.push_back(e.pid), it->second.first = &e;
    it->second.last = &e;
    it->second.role += origin_of(e) + "\n";
  }
  std::vector<Moment> all;
  std::set<std::string> known;
  for (auto pid : order) {
    auto& [first, last, role] = processes[pid];
    if (!known.insert(role).second) continue;
    all.push_back({last->id, false, pid});
    all.push_back({first->id, true, pid});
  }
  return all;
}

}  // namespace retrial::predict
