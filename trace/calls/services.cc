#include "trace/calls/services.h"

#include <algorithm>
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

void Services::learn(std::deque<Run>& runs, const std::set<std::string>& fixed) {
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

  // Tests that meet many tell them apart best.
  struct Group {
    std::vector<Met*> met;
    bool in_test;
  };
  std::vector<Group> groups;
  for (auto& tests : met)
    for (auto& [test, here] : tests) {
      Group group{{}, !test.empty()};
      for (auto& m : here)
        if (ports.moves(m.address)) group.met.push_back(&m);
      groups.push_back(std::move(group));
    }
  auto order = groups;
  std::ranges::stable_sort(order, std::greater{}, [](auto& g) { return g.met.size(); });
  std::deque<Met> found;
  std::vector<const Met*> services;
  std::map<const Met*, std::size_t> service_of;
  for (auto& group : order) {
    auto is = match(group.met, services, group.in_test);
    for (auto none = std::ranges::find(is, kNone); none != is.end(); none = std::ranges::find(is, kNone)) {
      services.push_back(&found.emplace_back(*group.met[static_cast<std::size_t>(none - is.begin())]));
      is = match(group.met, services, group.in_test);
    }
    for (std::size_t i = 0; i < is.size(); i++) {
      found[is[i]].asked.insert(group.met[i]->asked.begin(), group.met[i]->asked.end());
      service_of[group.met[i]] = is[i];
    }
  }

  std::map<std::string, std::size_t, std::less<>> numbers;  // given out so far, by host
  for (auto& group : groups)
    for (auto* m : group.met) {
      auto& name = found[service_of.at(m)].name;
      if (name.empty()) {
        auto number = ++numbers[std::string(host_of(m->address))];
        name = std::string(host_of(m->address)) + ":*" + (number > 1 ? std::to_string(number) : "");
      }
      m->name = name;
    }
  for (std::size_t i = 0; i < runs.size(); i++) {
    for (auto& e : runs[i].exchanges)
      if (auto& name = at(met[i].at(e.tag.test), e.service)->name; !name.empty()) e.service = name;
    recall(runs[i]);
    for (auto& address : runs[i].capture.reached)
      if (std::ranges::none_of(met[i], [&](auto& tests) { return at(tests.second, address); })) silent_.insert(address);
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
}

std::string ServicesOfRun::name_of(const std::string& test, std::string_view address) const {
  auto& met = met_.at(test);
  auto it = std::ranges::find(met, address, &Met::address);
  if (!it->name.empty()) return it->name;
  return services_.known_.contains(it->address) ? it->address : service_name(address);
}

}  // namespace retrial::trace
