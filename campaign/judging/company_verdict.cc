#include "campaign/judging/company_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>

#include "campaign/judging/left_failures.h"
#include "oracles/evidence.h"
#include "oracles/time_of_fault.h"
#include "trace/comparing/comparison.h"
#include "trace/comparing/difference.h"
#include "trace/comparing/slices.h"
#include "trace/profiles/message.h"

namespace retrial::campaign {
namespace {

using What = Shown::What;

Shown judge_case(Case& c, const trace::Run& slice, bool shared, Nanos hold) {
  Shown shown{.c = &c};
  std::deque<trace::Comparison> comparisons;
  std::vector<const trace::Comparison*> all;
  c.seen.push_back(std::make_shared<trace::Run>(slice));
  for (auto& seen : c.seen) all.push_back(&comparisons.emplace_back(compare_case(c, *seen, shared)));
  shown.attempts = trace::faulted_attempts(comparisons.back());
  shown.judgement = oracles::judge({&c.row, all, hold});
  auto& j = shown.judgement;
  // What its test would have come to is not known.
  bool came_to_its_end = trace::result_of(slice, c.row.test) || slice.stop == trace::Stop::held;
  shown.what = !j.findings.empty()                         ? What::suspicion
               : j.needs_more_runs                         ? What::thin
               : !j.not_judged.empty() || !came_to_its_end ? What::doubt
                                                           : What::clean;
  return shown;
}

// One test with one case or more, which nothing has disturbed.
std::vector<Shown> judge_seat(const Seat& seat, const trace::Run& slice, Nanos hold) {
  bool shared = seat.cases.size() > 1;
  std::vector<Shown> out;
  struct Fired {
    Case* c;
    Nanos at;
    bool recovered;
  };
  std::vector<Fired> fired;
  for (auto* c : seat.cases) {
    auto own = compare_case(*c, slice, shared);
    if (own.faulted.empty())
      out.push_back({.c = c, .what = What::vain});
    else
      fired.push_back({c, own.faulted.front()->first().begun,
                       std::ranges::all_of(own.faulted, [](auto* call) { return trace::recovered(*call); })});
  }
  std::ranges::sort(fired, {}, &Fired::at);
  bool fine = passed(slice, seat.test);
  // The first that its client did not get over explains how the test went on; nothing else of it can be told apart.
  auto blame = std::ranges::find(fired, false, &Fired::recovered);
  // Unless it went on, and met another that its client did not get over: then either may have failed it.
  bool doubtful =
      blame != fired.end() && std::ranges::any_of(blame + 1, fired.end(), [](auto& f) { return !f.recovered; });
  for (auto it = fired.begin(); it != fired.end(); ++it) {
    bool told = fine || !shared || it == blame;
    if (told) {
      auto& shown = out.emplace_back(judge_case(*it->c, slice, shared, hold));
      if (fine || !shared || !doubtful || shown.what == What::suspicion || shown.what == What::doubt) continue;
      it->c->seen.pop_back();
      it->c->single = true;
      shown = {.c = it->c, .what = What::not_run};
    } else {
      if (blame == fired.end()) it->c->single = true;
      out.push_back({.c = it->c, .what = What::not_run});
    }
  }
  // After a failure a call that does not come is the failure's doing.
  if (shared && !fine)
    for (auto& shown : out)
      if (shown.what == What::vain) shown.what = What::not_run;
  return out;
}

// What this test did otherwise than in the reference before anything was done to it.
std::string disturbance(const Seat& seat, const trace::Run& reference, const trace::Run& slice) {
  if (!seat.cases.empty()) {
    auto comparison = trace::compare(reference, slice);
    if (!comparison.faulted.empty()) return trace::difference_before_fault(comparison);
  }
  return trace::difference(reference, slice, seat.test);
}

// By a call of its own: a loop's next turn, a copy.
bool asked_again(const trace::Run& run, const trace::Call& call) {
  auto& first = call.first();
  return std::ranges::any_of(run.exchanges, [&](auto& e) {
    return e.begun > first.begun && e.tag.test == first.tag.test && e.tag.site == first.tag.site && !e.fired &&
           e.operation == first.operation && e.target == first.target && e.client_status == e.service_status &&
           (trace::message::safe_method(e.method) || e.request_digest == first.request_digest) && trace::carried_out(e);
  });
}

}  // namespace

std::string what_was_right(const trace::Comparison& comparison, const std::string& test) {
  auto& call = *comparison.faulted.front();
  auto* result = trace::result_of(*comparison.in_case, test);
  if (oracles::of_death(comparison))
    return fmt::format("its process was ended there, and the test {}", result ? result->outcome : "ended");
  auto came = fmt::format("{} attempt{}, ", call.attempts.size(), call.attempts.size() == 1 ? "" : "s");
  if (trace::recovered(call)) return came + "then recovered; the test " + (result ? result->outcome : "ended");
  if (!result || result->outcome != "passed")
    return came + "then the fault was passed on; the test " + (result ? result->outcome : "ended");
  if (oracles::met_own_effect(call)) return came + "the last of which met what the first had done; the test passed";
  if (asked_again(*comparison.in_case, call)) return came + "then asked again, which went well; the test passed";
  return fmt::format("{}none of which went well; the test passed: {}", came, trace::kNotSeen);
}

trace::Comparison compare_case(const Case& c, const trace::Run& slice, bool shared) {
  auto comparison = trace::compare(c.reference(), slice);
  auto own = [&](auto* call) { return c.targets(*call); };
  if (shared || std::ranges::any_of(comparison.faulted, own))
    std::erase_if(comparison.faulted, [&](auto* call) { return !own(call); });
  return comparison;
}

// As they were run: the runner may draw another order each time.
std::vector<Seat> in_order_of_run(const Company& company, const trace::Run& run) {
  std::map<std::string, std::size_t> place;
  for (auto& stage : run.stages) place.try_emplace(stage.test, place.size());
  auto seats = company.seats;
  std::ranges::stable_sort(seats, {}, [&](auto& seat) {
    auto it = place.find(seat.name());
    return it == place.end() ? place.size() : it->second;
  });
  return seats;
}

CompanyVerdict judge_company(const Company& company, trace::Run run, const References& refs, Nanos hold,
                             const std::map<std::string, std::string>& own_way) {
  CompanyVerdict verdict;
  auto seats = in_order_of_run(company, run);
  bool died = run.stop != trace::Stop::exited, lost = !run.incomplete.empty(), aimless = company.aims().empty();
  auto slices = trace::slices_of(std::move(run));
  auto leave = [&](const Seat& seat, What what) {
    for (auto* c : seat.cases) verdict.shown.push_back({.c = c, .what = what});
  };
  std::set<std::string> executed;
  LeftFailures left(verdict, refs, hold);
  for (auto& seat : seats) {
    auto it = slices.find(seat.name());
    bool again = !executed.insert(seat.test).second;
    if (it == slices.end()) {
      if (!died && again) verdict.once.insert(seat.test);
      if (!died && !again) verdict.missing.push_back(seat.test);
      leave(seat, What::not_run);
      continue;
    }
    auto slice = trace::as_test(std::move(it->second));
    trace::end_where_given_up(slice);
    if (!lost) left.ran(seat, slice);
    died = died || (slice.stop != trace::Stop::held && !trace::result_of(slice, seat.test));
    if (slice.stop == trace::Stop::interrupted || !verdict.disturbed.empty() || (again && verdict.once.contains(seat.test))) {
      leave(seat, What::not_run);
      continue;
    }
    auto how = lost || refs.unsteady.contains(seat.test) ? "" : disturbance(seat, *refs.tests.at(seat.test), slice);
    if (aimless && !how.empty()) verdict.own_way.emplace(seat.test, how);
    if (auto usual = own_way.find(seat.test); usual != own_way.end() && usual->second == how) how.clear();
    if (again && !lost && (!how.empty() || std::ranges::none_of(slice.exchanges, &trace::Exchange::fired))) {
      verdict.once.insert(seat.test);
      leave(seat, What::not_run);
    } else if (lost || (!how.empty() && verdict.before.empty())) {
      leave(seat, What::vain);
    } else if (how.empty()) {
      for (auto* c : seat.cases) c->row.execution = seat.execution;
      std::ranges::move(judge_seat(seat, slice, hold), std::back_inserter(verdict.shown));
      if (!seat.cases.empty()) verdict.before.push_back(seat);
    } else {
      verdict.disturbed = seat.test;
      verdict.how = how;
      leave(seat, What::not_run);
    }
  }
  if (verdict.disturbed.empty()) return verdict;
  for (auto& shown : verdict.shown)
    if (shown.what == What::clean || shown.what == What::thin) {
      shown.c->seen.pop_back();
      shown.what = What::not_run;
    }
  return verdict;
}

}  // namespace retrial::campaign
