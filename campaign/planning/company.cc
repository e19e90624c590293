#include "campaign/planning/company.h"

#include <algorithm>
#include <map>

#include "trace/comparing/slices.h"

namespace retrial::campaign {
namespace {

// Of one test, so that a run that says nothing of them costs little.
constexpr std::size_t kCasesInTest = 12;
// Cases of which one is tried alone: 48 of 183 in the demo's application, 78 of 259 in webdav4's tests.
constexpr int kSuspicious = 4;

class Seating {
 public:
  Seating(const References& refs, Nanos time) : refs_(refs), time_(time) { company_.expected = refs.start; }

  void take(Case& c) {
    for (std::size_t at = 0; at < c.places.size(); at++) {
      if (c.places[at].takes > c.places.front().takes + refs_.start) return;  // they come in their order
      if (!may_sit(c, c.places[at]) || (!c.seen.empty() && at != c.place)) continue;
      auto [seat, fresh] = seats_.try_emplace(c.places[at].test);
      company_.expected += (fresh ? c.places[at].takes : 0) + c.waits;
      c.put(at);
      seat->second.push_back(&c);
      return;
    }
  }

  Company company() {
    for (auto& [test, cases] : seats_) company_.seats.push_back({test, std::move(cases)});
    std::ranges::sort(company_.seats, {}, [&](auto& seat) { return refs_.place.at(seat.test); });
    return std::move(company_);
  }

 private:
  bool may_sit(const Case& c, const Place& at) const {
    auto seat = seats_.find(at.test);
    if (company_.expected + (seat == seats_.end() ? at.takes : 0) + c.waits > time_) return false;
    if (seat == seats_.end()) return true;
    auto& others = seat->second;
    return !c.single && c.passes() && others.size() < kCasesInTest &&
           std::ranges::all_of(
               others,
               [&](auto* other) { return !other->single && other->passes() && other->target_key() != c.target_key(); });
  }

  const References& refs_;
  Nanos time_;
  Company company_;
  std::map<std::string, std::vector<Case*>> seats_;
};

}  // namespace

std::vector<std::string> Company::tests() const {
  std::vector<std::string> out;
  for (auto& seat : seats) out.push_back(seat.test);
  return out;
}
std::vector<Aim> Company::aims() const {
  std::vector<Aim> out;
  for (auto& seat : seats)
    for (auto* c : seat.cases) out.push_back(c->aim);
  return out;
}

Company seat(std::span<Case* const> cases, const References& refs, Nanos time) {
  Seating seating(refs, time);
  for (auto* c : cases)
    if (!c->alone) seating.take(*c);
  return seating.company();
}

std::vector<Company> halves(const Company& company, const std::string& control, const References& refs) {
  std::vector<Company> out;
  auto middle = company.seats.size() / 2;
  for (std::size_t from : {std::size_t{0}, middle}) {
    auto& half = out.emplace_back();
    half.seats.assign(company.seats.begin() + static_cast<std::ptrdiff_t>(from),
                      from ? company.seats.end() : company.seats.begin() + static_cast<std::ptrdiff_t>(middle));
    half.seats.push_back({control, {}});
    half.expected = refs.start;
    for (auto& seat : half.seats) half.expected += trace::time_of(*refs.tests.at(seat.test));
  }
  return out;
}

Nanos expected_of(std::span<Case* const> cases, Nanos start, int workers) {
  std::map<std::string, std::pair<int, int>> in_test;  // those that pass, and others
  Nanos all = 0;
  std::map<std::string, Nanos> takes;
  for (auto* c : cases) {
    auto& [together, single] = in_test[c->row.test];
    (c->passes() && !c->single ? together : single)++;
    takes[c->row.test] = c->here().takes;
    all += c->waits + kRunsOfTrial * (start + c->expected()) / kSuspicious;
  }
  int runs = 0;
  for (auto& [test, n] : in_test) {
    int times = n.second + (n.first + static_cast<int>(kCasesInTest) - 1) / static_cast<int>(kCasesInTest);
    all += times * takes[test];
    runs = std::max(runs, times);
  }
  return (all + runs * start) / std::max(1, workers);
}

}  // namespace retrial::campaign
