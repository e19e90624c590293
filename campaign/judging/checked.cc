#include "campaign/judging/checked.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "campaign/report/words.h"
#include "checkers/file.h"
#include "checkers/monitor.h"
#include "oracles/oracle.h"

namespace retrial::campaign {
namespace {

struct CheckFailure {
  checkers::Outcome outcome;
  const trace::Run* run = nullptr;
  const trace::Exchange* exchange = nullptr;
  std::set<std::uint64_t> runs;
};

bool told_by_its_test(const trace::Run& run, const trace::Exchange& e) {
  auto* result = e.tag.test.empty() ? nullptr : trace::result_of(run, e.tag.test);
  return result && trace::bad(*result);
}

trace::Finding finding_of(const CheckFailure& failure, std::size_t more) {
  auto& [o, run, e, runs] = failure;
  trace::Finding f;
  f.verdict = "semantic-violation";
  f.confidence = checkers::may_be_chance(*o.checker) ? trace::Confidence::possible : trace::Confidence::likely;
  f.confirmed = true;
  f.test = e->tag.test;
  f.site = e->tag.site;
  f.service = e->service;
  f.operation = e->operation;
  f.policy = kCheck;
  f.fault = kNoFault;
  f.message = fmt::format("{}: without any fault, and with no word of it, {} (checker {}{}).", e->operation, o.says,
                          o.checker->name, more == 0 ? "" : fmt::format("; {} more fail", more));
  f.advice = fmt::format("A right one keeps what its tests have shown: {}.", checkers::sentence(*o.checker));
  f.evidence = o.evidence;
  f.run = run->id;
  f.reference = run->id;
  f.attempts = 1;
  f.id = trace::finding_id(f.verdict, f.site, f.operation, f.fault);
  return f;
}

}  // namespace

std::string what_was_checked(std::size_t all, std::size_t passed, std::size_t failed,
                             const std::vector<std::string_view>& idle) {
  return fmt::format("{} of {} had something to look at: {}, {} failed{}", all - idle.size(),
                     report::counted(all, "checker"), report::counted(passed + failed, "check"), failed,
                     idle.empty() ? "" : fmt::format("; nothing had {}", fmt::join(idle, ", ")));
}

void check_without_faults(const std::vector<const trace::Run*>& runs, trace::CampaignRecord& record) {
  auto& all = checkers::in_use();
  if (all.empty() || runs.empty()) return;
  std::map<std::string, CheckFailure> failures;
  std::size_t passed = 0, failed = 0;
  std::set<const checkers::Checker*> asked;
  for (auto* run : runs)
    checkers::watch(all, *run, [&](const checkers::Outcome& o) {
      asked.insert(o.checker);
      passed += o.verdict == checkers::Verdict::pass;
      if (o.verdict != checkers::Verdict::fail) return;
      auto e = std::ranges::find(run->exchanges, o.exchange, &trace::Exchange::id);
      if (e == run->exchanges.end() || told_by_its_test(*run, *e)) return;
      failed++;
      failures.try_emplace(checkers::key_of(o), CheckFailure{o, run, &*e, {}}).first->second.runs.insert(run->id);
    });
  std::map<std::pair<std::string, std::string>, std::vector<const CheckFailure*>> places;
  for (auto& [key, failure] : failures) {
    auto& e = *failure.exchange;
    if (failure.runs.size() < runs.size())
      record.not_judged.push_back({e.tag.test, e.tag.site, e.service, e.operation, std::string(kCheck),
                                   std::string(kNoFault),
                                   fmt::format("checker {} failed in {} of {} runs: {}", failure.outcome.checker->name,
                                               failure.runs.size(), runs.size(), failure.outcome.says)});
    else
      places[{e.tag.site ? trace::key_of(*e.tag.site) : "", e.operation}].push_back(&failure);
  }
  for (auto& [place, here] : places) record.findings.push_back(finding_of(*here.front(), here.size() - 1));
  std::vector<std::string_view> idle;
  for (auto& c : all)
    if (!asked.contains(&c)) idle.push_back(c.name);
  record.remarks.push_back("without faults, " + what_was_checked(all.size(), passed, failed, idle));
}

}  // namespace retrial::campaign
