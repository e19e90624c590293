#include "campaign/planning/references.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/escape.h"
#include "campaign/planning/last_words.h"
#include "campaign/planning/suite_runs.h"
#include "campaign/report/words.h"
#include "trace/calls/lessons.h"
#include "trace/comparing/slices.h"

namespace retrial::campaign {
namespace {

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

// What its runners would run side by side, as they were asked to or do by themselves.
std::set<std::string> made_serial(const CampaignContext& context, const trace::Run& suite) {
  auto out = context.executor.made_serial();
  std::set<std::string_view> files;
  for (auto& r : suite.results) files.insert(std::string_view(r.test).substr(0, r.test.find(" > ")));
  auto runs = [&](const Runner& runner) {
    return runner.name == context.adapter.runner().name ||
           context.executor.runners().contains(std::string(runner.name));
  };
  for (auto* adapter : adapters())
    if (auto& runner = adapter->runner(); runner.files_at_once && files.size() > 1 && runs(runner))
      out.insert(fmt::format("{}'s test files", runner.name));
  return out;
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
  if (context.keep_suites)
    for (auto* run : {twice->before, twice->suite})
      if (refs.suites.empty() || refs.suites.front().id != run->id) refs.suites.push_back(*run);
  // Of the others only what came of their tests is still asked: a long suite is in memory once, and in slices.
  trace::Run before{.results = twice->before->results};
  context.runs.let_go_but(suite.id);
  twice->before = &before;
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
    if (!context.adapter.runner().whole && suite.results.empty())
      why += fmt::format(": {} told of none; docs/agents.md says which of its versions and runners are known",
                         context.adapter.runner().name);
    for (auto& line : refs.left_alone) why += fmt::format("\n  {}", line);
    if (!failed.empty()) why += "\n" + failed;
    return fail(why, context.argv.front(), Blame::user);
  }
  if (auto& packages = context.executor.installed(); !packages.empty())
    refs.remarks.push_back(fmt::format("{}, as installed, is the application", fmt::join(packages, ", ")));
  if (auto parallel = made_serial(context, suite); !parallel.empty())
    refs.remarks.push_back(fmt::format(
        "{}: within a run one test is after another, so that each answers for its own fault; --workers has runs side "
        "by side",
        fmt::join(parallel, ", ")));
  if (context.adapter.runner().whole) refs.remarks.push_back(wrapped(context, refs, suite));
  if (!failed.empty()) refs.remarks.push_back(std::move(failed));
  context.runs.let_go_all();
  return refs;
}

}  // namespace retrial::campaign
