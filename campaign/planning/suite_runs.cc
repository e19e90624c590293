#include "campaign/planning/suite_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "campaign/report/words.h"
#include "trace/calls/correlator.h"
#include "trace/calls/lessons.h"
#include "trace/calls/service_name.h"
#include "trace/comparing/difference.h"
#include "trace/comparing/slices.h"

namespace retrial::campaign {
bool failed(const trace::Run& run, const std::string& test) {
  auto* result = trace::result_of(run, test);
  return result && trace::bad(*result);
}

bool has_ours(const CampaignContext& context) {
  return std::ranges::any_of(context.config.services,
                             [](auto& s) { return s.start || s.reset.kind != Reset::Kind::none; });
}

namespace {

constexpr Nanos kSuiteLimit = 3600 * kSecond;
// What runs side by side may take, of what one took: beyond that they are in each other's way, whatever they wait for.
constexpr int kTimesSideBySide = 4;
constexpr Nanos kSideBySide = 30 * kSecond;

using Runs = std::vector<const trace::Run*>;

RunSpec whole_suite(const CampaignContext& context) {
  RunSpec whole;
  whole.launch = context.adapter.suite(context.argv);
  whole.deadline = context.config.run.budget ? context.config.run.budget : kSuiteLimit;
  if (context.adapter.runner().whole) whole.only_test = kWholeCommand;
  if (context.once) whole.sampled_time = whole.deadline;
  return whole;
}

// That many at the same time, by their numbers. `deadline` 0: the budget's.
Result<Runs> suite_runs(CampaignContext& context, std::string_view phase, int many, Nanos deadline = 0) {
  context.live.show({.phase = std::string(phase)});
  auto whole = whole_suite(context);
  if (deadline) whole.deadline = std::min(whole.deadline, deadline);
  std::vector<std::uint64_t> numbers;
  for (int i = 0; i < many; i++) {
    auto begun = context.begin(whole);
    if (!begun) return std::unexpected(begun.error());
    numbers.push_back(*begun);
  }
  auto meanwhile = [&] {
    std::size_t done = 0;
    for (auto number : numbers) done = std::max(done, context.workers.tests_done(number));
    context.live.update({.phase = std::string(phase), .what = done ? report::counted(done, "test") + " done" : ""});
  };
  std::map<std::uint64_t, trace::Run> ended;
  Result<void> well;
  while (auto one = context.workers.wait(meanwhile))
    if (one->run)
      ended.emplace(one->number, std::move(*one->run));
    else
      well = std::unexpected(one->run.error());
  // Where slots are tried, one that does not do is no loss.
  for (auto& [number, run] : ended)
    if (well && context.slots.apart() && !run.incomplete.empty()) well = fail(run.incomplete);
  if (!well) return std::unexpected(well.error());
  Runs runs;
  for (auto& [number, run] : ended) runs.push_back(context.keep(std::move(run)));
  return runs;
}

// Once more where a client did not trust us: its first connection failed, and it is passed unopened from now on.
Result<Runs> trusted_run(CampaignContext& context) {
  constexpr std::string_view phase = "the suite without faults, to see what it does";
  auto runs = suite_runs(context, phase, 1);
  if (!runs || !context.executor.failed_distrusting() || context.executor.interrupted()) return runs;
  return suite_runs(context, phase, 1);
}

// Tests that do not do in one what they do in the other, each with what differs.
std::map<std::string, std::string> differences(const trace::Run& first, const trace::Run& second) {
  std::map<std::string, std::string> out;
  auto one = trace::conducts_of(first), other = trace::conducts_of(second);
  for (auto* all : {&one, &other})
    for (auto& [test, conduct] : *all)
      if (auto what = trace::difference(one[test], other[test]); !what.empty()) out[test] = what;
  return out;
}

Twice two(const trace::Run& before, const trace::Run& last) {
  return {&before, &last, differences(before, last), &before};
}

// What the suite teaches of all that is run after it, and of itself.
void learn(CampaignContext& context, const trace::Run& suite) {
  auto& lessons = context.lessons;
  lessons = trace::lessons_of(suite, context.config.trees());
  for (auto& run : context.runs.held()) lessons.apply(run);
  // A poll is one within a test: of two tests that ask the same one comes after the other too.
  lessons.polls.clear();
  for (auto& [test, slice] : trace::slices_of(suite))
    for (auto [poll, pace] : trace::lessons_of(slice).polls) {
      auto [it, fresh] = lessons.polls.try_emplace(poll, pace);
      it->second = std::min(it->second, pace);
    }
  for (auto& run : context.runs.held()) trace::Correlator::correlate_each_test(run, lessons);
}

// One after another, until the last two are alike, three at most: a first run may leave something at a service that is
// there in all later ones.
Result<Twice> run_in_turn(CampaignContext& context, Runs runs, const std::function<bool()>& may_go_on) {
  while (may_go_on() && (runs.size() < 2 || (runs.size() < 3 && !two(*runs[0], *runs[1]).differ.empty()))) {
    auto run = suite_runs(context, "the suite without faults, once more", 1,
                          CampaignContext::deadline_of(trace::lasted(*runs.front())));
    if (!run) return std::unexpected(run.error());
    runs.push_back(run->front());
    learn(context, *runs.back());
  }
  auto twice = two(**std::prev(runs.end(), runs.size() > 1 ? 2 : 1), *runs.back());
  twice.first = runs.front();
  // What it leaves behind is seldom why a test failed: it may as well fail now and then.
  for (auto& r : runs.front()->results)
    if (failed(*runs.front(), r.test) && !failed(*runs.back(), r.test))
      twice.differ.try_emplace(r.test, "it failed in the first run");
  return twice;
}

// Services that we start or bring back are there once, as is one that keeps its port: runs that share it would see what
// each other did. One that the tests start for themselves, at whatever port is free, is each run's own.
bool may_be_private(const trace::Run& run) {
  return std::ranges::all_of(run.exchanges, [](auto& e) { return trace::service_name(e.service).ends_with(":*"); });
}
bool share_a_service(const trace::Run& a, const trace::Run& b) {
  std::set<std::string> at;
  for (auto& e : a.exchanges) at.insert(e.service);
  return std::ranges::any_of(b.exchanges, [&](auto& e) { return at.contains(e.service); });
}

// Gives each run from now on a slot of its own, where everything that the suite talks to is there too.
Result<void> go_apart(CampaignContext& context, const trace::Run& suite) {
  if (auto& beyond = suite.capture.beyond; !beyond.empty())
    return fail(fmt::format("the tests reach {}, which a network of their own would not have", *beyond.begin()));
  return context.slots.go_apart(suite.capture.reached);
}

// Two beside each other: `differ` is what they did not do as each other, or as the first.
struct Beside {
  Twice twice;
  std::map<std::string, std::string> differ;
  bool shared = false;  // both spoke to one service
  bool lost = false;    // one of them ran no test at all: what they write to is one (Maven's target/)
};
Result<Beside> run_side_by_side(CampaignContext& context, const trace::Run& first) {
  auto both = suite_runs(context, "the suite without faults, twice side by side", 2,
                         kSideBySide + kTimesSideBySide * trace::lasted(first));
  if (!both) return std::unexpected(both.error());
  auto &a = *both->front(), &b = *both->back();
  learn(context, a);
  Beside beside{two(a, b), differences(first, a), !context.slots.apart() && share_a_service(a, b)};
  beside.lost = !first.results.empty() && (a.results.empty() || b.results.empty());
  beside.differ.insert(beside.twice.differ.begin(), beside.twice.differ.end());
  return beside;
}

// Who differed only where runs went side by side may have done so by chance: of these, the ones that do not once more
// are given back, and are no longer `disturbed`.
std::map<std::string, std::string> not_again(CampaignContext& context, const trace::Run& first, bool apart,
                                             std::map<std::string, std::string>& disturbed) {
  std::map<std::string, std::string> by_chance;
  if (apart && !go_apart(context, first)) return by_chance;
  auto again = run_side_by_side(context, first);
  context.slots.come_back();
  if (!again) return by_chance;
  for (auto it = disturbed.begin(); it != disturbed.end();)
    if (again->differ.contains(it->first))
      ++it;
    else
      by_chance.insert(disturbed.extract(it++));
  return by_chance;
}

// Who disturb each other by the files that they share do not where each has a layer of its own.
bool are_alike_apart(CampaignContext& context, const trace::Run& first,
                     const std::map<std::string, std::string>& disturbed) {
  if (!go_apart(context, first)) return false;
  auto again = run_side_by_side(context, first);
  context.slots.come_back();
  return again && std::ranges::none_of(disturbed, [&](auto& d) { return again->differ.contains(d.first); });
}

}  // namespace

Result<Twice> run_twice(CampaignContext& context, References& refs, const std::function<bool()>& may_go_on) {
  auto runs = trusted_run(context);
  if (!runs) return std::unexpected(runs.error());
  auto& first = *runs->front();
  learn(context, first);
  if (context.workers.most() < 2 || !may_go_on()) return run_in_turn(context, *runs, may_go_on);
  auto one_after_another = [&](const std::string& why) {
    refs.side_by_side = false;
    refs.remarks.push_back(fmt::format("{}, so one is run after another (workers = 1)", why));
  };
  bool asked_for = context.config.run.workers > 1;
  if (has_ours(context) || !may_be_private(first))
    if (auto apart = go_apart(context, first); !apart && (has_ours(context) || !asked_for)) {
      one_after_another(fmt::format("no run can have services of its own ({})", apart.error().line()));
      return run_in_turn(context, *runs, may_go_on);
    }
  auto beside = run_side_by_side(context, first);
  bool apart = context.slots.apart();
  if (!beside && (!apart || context.executor.interrupted())) return std::unexpected(beside.error());
  refs.side_by_side = beside && (asked_for || !beside->shared);
  if (refs.side_by_side && beside->differ.empty()) return std::move(beside->twice);
  context.slots.come_back();
  if (!beside) one_after_another(fmt::format("no run can have services of its own ({})", beside.error().line()));
  auto in_turn = run_in_turn(context, *runs, may_go_on);
  if (!in_turn || !beside || !refs.side_by_side) return in_turn;
  auto disturbed = std::move(beside->differ);
  std::erase_if(disturbed, [&](auto& d) { return in_turn->differ.contains(d.first); });
  if (!disturbed.empty()) {
    if (!beside->lost && may_go_on()) in_turn->differ.merge(not_again(context, first, apart, disturbed));
    if (!apart && !disturbed.empty() && may_go_on() && are_alike_apart(context, first, disturbed)) {
      apart = true;
      disturbed.clear();
    }
    learn(context, *in_turn->suite);
  }
  if (!disturbed.empty()) {
    auto& [test, what] = *disturbed.begin();
    one_after_another(fmt::format("runs side by side disturb each other ({}: {})", test, what));
  }
  if (apart && refs.side_by_side)
    if (auto again = go_apart(context, first); !again) refs.side_by_side = false;
  return in_turn;
}

}  // namespace retrial::campaign
