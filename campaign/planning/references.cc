#include "campaign/planning/references.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "base/escape.h"
#include "campaign/planning/last_words.h"
#include "campaign/report/words.h"
#include "trace/calls/correlator.h"
#include "trace/calls/lessons.h"
#include "trace/calls/service_name.h"
#include "trace/comparing/difference.h"
#include "trace/comparing/slices.h"

namespace retrial::campaign {
namespace {

constexpr Nanos kSuiteLimit = 3600 * kSecond;
// What runs side by side may take, of what one took: beyond that they are in each other's way, whatever they wait for.
constexpr int kTimesSideBySide = 4;
constexpr Nanos kSideBySide = 30 * kSecond;
// By which agents come into a process.
constexpr auto kPassed =
    "RETRIAL_*, PYTHONPATH, PYTEST_PLUGINS, NODE_OPTIONS, RUBYOPT, PHP_INI_SCAN_DIR, LD_PRELOAD and JAVA_TOOL_OPTIONS";

// What there was in place of HTTP, as far as there was anything.
std::string what_was_seen(const trace::Run& suite) {
  auto& c = suite.capture;
  std::vector<std::string> seen;
  auto add = [&](std::uint64_t n, const char* what) {
    if (n) seen.push_back(fmt::format("{} connection{} {}", n, n == 1 ? "" : "s", what));
  };
  add(c.tunnels, "that spoke no clear-text HTTP/1 (TLS, HTTP/2 or another protocol)");
  add(c.outside, "to addresses that are neither loopback nor private");
  add(c.failed + c.late, "that the service did not take");
  add(c.unix_socket, "over Unix sockets");
  seen.insert(seen.end(), c.not_seen.begin(), c.not_seen.end());
  return seen.empty() ? "no connection at all" : fmt::format("{}", fmt::join(seen, "; "));
}

Result<void> check_suite(const CampaignContext& context, const trace::Run& suite, const std::string& failed) {
  auto& command = context.argv.front();
  if (suite.stop == trace::Stop::deadline)
    return fail("the reference run did not end within its time", command, Blame::network);
  if (suite.stop == trace::Stop::interrupted || !suite.exchanges.empty()) return {};
  auto nothing = "No HTTP request was seen, so there is nothing to put on trial; seen instead: " + what_was_seen(suite);
  return fail(failed.empty() ? nothing : failed + "\n" + nothing, failed.empty() ? command : "", Blame::user);
}

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
Result<Runs> suite_runs(CampaignContext& context, int many, Nanos deadline = 0) {
  auto whole = whole_suite(context);
  if (deadline) whole.deadline = std::min(whole.deadline, deadline);
  for (int i = 0; i < many; i++)
    if (auto begun = context.begin(whole); !begun) return std::unexpected(begun.error());
  std::map<std::uint64_t, trace::Run> ended;
  Result<void> well;
  while (auto one = context.workers.wait())
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
Result<Runs> trusted_runs(CampaignContext& context, int many) {
  auto runs = suite_runs(context, many);
  if (!runs || !context.executor.failed_distrusting() || context.executor.interrupted()) return runs;
  return suite_runs(context, many);
}

// Tests that do not do in one what they do in the other, each with what differs.
std::map<std::string, std::string> differences(const trace::Run& first, const trace::Run& second) {
  std::map<std::string, std::string> out;
  static const trace::Run none;
  auto one = trace::slices_of(first), other = trace::slices_of(second);
  for (auto& [test, slice] : one) {
    auto it = other.find(test);
    if (auto what = trace::difference(slice, it == other.end() ? none : it->second, test); !what.empty())
      out[test] = what;
  }
  for (auto& [test, slice] : other)
    if (!one.contains(test)) out[test] = trace::difference(none, slice, test);
  return out;
}

// Calls that the first run made and this one does not: what a suite sends once to a service that keeps what it was
// told.
std::vector<std::string> only_at_first(const trace::Run& first, const trace::Run& suite,
                                       const trace::Lessons& lessons) {
  std::set<std::string> now;
  std::vector<std::string> gone;
  for (auto& e : suite.exchanges) now.insert(lessons.rename(e.operation));
  for (auto& e : first.exchanges)
    if (auto operation = lessons.rename(e.operation); !operation.empty() && now.insert(operation).second)
      gone.push_back(std::move(operation));
  return gone;
}

// The two runs by which the suite is known, and how its tests differ in them.
struct Twice {
  const trace::Run* before = nullptr;  // the same, where there was time for one
  const trace::Run* suite = nullptr;
  std::map<std::string, std::string> differ;
  const trace::Run* first = nullptr;
};

Twice two(const trace::Run& before, const trace::Run& last) {
  return {&before, &last, differences(before, last), &before};
}

bool failed(const trace::Run& run, const std::string& test) {
  auto* result = trace::result_of(run, test);
  return result && trace::bad(*result);
}

// Why a test that sends requests cannot be put on trial; empty: it can.
std::string why_not(const Twice& twice, const std::string& test) {
  bool before = failed(*twice.before, test), now = failed(*twice.suite, test);
  if (before && now) return test + ": fails without any fault";
  if (before != now) return test + ": passes and fails by turns, without any fault";
  if (trace::result_of(*twice.suite, test)) return {};
  return test == kWholeCommand ? "requests that none of the command's tests sends"
                               : test + ": the runner gave no result for it";
}

// What the suite does, told from two runs of it: which of its tests can be put on trial.
void sort_tests(References& refs, const Twice& twice) {
  for (auto& [test, slice] : trace::slices_of(*twice.suite)) {
    auto why = why_not(twice, test);
    if (!why.empty() && (!slice.exchanges.empty() || failed(slice, test))) refs.left_alone.push_back(why);
    if (!why.empty() || slice.exchanges.empty() || !passed(slice, test)) continue;
    if (auto it = twice.differ.find(test); it != twice.differ.end()) refs.unsteady.insert(*it);
    refs.tests[test] = &refs.slices.emplace_back(std::move(slice));
  }
}

void put_in_order(References& refs, const trace::Run& suite) {
  std::map<std::int32_t, int> processes;  // by pid
  for (auto& s : suite.stages) {
    if (refs.tests.contains(s.test)) refs.place.try_emplace(s.test, refs.place.size());
    refs.process.try_emplace(s.test, processes.try_emplace(s.pid, static_cast<int>(processes.size())).first->second);
  }
  refs.processes = std::max(1, static_cast<int>(processes.size()));
  for (auto& [test, slice] : refs.tests) refs.place.try_emplace(test, refs.place.size());
}

// What stands behind a command that is no runner of ours.
std::string wrapped(const CampaignContext& context, const References& refs, const trace::Run& suite) {
  auto line = report::command_line(context.argv), command = cut(line, 60);
  auto& runners = context.executor.runners();
  if (!runners.empty() && !refs.tests.contains(std::string(kWholeCommand)))
    return fmt::format("`{}` starts {}: its tests are told apart, and run by it", command, fmt::join(runners, " and "));
  std::vector<std::string_view> known;
  for (auto* adapter : adapters())
    if (!adapter->runner().whole) known.push_back(adapter->runner().name);
  auto text = fmt::format(
      "`{}` is no test runner that we know ({}): all of it is one test, which passes where it ends with status 0",
      command, fmt::join(known, ", "));
  if (suite.agents.empty())
    text += fmt::format(
        ". No agent was heard from: if it runs Python, Node, Ruby, PHP or Java, let what it starts have the variables "
        "{}, which {}; `retrial doctor -- {}` shows what is seen then",
        kPassed, "tox takes away unless pass_env names them, and env -i, sudo and containers do", line);
  return text;
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
    context.live.show({.phase = "the suite without faults, once more"});
    auto run = suite_runs(context, 1, CampaignContext::deadline_of(trace::lasted(*runs.front())));
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
bool has_ours(const CampaignContext& context) {
  return std::ranges::any_of(context.config.services,
                             [](auto& s) { return s.start || s.reset.kind != Reset::Kind::none; });
}
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
};
Result<Beside> run_side_by_side(CampaignContext& context, const trace::Run& first) {
  context.live.show({.phase = "the suite without faults, twice side by side"});
  auto both = suite_runs(context, 2, kSideBySide + kTimesSideBySide * trace::lasted(first));
  if (!both) return std::unexpected(both.error());
  auto &a = *both->front(), &b = *both->back();
  learn(context, a);
  Beside beside{two(a, b), differences(first, a), !context.slots.apart() && share_a_service(a, b)};
  beside.differ.insert(beside.twice.differ.begin(), beside.twice.differ.end());
  return beside;
}

// The first alone; then, where runs may go side by side, two that do.
Result<Twice> run_twice(CampaignContext& context, References& refs, const std::function<bool()>& may_go_on) {
  context.live.show({.phase = "the suite without faults, to see what it does"});
  auto runs = trusted_runs(context, 1);
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
  if (!in_turn || !beside) return in_turn;
  for (auto& [test, what] : beside->differ)
    if (!in_turn->differ.contains(test) && refs.side_by_side)
      one_after_another(fmt::format("runs side by side disturb each other ({}: {})", test, what));
  if (apart && refs.side_by_side)
    if (auto again = go_apart(context, first); !again) refs.side_by_side = false;
  return in_turn;
}

// Operations that no test asks for itself: those of its fixtures.
std::set<std::string_view> of_fixtures_alone(const trace::Run& suite) {
  std::set<std::string_view> fixtures, tests;
  for (auto& e : suite.exchanges) {
    bool fixture = e.tag.phase != trace::Phase::test && e.tag.phase != trace::Phase::none;
    (fixture && e.tag.site ? fixtures : tests).insert(e.operation);
  }
  std::erase_if(fixtures, [&](auto operation) { return tests.contains(operation); });
  return fixtures;
}
std::string named_first(const std::set<std::string_view>& operations) {
  constexpr std::size_t kNamed = 3;
  std::vector<std::string_view> first(operations.begin(), operations.end());
  first.resize(std::min(first.size(), kNamed));
  auto more = operations.size() - first.size();
  return fmt::format("{}{}", fmt::join(first, ", "), more ? fmt::format(" and {} more", more) : "");
}

}  // namespace

int References::process_of(const std::string& test) const {
  auto it = process.find(test);
  return it == process.end() ? 0 : it->second;
}

bool passed(const trace::Run& run, const std::string& test) {
  auto* result = trace::result_of(run, test);
  return result && result->outcome == "passed";
}

Result<References> collect_references(CampaignContext& context, Nanos time_left) {
  References refs;
  auto twice = run_twice(context, refs, [&] {
    return !context.once && !context.executor.interrupted() && !(time_left && context.clock.now() > time_left);
  });
  if (!twice) return std::unexpected(twice.error());
  auto& suite = *twice->suite;
  refs.suite = suite.id;
  refs.took = trace::lasted(suite);
  auto failed = last_words(context.argv.front(), suite, context.executor.log_of(suite.id));
  if (auto ok = check_suite(context, suite, failed); !ok) return std::unexpected(ok.error());
  if (auto gone = only_at_first(*twice->first, suite, context.lessons); !gone.empty())
    refs.left_alone.push_back(fmt::format(
        "{}: sent in the first run alone, so not on trial{}", fmt::join(gone, ", "),
        has_ours(context) ? ""
                          : ": the service keeps what a run leaves there; `reset` of its [service] brings it "
                            "back before each run (docs/configuration.md)"));
  if (auto asked = of_fixtures_alone(suite); !asked.empty())
    refs.left_alone.push_back(named_first(asked) + ": sent by set-up and clean-up alone, so not on trial");
  for (auto& b : suite.broken) refs.left_alone.push_back("test file that cannot be loaded: " + b);
  std::set<std::string> fixed;
  for (auto& s : context.config.services) fixed.insert(s.address);
  context.lessons.services.learn(context.runs.held(), fixed);
  for (auto& run : context.runs.held()) context.lessons.learn_answers(run, context.config.bare());
  std::ranges::move(context.lessons.errors.remarks(), std::back_inserter(refs.remarks));
  sort_tests(refs, *twice);
  put_in_order(refs, suite);
  refs.services = services_seen(suite, context.config);
  // Those that the tests start for themselves move.
  context.services_stay =
      std::ranges::any_of(refs.services, [](auto& s) { return s.address.find(":*") == s.address.npos; });
  refs.executes_again = context.adapter.runner().executes_again;
  refs.share_services = context.services_stay && !context.slots.apart();
  std::ranges::move(connections_left_alone(suite), std::back_inserter(refs.left_alone));
  refs.start = refs.took;
  for (auto& r : suite.results) refs.start -= static_cast<Nanos>(r.ms * kMillisecond);
  refs.start = std::max<Nanos>(0, refs.start);
  for (auto& [test, what] : refs.unsteady)
    refs.remarks.push_back(fmt::format(
        "{} does not do the same each time ({}): what is found in it has to be seen three times, and never without a "
        "fault",
        test, what));
  if (refs.tests.empty() && !context.executor.interrupted()) {
    std::string why = "no test is left to try";
    if (time_left && context.clock.now() > time_left)
      why += ": the runs without faults took what the budget leaves them";
    for (auto& line : refs.left_alone) why += fmt::format("\n  {}", line);
    if (!failed.empty()) why += "\n" + failed;
    return fail(why, context.argv.front(), Blame::user);
  }
  if (auto& packages = context.executor.installed(); !packages.empty())
    refs.remarks.push_back(fmt::format("{}, as installed, is the application", fmt::join(packages, ", ")));
  if (context.adapter.runner().whole) refs.remarks.push_back(wrapped(context, refs, suite));
  if (!failed.empty()) refs.remarks.push_back(std::move(failed));
  if (context.keep_suites)
    for (auto* run : {twice->before, twice->suite})
      if (refs.suites.empty() || refs.suites.front().id != run->id) refs.suites.push_back(*run);
  context.runs.let_go_all();
  return refs;
}

}  // namespace retrial::campaign
