#include "trace/calls/services.h"

#include <algorithm>
#include <deque>
#include <tuple>
#include <utility>

#include "trace/calls/correlator_keys.h"
#include "trace/calls/service_name.h"

namespace retrial::trace {
namespace {

std::string_view host_of(std::string_view address) { return address.substr(0, address.rfind(':')); }
bool moves(std::string_view name) { return name.substr(host_of(name).size()).starts_with(":*"); }

std::size_t in_common(const Met& a, const Met& b) {
  return static_cast<std::size_t>(std::ranges::count_if(a.asked, [&](auto key) { return b.asked.contains(key); }));
}
bool alike(const Met& a, const Met& b) { return host_of(a.address) == host_of(b.address) && in_common(a, b) > 0; }

Met* at(std::vector<Met>& met, std::string_view address) {
  auto it = std::ranges::find(met, address, &Met::address);
  return it == met.end() ? nullptr : &*it;
}

// Adds what this request asks. True: it was not known before.
bool add(std::vector<Met>& met, const Exchange& e) {
  auto* here = at(met, e.service);
  if (!here) here = &met.emplace_back(e.service, "", std::set<std::uint64_t>{}, e.begun, e.begun);
  here->first = std::min(here->first, e.begun);
  here->last = std::max(here->last, e.begun);
  return here->asked.insert(poll_key(e, e.operation)).second;
}
MetByTest met_in(const Run& run) {
  MetByTest tests;
  for (auto& e : run.exchanges) add(tests[e.tag.test], e);
  for (auto& [test, met] : tests) std::ranges::stable_sort(met, {}, &Met::first);
  return tests;
}

constexpr auto kNone = static_cast<std::size_t>(-1);

// Which of `known` each of `met` is: first who has most in common, then who comes at the same place in the order. Two
// of one test are two services; of no test, where a service may be started again and again, those that are asked in
// turns.
std::vector<std::size_t> match(const std::vector<Met*>& met, const std::vector<const Met*>& known, bool in_test) {
  std::vector<std::tuple<std::size_t, bool, std::size_t, std::size_t, std::size_t>> fits;  // the best first
  for (std::size_t i = 0; i < met.size(); i++)
    for (std::size_t k = 0; k < known.size(); k++) {
      if (host_of(met[i]->address) != host_of(known[k]->address)) continue;
      auto common = in_common(*met[i], *known[k]);
      bool moved = moves(known[k]->address);
      if (common || (moved && met[i]->asked.empty()))
        fits.emplace_back(kNone - common, !moved, i > k ? i - k : k - i, i, k);
    }
  std::ranges::sort(fits);
  std::vector<std::size_t> is(met.size(), kNone);
  for (auto& [common, moved, apart, i, k] : fits) {
    bool taken = is[i] != kNone;
    for (std::size_t other = 0; other < met.size() && !taken; other++)
      taken = is[other] == k && (in_test || (met[i]->first <= met[other]->last && met[other]->first <= met[i]->last));
    if (!taken) is[i] = k;
  }
  return is;
}

using Group = std::vector<Met*>;  // of one test
// The services that there are among several groups, each with all that was asked of it.
struct ToldApart {
  std::deque<Met> services;
  std::map<const Met*, std::size_t> is;
};

ToldApart tell_apart(std::vector<Group> groups, bool in_test) {
  ToldApart found;
  std::vector<const Met*> services;
  std::ranges::stable_sort(groups, std::greater{}, &Group::size);  // who meets many tells them apart best
  for (auto& group : groups) {
    auto is = match(group, services, in_test);
    for (auto none = std::ranges::find(is, kNone); none != is.end(); none = std::ranges::find(is, kNone)) {
      services.push_back(&found.services.emplace_back(*group[static_cast<std::size_t>(none - is.begin())]));
      is = match(group, services, in_test);
    }
    for (std::size_t i = 0; i < is.size(); i++) {
      found.services[is[i]].asked.insert(group[i]->asked.begin(), group[i]->asked.end());
      found.is[group[i]] = is[i];
    }
  }
  return found;
}

// Where each service was met, by run.
using Whereabouts = std::vector<std::set<std::string>>;
// Whoever is at one port in each run that meets both is one: a fixture of the whole suite. (A port that was free again
// may be given to another, but seldom in each run.)
bool at_one_port(const Whereabouts& a, const Whereabouts& b) {
  bool both = false;
  for (std::size_t run = 0; run < a.size(); run++) {
    if (a[run].empty() || b[run].empty()) continue;
    if (a[run] != b[run]) return false;
    both = true;
  }
  return both;
}

// Two that are asked the same or are at one port, and that no test meets both, are one: a test that asks more of it
// came later.
void join(ToldApart& found, const std::vector<Group>& groups, std::vector<Whereabouts> where) {
  for (std::size_t a = 0; a < found.services.size(); a++)
    for (std::size_t b = a + 1; b < found.services.size(); b++) {
      auto meets = [&](const Group& group, std::size_t which) {
        return std::ranges::any_of(group, [&](auto* met) { return found.is.at(met) == which; });
      };
      if ((!alike(found.services[a], found.services[b]) && !at_one_port(where[a], where[b])) ||
          std::ranges::any_of(groups, [&](auto& group) { return meets(group, a) && meets(group, b); }))
        continue;
      for (auto& [met, is] : found.is)
        if (is == b) is = a;
      found.services[a].asked.merge(found.services[b].asked);
      found.services[b].asked.clear();
      for (std::size_t run = 0; run < where[a].size(); run++) where[a][run].merge(std::exchange(where[b][run], {}));
      b = a;  // what was not alike before may be now
    }
}

// Addresses that stand for another service in another run of the same test; and those that do not.
struct Ports {
  std::set<std::string> moving, steady;

  void compare(std::vector<Met>& one, std::vector<Met>& other) {
    auto gone = [](const Met& met, std::vector<Met>& there, const Met& than) {
      auto* same = at(there, met.address);
      return !same || in_common(met, *same) < in_common(met, than);
    };
    for (auto& a : one) {
      if (auto* same = at(other, a.address); same && alike(a, *same)) steady.insert(a.address);
      for (auto& b : other)
        if (a.address != b.address && alike(a, b) && gone(a, other, b) && gone(b, one, a))
          moving.insert({a.address, b.address});
    }
  }
  bool moves(const std::string& address) const {
    return moving.contains(address) || (!steady.contains(address) && service_name(address) != address);
  }
};

}  // namespace

void Services::learn(std::list<Run>& runs, const std::set<std::string>& fixed) {
  std::vector<MetByTest> met;
  for (auto& run : runs) met.push_back(met_in(run));
  Ports ports;
  for (auto one = met.begin(); one != met.end(); ++one)
    for (auto& [test, here] : *one)
      for (auto other = one + 1; other != met.end(); ++other)
        if (auto there = other->find(test); there != other->end()) ports.compare(here, there->second);
  for (auto& address : fixed) {
    ports.moving.erase(address);
    ports.steady.insert(address);
  }

  // First who is who in each test over all runs, then in all tests.
  std::map<std::string, std::vector<Group>> by_test;
  for (auto& tests : met)
    for (auto& [test, here] : tests) {
      auto& group = by_test[test].emplace_back();
      for (auto& m : here)
        if (ports.moves(m.address)) group.push_back(&m);
    }
  std::map<std::string, ToldApart> in_test;
  std::vector<Group> groups_of_tests;
  for (auto& [test, groups] : by_test) {
    auto& found = in_test.emplace(test, tell_apart(groups, !test.empty())).first->second;
    auto& group = groups_of_tests.emplace_back();
    for (auto& service : found.services) group.push_back(&service);
  }
  auto found = tell_apart(groups_of_tests, true);
  std::vector<Whereabouts> where(found.services.size(), Whereabouts(met.size()));
  for (std::size_t run = 0; run < met.size(); run++)
    for (auto& [test, here] : met[run]) {
      auto& of_test = in_test.at(test);
      for (auto& m : here)
        if (auto it = of_test.is.find(&m); it != of_test.is.end())
          where[found.is.at(&of_test.services[it->second])][run].insert(m.address);
    }
  join(found, groups_of_tests, std::move(where));

  std::map<std::string, std::size_t, std::less<>> numbers;  // given out so far, by host
  for (auto& of_run : met)
    for (auto& [test, here] : of_run)
      for (auto& m : here) {
        auto& of_test = in_test.at(test);
        auto it = of_test.is.find(&m);
        if (it == of_test.is.end()) continue;
        auto& name = found.services[found.is.at(&of_test.services[it->second])].name;
        if (name.empty()) {
          auto number = ++numbers[std::string(host_of(m.address))];
          name = std::string(host_of(m.address)) + ":*" + (number > 1 ? std::to_string(number) : "");
        }
        m.name = name;
      }
  auto its = met.begin();
  for (auto& run : runs) {
    for (auto& e : run.exchanges)
      if (auto& name = at(its->at(e.tag.test), e.service)->name; !name.empty()) e.service = name;
    recall(run);
    for (auto& address : run.capture.reached)
      if (std::ranges::none_of(*its, [&](auto& tests) { return at(tests.second, address); })) silent_.insert(address);
    ++its;
  }
}

void Services::recall(const Run& run) {
  for (auto& e : run.exchanges) {
    if (!moves(e.service)) known_.insert(e.service);
    add(tests_[e.tag.test], e);
    add(in_all_tests_, e);
  }
}

void Services::name(Run& run) const {
  if (tests_.empty()) return;
  ServicesOfRun seen(*this);
  std::vector<const Exchange*> by_time;
  for (auto& e : run.exchanges) by_time.push_back(&e);
  std::ranges::stable_sort(by_time, {}, &Exchange::begun);
  for (auto* e : by_time) seen.see(*e);
  for (auto& [test, met] : seen.met_) seen.name(test);
  for (auto& e : run.exchanges) e.service = seen.name_of(e.tag.test, e.service);
}

std::string ServicesOfRun::at_head(const Exchange& head) {
  if (see(head)) name(head.tag.test);
  return name_of(head.tag.test, head.service);
}

std::string ServicesOfRun::at_connect(const std::string& test, std::string_view address, Nanos now) {
  auto& met = met_[test];
  if (at(met, address)) return name_of(test, address);
  if (services_.silent_.contains(address)) return std::string(address);
  met.emplace_back(std::string(address), "", std::set<std::uint64_t>{}, now, now);
  name(test);
  auto is = name_of(test, address);
  met.pop_back();
  return is;
}

bool ServicesOfRun::see(const Exchange& head) {
  addresses_.insert(head.service);
  return add(met_[head.tag.test], head);
}

void ServicesOfRun::name(const std::string& test) {
  std::vector<Met*> met;
  for (auto& m : met_[test])
    if (!services_.known_.contains(m.address)) met.push_back(&m);
  if (met.empty()) return;
  auto it = services_.tests_.find(test);
  std::vector<const Met*> known;
  for (auto& m : it == services_.tests_.end() ? services_.in_all_tests_ : it->second)
    if (moves(m.address) || !addresses_.contains(m.address)) known.push_back(&m);
  auto is = match(met, known, !test.empty());
  for (std::size_t i = 0; i < met.size(); i++) met[i]->name = is[i] != kNone ? known[is[i]]->address : "";
  if (!test.empty()) name_others(met);
}

// One that this test asks the same as another of its services, and never without a fault: a client goes to its second
// address. It is who is asked the same beside that one in other tests.
void ServicesOfRun::name_others(const std::vector<Met*>& met) const {
  auto named = [&](std::string_view name) { return std::ranges::find(met, name, &Met::name) != met.end(); };
  auto beside_one = [&](const Met& m) {
    return std::ranges::any_of(met, [&](auto* one) { return !one->name.empty() && alike(*one, m); });
  };
  std::vector<Met*> others;
  for (auto* m : met)
    if (m->name.empty() && beside_one(*m)) others.push_back(m);
  std::vector<const Met*> known;
  for (auto& m : services_.in_all_tests_)
    if (moves(m.address) && !named(m.address)) known.push_back(&m);
  auto is = match(others, known, true);
  for (std::size_t i = 0; i < others.size(); i++)
    if (is[i] != kNone) others[i]->name = known[is[i]]->address;
}

std::string ServicesOfRun::name_of(const std::string& test, std::string_view address) const {
  auto& met = met_.at(test);
  auto it = std::ranges::find(met, address, &Met::address);
  if (!it->name.empty()) return it->name;
  return services_.known_.contains(it->address) ? it->address : service_name(address);
}

std::string one_for_all_ports(std::string address) {
  if (auto star = address.rfind(":*"); star != address.npos) address.resize(star + 2);
  return address;
}

}  // namespace retrial::trace
