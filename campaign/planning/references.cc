#include "campaign/planning/references.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "campaign/planning/last_words.h"
#include "campaign/report/escape.h"

namespace retrial::campaign {
namespace {

constexpr Nanos kSuiteLimit = 3600 * kSecond;
constexpr auto kPassed =
    "RETRIAL_*, PYTHONPATH, PYTEST_PLUGINS and NODE_OPTIONS";  // by which agents come into a process

std::string operation_key(const trace::Exchange& e) {
  return fmt::format("{} at {}", e.operation, e.tag.site ? trace::show(*e.tag.site) : e.service);
}
// What a test sends in its own phase, by operation and call site.
std::set<std::string> sent_by(const trace::Run& run, const std::string& test) {
  std::set<std::string> out;
  for (auto& e : run.exchanges)
    if (e.tag.test == test && (e.tag.phase == trace::Phase::test || e.tag.phase == trace::Phase::none))
      out.insert(operation_key(e));
  return out;
}

// Tests that send requests, the ones that add most operations not seen before first.
std::vector<std::string> tests_that_send(const trace::Run& suite) {
  std::map<std::string, std::set<std::string>> by_test;
  for (auto& e : suite.exchanges)
    if (!e.tag.test.empty() && e.tag.phase != trace::Phase::shared) by_test[e.tag.test].insert(operation_key(e));
  std::vector<std::string> order;
  std::set<std::string> seen;
  while (!by_test.empty()) {
    auto fresh = [&](auto& entry) {
      return std::count_if(entry.second.begin(), entry.second.end(), [&](auto& op) { return !seen.contains(op); });
    };
    auto best = std::max_element(by_test.begin(), by_test.end(), [&](auto& a, auto& b) { return fresh(a) < fresh(b); });
    seen.insert(best->second.begin(), best->second.end());
    order.push_back(best->first);
    by_test.erase(best);
  }
  return order;
}

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

// Once more where a client did not trust us: its first connection failed, and it is passed unopened from now on.
Result<const trace::Run*> execute(CampaignContext& context, const RunSpec& spec) {
  auto run = context.execute(spec);
  if (!run || !context.executor.failed_distrusting() || context.executor.interrupted()) return run;
  if (auto ok = context.services.reset(); !ok) return std::unexpected(ok.error());
  return context.execute(spec);
}

// The test alone, on the service's first state where it can be had; a second time, more widely, if the narrow way did
// not reach it.
Result<const trace::Run*> run_alone(CampaignContext& context, References& refs, const std::string& test) {
  if (auto ok = context.services.reset(); !ok) return std::unexpected(ok.error());
  auto run = execute(context, context.spec_for(test, trace::RunKind::alone, false));
  if (!run || trace::result_of(**run, test) || context.executor.interrupted()) return run;
  refs.wide.insert(test);
  return execute(context, context.spec_for(test, trace::RunKind::alone, true));
}

// Why this test cannot be put on trial; empty if it can.
std::string why_not(const trace::Run& run, const std::string& test) {
  if (!run.incomplete.empty()) return run.incomplete;
  if (!trace::result_of(run, test)) return "the runner did not run it by its id";
  if (!passed(run, test)) return "it passes only in company: alone, without any fault, it fails";
  return {};
}

// What the test sent in company and not alone: mostly a service that keeps what an earlier test has put there.
void name_differences(References& refs, const trace::Run& run, const std::string& test, std::set<std::string>& named) {
  auto alone = sent_by(run, test);
  for (auto& op : sent_by(*refs.suite, test))
    if (!alone.contains(op) && named.insert(op).second)
      refs.left_alone.push_back(
          fmt::format("{}: sent by {} in the suite, and not when it ran alone; if a service keeps what earlier runs "
                      "have put there, a `reset` in retrial.toml helps",
                      op, test));
}

// What stands behind a command that is no runner of ours.
std::string wrapped(const CampaignContext& context, const References& refs) {
  auto command = report::cut(fmt::format("{}", fmt::join(context.argv, " ")), 60);
  auto& runners = context.executor.runners();
  if (!runners.empty() && !refs.alone.contains(std::string(kWholeCommand)))
    return fmt::format("`{}` starts {}: each of its tests is run by it alone", command, fmt::join(runners, " and "));
  std::vector<std::string_view> known;
  for (auto* adapter : adapters())
    if (!adapter->runner().whole) known.push_back(adapter->runner().name);
  auto text = fmt::format(
      "`{}` is no test runner that we know ({}): all of it is one test, which passes where it ends with status 0",
      command, fmt::join(known, ", "));
  if (refs.suite->agents.empty())
    text += fmt::format(
        ". No agent was heard from: if it runs Python or Node, let what it starts have the variables {}, which {}",
        kPassed, "tox takes away unless pass_env names them, and env -i, sudo and containers do");
  return text;
}

}  // namespace

bool passed(const trace::Run& run, const std::string& test) {
  auto* result = trace::result_of(run, test);
  return result && result->outcome == "passed";
}

Result<References> collect_references(CampaignContext& context, Nanos time_left) {
  References refs;
  context.live.show({.phase = "reference run"});
  RunSpec whole;
  whole.launch = context.adapter.suite(context.argv);
  whole.deadline = context.config.run.budget ? context.config.run.budget : kSuiteLimit;
  if (context.adapter.runner().whole) whole.only_test = kWholeCommand;
  auto suite = execute(context, whole);
  if (!suite) return std::unexpected(suite.error());
  refs.suite = *suite;
  context.lessons = trace::lessons_of(*refs.suite);
  context.lessons.apply(context.runs.back());
  auto failed = last_words(context.argv.front(), **suite, context.executor.log_of((*suite)->id));
  if (auto ok = check_suite(context, **suite, failed); !ok) return std::unexpected(ok.error());
  for (auto& b : refs.suite->broken) refs.left_alone.push_back("test file that cannot be loaded: " + b);

  std::vector<std::string> fine;
  auto senders = tests_that_send(*refs.suite);
  std::set<std::string> failing;
  for (auto& r : refs.suite->results)
    if (trace::bad(r) && failing.insert(r.test).second) refs.left_alone.push_back(r.test + ": fails without any fault");
  for (auto& test : senders) {
    if (passed(*refs.suite, test))
      fine.push_back(test);
    else if (!trace::result_of(*refs.suite, test))
      refs.left_alone.push_back(test == kWholeCommand ? "requests that none of the command's tests sends"
                                                      : test + ": the runner gave no result for it");
  }

  bool out_of_time = false;
  for (std::size_t i = 0; i < fine.size() && !context.executor.interrupted(); i++) {
    auto& test = fine[i];
    if (test == kWholeCommand) {
      refs.alone[test] = refs.suite;
      continue;
    }
    if (time_left && context.clock.now() > time_left) {
      refs.left_alone.push_back(fmt::format("{} of {} tests that send requests: the budget did not reach them",
                                            fine.size() - i, fine.size()));
      out_of_time = true;
      break;
    }
    context.live.show({.phase = "reference run, each test alone", .number = i + 1, .total = fine.size(), .what = test});
    auto run = run_alone(context, refs, test);
    if (!run) return std::unexpected(run.error());
    if (auto why = why_not(**run, test); why.empty()) {
      refs.alone[test] = *run;
    } else if (!context.executor.interrupted()) {
      refs.left_alone.push_back(test + ": " + why);
    }
  }
  std::set<std::string> fixed, named;
  for (auto& s : context.config.services) fixed.insert(s.address);
  context.lessons.services.learn(context.runs, fixed);
  for (auto& test : fine)
    if (auto it = refs.alone.find(test); it != refs.alone.end()) name_differences(refs, *it->second, test, named);
  if (refs.alone.empty() && !context.executor.interrupted()) {
    if (out_of_time)
      return fail("the budget ended with the reference runs; no case was tried", context.argv.front(), Blame::network);
    std::string why = "no test is left to try";
    for (auto& line : refs.left_alone) why += fmt::format("\n  {}", line);
    if (!failed.empty()) why += "\n" + failed;
    return fail(why, context.argv.front(), Blame::user);
  }
  refs.failed = std::move(failed);
  if (context.adapter.runner().whole) refs.wrapped = wrapped(context, refs);
  return refs;
}

}  // namespace retrial::campaign
