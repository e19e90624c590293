#include "campaign/planning/company.h"

#include <algorithm>
#include <map>

#include "trace/comparing/slices.h"

namespace retrial::campaign {
namespace {

// Of one test, so that a run that says nothing of them costs little.
constexpr std::size_t kCasesInTest = 12;
// Cases of which one is tried alone: 48 of 183 in the demo's application, 78 of 259 in webdav4's tests, 16 of 136 in
// order-sync.
constexpr int kSuspicious = 5;
// What a campaign may take in all, to be cheap enough for what nobody asked for.
constexpr int kCheapOfSuite = 10;
constexpr Nanos kCheapAtLeast = 10 * kSecond;

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
               [&](auto* other) {
                 return !other->single && other->passes() && other->target_key() != c.target_key() &&
                        !other->interferes(c);
               });
  }

  const References& refs_;
  Nanos time_;
  Company company_;
  std::map<std::string, std::vector<Case*>> seats_;
};

Nanos time_of(const Seat& seat, const References& refs) {
  auto time = trace::time_of(*refs.tests.at(seat.test));
  for (auto* c : seat.cases) time += c->waits;
  return time;
}

}  // namespace

std::vector<std::string> Company::tests() const {
  std::vector<std::string> out;
  for (auto& seat : seats) out.push_back(seat.test);
  return out;
}
std::vector<Aim> Company::aims() const {
  std::vector<Aim> out;
  for (auto& seat : seats)
    for (auto* c : seat.cases) out.push_back(c->aim());
  return out;
}

Company seat(std::span<Case* const> cases, const References& refs, Nanos time) {
  Seating seating(refs, time);
  for (auto* c : cases)
    if (!c->alone) seating.take(*c);
  return seating.company();
}

std::vector<Company> parts(Company company, std::size_t workers, const References& refs) {
  auto tests = company.expected - refs.start;
  auto share = tests / static_cast<Nanos>(workers);
  if (workers < 2 || share < refs.start) return {std::move(company)};
  std::vector<Company> out;
  Nanos before = 0;
  for (auto& seat : company.seats) {
    if (out.empty() || (before >= share * static_cast<Nanos>(out.size()) && out.size() < workers))
      out.push_back({{}, refs.start});
    auto time = time_of(seat, refs);
    before += time;
    out.back().expected += time;
    out.back().seats.push_back(std::move(seat));
  }
  return out;
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
    for (auto& seat : half.seats) half.expected += time_of(seat, refs);
  }
  return out;
}

namespace {

// In how many runs a test is for all its cases: those of one call come one after another, as do those that end it.
struct Load {
  std::size_t single = 0, together = 0, at_one_call = 0;
  std::map<std::string, std::size_t> by_call = {};
  std::size_t runs() const { return single + std::max((together + kCasesInTest - 1) / kCasesInTest, at_one_call); }
  void add(const Case& c) {
    if (!c.passes() || c.single) return void(single++);
    together++;
    at_one_call = std::max(at_one_call, ++by_call[c.target_key()]);
  }
};

const Place& least_loaded(const Case& c, const References& refs, std::map<std::string, Load>& loads) {
  auto* best = &c.here();
  for (auto& place : c.places)
    if (place.takes <= c.places.front().takes + refs.start && loads[place.test].runs() < loads[best->test].runs())
      best = &place;
  return *best;
}

}  // namespace

Pace pace_of(const References& refs, int workers, bool alone) {
  return {workers, refs.share_services ? 1 : workers, alone};
}

Nanos cheap(const References& refs) { return std::max(kCheapAtLeast, kCheapOfSuite * refs.took); }

Expected expected_of(std::span<const Case* const> cases, const References& refs, const Pace& pace) {
  Expected out;
  std::map<std::string, Load> loads;
  std::size_t shares = 0;  // of a run alone
  Nanos company = 0, alone = 0;
  for (auto* c : cases) {
    bool always = pace.alone || c->alone || refs.unsteady.contains(c->row.test);
    int share = always ? kSuspicious + kRunsOfTrial - 1 : kRunsOfTrial;
    shares += static_cast<std::size_t>(share);
    alone += share * (refs.start_of_process() + c->expected()) / kSuspicious;
    if (always) continue;
    loads[least_loaded(*c, refs, loads).test].add(*c);
    company += c->waits;
  }
  out.alone = (shares + kSuspicious - 1) / kSuspicious;
  std::map<int, Nanos> starts;  // of each process, in all runs that it is in
  for (auto& [test, load] : loads) {
    auto runs = static_cast<Nanos>(load.runs());
    out.company = std::max(out.company, load.runs());
    company += runs * trace::time_of(*refs.tests.at(test));
    auto& start = starts[refs.process_of(test)];
    start = std::max(start, runs * refs.start_of_process());
  }
  for (auto& [process, start] : starts) company += start;
  // A suspicion is confirmed run by run, whatever the workers.
  auto runs = static_cast<Nanos>(out.company + out.alone);
  auto in_turn = runs ? std::min<Nanos>(runs, 1 + kRunsOfTrial) * ((company + alone) / runs) : 0;
  out.time = std::max(company / pace.workers + alone / pace.trials, in_turn);
  return out;
}

}  // namespace retrial::campaign
