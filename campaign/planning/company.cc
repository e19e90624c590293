#include "campaign/planning/company.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "trace/comparing/slices.h"

namespace retrial::campaign {
namespace {

// Of one test, so that a run that says nothing of them costs little.
constexpr std::size_t kCasesInTest = 12;
// Of one test in one run, so that a run that is lost costs little.
constexpr std::size_t kExecutions = 12;
// Of so many cases one is tried alone before anything is known of a suite: of 23 campaigns (three packages' own suites,
// the demo's, seventeen small applications) the median is 1 in 16, from 1 in 33 to 1 in 5.
constexpr double kSuspicious = 1.0 / 16;
// For each run in company that holds all, so many processes are started: it is run in parts side by side, and some of
// its cases come back. Of ten campaigns of small applications the median is 2.1, from 1.1 to 3.4.
constexpr std::size_t kStarts = 2;
// And as many cases it takes until what is seen of a suite counts as much.
constexpr double kKnown = 64;
// What a campaign may take in all, to be cheap enough for what nobody asked for.
constexpr int kCheapOfSuite = 10;
constexpr Nanos kCheapAtLeast = 10 * kSecond;

// One more execution of a test costs less than one more run.
bool again_is_cheaper(const Place& at, const References& refs) { return refs.executes_again && at.takes <= refs.start; }

class Seating {
 public:
  Seating(const References& refs, Nanos time, const std::set<std::string>& once)
      : refs_(refs), time_(time), once_(once) {
    company_.expected = refs.start;
  }

  void take(Case& c) {
    for (auto how : {&Seating::joins, &Seating::begins, &Seating::begins_again})
      for (std::size_t at = 0; at < c.places.size(); at++) {
        if (c.places[at].takes > c.places.front().takes + refs_.start) break;  // they come in their order
        if (!c.seen.empty() && at != c.place) continue;
        if (auto* seat = (this->*how)(c, c.places[at])) {
          put(c, at, *seat);
          return look_twice(c);
        }
      }
  }

  Company company() {
    for (auto& [test, executions] : seats_) {
      std::ranges::stable_partition(executions, [](auto& cases) { return !stands(cases); });
      int nth = 0;
      for (auto& cases : executions) company_.seats.push_back({test, std::move(cases), ++nth});
    }
    std::ranges::stable_sort(company_.seats, {}, [&](auto& seat) { return refs_.place.at(seat.test); });
    return std::move(company_);
  }

 private:
  using Cases = std::vector<Case*>;

  static bool stands(const Cases& cases) { return std::ranges::all_of(cases, &Case::effect_stands); }

  // A seat that others have.
  Cases* joins(const Case& c, const Place& at) {
    auto seat = seats_.find(at.test);
    if (seat == seats_.end() || c.single || !c.passes() || !in_time(c.waits)) return nullptr;
    auto& executions = seat->second;
    bool first_alone = !c.effect_stands() && executions.size() > 1;
    auto fits = [&](Cases& others) {
      return others.size() < kCasesInTest && (!first_alone || !stands(others)) &&
             std::ranges::all_of(
                 others,
                 [&](auto* other) {
                   return !other->single && other->passes() && other->target_key() != c.target_key() &&
                          !other->interferes(c);
                 });
    };
    auto one = std::ranges::find_if(executions, fits);
    return one == executions.end() ? nullptr : &*one;
  }
  Cases* begins(const Case& c, const Place& at) {
    if (seats_.contains(at.test) || !in_time(at.takes + c.waits)) return nullptr;
    return &seats_[at.test].emplace_back();
  }
  Cases* begins_again(const Case& c, const Place& at) {
    auto seat = seats_.find(at.test);
    if (seat == seats_.end() || c.single || once_.contains(at.test) || !again_is_cheaper(at, refs_)) return nullptr;
    auto& executions = seat->second;
    if (executions.size() >= kExecutions || !in_time(at.takes + c.waits)) return nullptr;
    bool single = executions.front().front()->single;
    if (single || (!c.effect_stands() && !std::ranges::all_of(executions, stands))) return nullptr;
    return &executions.emplace_back();
  }
  // What has shown too little once is mostly asked for three times.
  void look_twice(Case& c) {
    if (c.seen.empty()) return;
    if (auto* seat = begins_again(c, c.here())) put(c, c.place, *seat);
  }
  bool in_time(Nanos more) const { return company_.expected + more <= time_; }

  void put(Case& c, std::size_t at, Cases& seat) {
    company_.expected += (seat.empty() ? c.places[at].takes : 0) + c.waits;
    c.put(at);
    seat.push_back(&c);
  }

  const References& refs_;
  Nanos time_;
  const std::set<std::string>& once_;
  Company company_;
  std::map<std::string, std::vector<Cases>> seats_;  // by test, of each execution
};

Nanos time_of(const Seat& seat, const References& refs) {
  auto time = trace::time_of(*refs.tests.at(seat.test));
  for (auto* c : seat.cases) time += c->waits;
  return time;
}

}  // namespace

std::vector<std::string> Company::tests() const {
  std::vector<std::string> out;
  for (auto& seat : seats) out.push_back(seat.name());
  return out;
}
std::vector<Aim> Company::aims() const {
  std::vector<Aim> out;
  for (auto& seat : seats)
    for (auto* c : seat.cases) out.emplace_back(c->aim()).target->test = seat.name();
  return out;
}

Company seat(std::span<Case* const> cases, const References& refs, Nanos time, const std::set<std::string>& once) {
  Seating seating(refs, time, once);
  for (auto* c : cases)
    if (!c->alone) seating.take(*c);
  return seating.company();
}

std::vector<Company> parts(Company company, std::size_t workers, std::size_t cores, const References& refs) {
  auto tests = company.expected - refs.start;
  auto is_longer_than_starts = [&](std::size_t n) {
    return tests / static_cast<Nanos>(n) >= refs.start * static_cast<Nanos>(n) / static_cast<Nanos>(std::min(n, cores));
  };
  auto most = workers;
  while (most > 1 && !is_longer_than_starts(most)) most--;
  if (most < 2) return {std::move(company)};
  auto share = tests / static_cast<Nanos>(most);
  std::vector<Company> out;
  Nanos before = 0;
  for (auto& seat : company.seats) {
    bool same = !out.empty() && out.back().seats.back().cases == seat.cases;  // a case is in one run at a time
    if (out.empty() || (before >= share * static_cast<Nanos>(out.size()) && out.size() < most && !same))
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

Company by_itself(const std::string& control, const References& refs) {
  Seat seat{control, {}};
  auto time = refs.start + time_of(seat, refs);
  return {{std::move(seat)}, time};
}

bool looks_for_who_disturbs(const Company& company, const std::string& control) {
  return !company.seats.empty() && company.seats.back().cases.empty() && company.seats.back().test == control;
}

namespace {

// How often a test is executed for all its cases, and in how many runs: those of one call come one after another, as do
// those that end it.
struct Load {
  std::size_t single = 0, again = 0, together = 0, at_one_call = 0;
  std::map<std::string, std::size_t> by_call = {};
  std::size_t shared() const { return std::max((together + kCasesInTest - 1) / kCasesInTest, at_one_call); }
  std::size_t executions() const { return single + again + shared(); }
  std::size_t runs() const { return std::max(single + shared(), (executions() + kExecutions - 1) / kExecutions); }
  void add(const Case& c, bool executes_again) {
    if (!c.passes() || c.single) return void((executes_again && c.effect_stands() && !c.single ? again : single)++);
    together++;
    at_one_call = std::max(at_one_call, ++by_call[c.target_key()]);
  }
};

const Place& least_loaded(const Case& c, const References& refs, std::map<std::string, Load>& loads) {
  auto* best = &c.here();
  for (auto& place : c.places)
    if (place.takes <= c.places.front().takes + refs.start &&
        loads[place.test].executions() < loads[best->test].executions())
      best = &place;
  return *best;
}

}  // namespace

Pace pace_of(const References& refs, int workers, bool alone) {
  return {workers, refs.share_services ? 1 : workers, alone, kSuspicious};
}

double suspicious_by_now(std::size_t suspected, std::size_t tried) {
  return (kKnown * kSuspicious + static_cast<double>(suspected)) / (kKnown + static_cast<double>(tried));
}

Nanos cheap(const References& refs) { return std::max(kCheapAtLeast, kCheapOfSuite * refs.took); }

Expected expected_of(std::span<const Case* const> cases, const References& refs, const Pace& pace) {
  Expected out;
  std::map<std::string, Load> loads;
  double shares = 0;  // of a run alone
  Nanos company = 0, alone = 0;
  for (auto* c : cases) {
    bool always = pace.alone || c->alone || refs.unsteady.contains(c->row.test);
    auto share = always ? 1 + pace.suspicious * (kRunsOfTrial - 1) : pace.suspicious * kRunsOfTrial;
    shares += share;
    alone += std::llround(share * static_cast<double>(refs.start_of_process() + c->expected()));
    if (always) continue;
    auto& place = least_loaded(*c, refs, loads);
    loads[place.test].add(*c, again_is_cheaper(place, refs));
    company += c->waits;
  }
  constexpr double kRounding = 1e-6;
  out.alone = static_cast<std::size_t>(std::ceil(shares - kRounding));
  std::map<int, Nanos> starts;  // of each process, in all runs that it is in
  for (auto& [test, load] : loads) {
    auto runs = static_cast<Nanos>(kStarts * load.runs());
    out.company = std::max(out.company, kStarts * load.runs());
    company += static_cast<Nanos>(load.executions()) * trace::time_of(*refs.tests.at(test));
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
