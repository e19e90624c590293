#include "campaign/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>

#include "campaign/judging/time_saved.h"
#include "campaign/planning/plan.h"
#include "campaign/planning/references.h"
#include "campaign/planning/schedule.h"
#include "campaign/report/reports.h"
#include "campaign/report/words.h"
#include "campaign/trial.h"
#include "oracles/oracle.h"
#include "trace/calls/service_name.h"
#include "trace/recording/redact.h"
#include "trace/store/store.h"

namespace retrial::campaign {
namespace {

using report::left_as_it_is;

constexpr double kReferencesShare = 0.4;  // of a budget, at most

class Campaign {
 public:
  Campaign(const CampaignSetting& setting, const Clock& clock, Executor& executor, const std::vector<std::string>& argv)
      : setting_(setting),
        clock_(clock),
        executor_(executor),
        argv_(argv),
        services_(setting.config.services, setting.folder / "logs"),
        live_(stdout, report::style_of(stdout)),
        began_(clock.now()),
        context_{executor, adapter_for(argv_), argv_, services_, setting_.config, out_.runs, live_, clock} {}

  CampaignOutcome run();
  CampaignOutcome replay(const trace::CampaignRecord& earlier, const trace::Finding& finding);

 private:
  void describe();
  void see_services(const trace::Run& suite);
  void open(const Plan& plan);
  void try_all(Plan& plan);
  void leave_spoilt(Plan& plan);
  void compare_sites(const Plan& plan);
  void keep(Case& c, CaseResult result);
  void keep_findings(std::vector<trace::Finding> from, std::vector<trace::Finding>& to);
  void stop_for(const Error& error);
  void finish();
  Nanos spent() const { return clock_.now() - began_; }
  Nanos time_left() const;

  const CampaignSetting& setting_;
  const Clock& clock_;
  Executor& executor_;
  const std::vector<std::string>& argv_;
  CampaignOutcome out_;
  Services services_;
  report::LiveLine live_;
  Nanos began_;
  CampaignContext context_;
  References refs_;
  std::map<std::string, std::string> spoilt_;  // tests that no longer pass, each with why
  std::size_t done_ = 0, total_ = 0;
};

void Campaign::describe() {
  auto& r = out_.record;
  r.command = trace::redacted_command(setting_.command);
  r.runner = context_.adapter.runner().name;
  r.directory = std::filesystem::current_path().string();
  r.wall_began = clock_.wall();
  r.hold = setting_.config.run.hold;
  r.capture = show(setting_.capture);
  if (setting_.config.run.workers > 1)
    r.remarks.push_back(fmt::format("workers = {}: this version runs one", setting_.config.run.workers));
  for (auto& s : setting_.config.services)
    if (s.allow)
      r.remarks.push_back(fmt::format(
          "[service.{}] allow: this version captures connections to loopback and private addresses only", s.name));
  r.remarks.insert(r.remarks.end(), executor_.remarks().begin(), executor_.remarks().end());
  if (context_.adapter.runner().whole)
    r.remarks.push_back(
        fmt::format("`{}` is no runner that we know: the whole command is one test", setting_.command.front()));
}

void Campaign::see_services(const trace::Run& suite) {
  std::map<std::string, trace::ServiceSeen> seen;
  for (auto& e : suite.exchanges) {
    auto address = trace::service_name(e.service);
    auto& s = seen[address];
    s.address = address;
    if (s.profile.empty() || s.profile == "generic") s.profile = e.profile;
    s.exchanges++;
    if (auto* known = setting_.config.at(e.service)) s.name = known->name;
  }
  for (auto& [address, s] : seen) out_.record.services.push_back(s);
  auto& c = suite.capture;
  auto& left = out_.record.left_alone;
  for (auto& name : c.not_seen) left.push_back(left_as_it_is(name));
  if (c.tunnels)
    left.push_back(fmt::format("{} connection(s) that speak no clear-text HTTP/1: passed unread", c.tunnels));
}

void Campaign::open(const Plan& plan) {
  report::Opening o;
  o.services = out_.record.services;
  o.tests = refs_.alone.size();
  o.targets = plan.targets;
  o.cases = plan.cases.size();
  o.repeated = plan.repeated;
  for (auto& c : plan.cases) o.expected += c.expected;
  o.budget = setting_.config.run.budget;
  o.left_alone = out_.record.left_alone;
  o.remarks = out_.record.remarks;
  live_.clear();
  std::fputs(report::opening(o, report::style_of(stdout)).c_str(), stdout);
  std::fflush(stdout);
}

Nanos Campaign::time_left() const {
  auto budget = setting_.config.run.budget;
  return budget ? std::max<Nanos>(0, budget - spent()) : Schedule::kNoLimit;
}

void Campaign::leave_spoilt(Plan& plan) {
  for (auto& c : plan.cases) {
    auto it = spoilt_.find(c.row.test);
    if (c.row.outcome != "planned" || it == spoilt_.end()) continue;
    c.row.outcome = "left";
    c.row.why = it->second;
    out_.record.not_judged.push_back(trace::judged(c.row, it->second));
  }
}

void Campaign::try_all(Plan& plan) {
  Schedule schedule(plan.cases, setting_.policies);
  total_ = plan.cases.size();
  while (!executor_.interrupted()) {
    leave_spoilt(plan);
    auto* c = schedule.next(time_left());
    if (!c) break;
    done_++;
    if (auto why = schedule.answered(*c); !why.empty()) {
      c->row.outcome = "answered";
      c->row.why = std::move(why);
      continue;
    }
    live_.show({"cases", done_, total_,
                fmt::format("{} {} at {}", c->row.policy, c->row.operation,
                            c->row.site ? trace::show(*c->row.site) : c->row.service),
                out_.record.findings.size(), std::min(schedule.expected_of_all(), time_left())});
    auto before = clock_.now();
    auto result = try_case(context_, *c, refs_.wide.contains(c->row.test));
    if (!result) {
      c->row.outcome = "incomplete";
      c->row.why = result.error().line();
      stop_for(result.error());
      break;
    }
    auto took = (clock_.now() - before) / static_cast<Nanos>(std::max<std::size_t>(1, c->row.runs.size()));
    schedule.ran(*c, result->attempts, took);
    keep(*c, std::move(*result));
  }
  compare_sites(plan);
  std::size_t left = 0;
  for (auto& c : plan.cases)
    if (c.row.outcome == "planned") {
      c.row.outcome = "left";
      c.row.why = executor_.interrupted()           ? "interrupted"
                  : !out_.record.incomplete.empty() ? out_.record.incomplete
                                                    : "budget";
      left++;
    }
  if (left && !executor_.interrupted() && out_.record.incomplete.empty())
    out_.record.remarks.push_back(fmt::format("the budget left {} of {} cases untried", left, total_));
  for (auto& c : plan.cases) out_.record.cases.push_back(c.row);
}

// What only all cases together show: it was seen case by case, and is not run again.
void Campaign::compare_sites(const Plan& plan) {
  std::deque<trace::Comparison> comparisons;
  std::vector<oracles::ComparedCase> compared_cases;
  for (auto& c : plan.cases) {
    if (c.row.outcome != "run") continue;
    oracles::ComparedCase compared{&c.row, {}, setting_.config.run.hold};
    for (auto& run : out_.runs)
      if (run.kind == trace::RunKind::with_fault && std::ranges::count(c.row.runs, run.id)) {
        comparisons.push_back(trace::compare(*c.reference, run));
        compared.comparisons.push_back(&comparisons.back());
        break;  // one run of a case shows whether it retries
      }
    if (!compared.comparisons.empty()) compared_cases.push_back(std::move(compared));
  }
  if (!compared_cases.empty()) keep_findings(oracles::compare_sites(compared_cases).findings, out_.record.findings);
}

void Campaign::keep(Case& c, CaseResult result) {
  if (result.spoilt)
    spoilt_[c.row.test] = "service state: this test no longer passes without faults since case " + c.row.id;
  keep_findings(std::move(result.findings), out_.record.findings);
  keep_findings(std::move(result.notes), out_.record.notes);
  auto add = [](auto& from, auto& to) { to.insert(to.end(), from.begin(), from.end()); };
  add(result.clean, out_.record.clean);
  add(result.not_judged, out_.record.not_judged);
}

void Campaign::keep_findings(std::vector<trace::Finding> from, std::vector<trace::Finding>& to) {
  for (auto& f : from)
    if (std::none_of(to.begin(), to.end(), [&](auto& old) { return old.id == f.id && old.test == f.test; }))
      to.push_back(std::move(f));
}

void Campaign::stop_for(const Error& error) {
  if (error.blame == Blame::user) out_.nothing_to_try = true;
  out_.record.incomplete = error.line();
}

void Campaign::finish() {
  live_.clear();
  auto& r = out_.record;
  out_.interrupted = executor_.interrupted();
  if (out_.interrupted && r.incomplete.empty()) r.incomplete = "interrupted";
  for (auto& run : out_.runs)
    if (!run.incomplete.empty() && r.incomplete.empty()) r.incomplete = run.incomplete;
  for (auto& line : services_.remarks()) r.remarks.push_back(line);
  for (auto& name : executor_.distrusting())
    if (auto line = left_as_it_is(name); std::ranges::count(r.left_alone, line) == 0) r.left_alone.push_back(line);
  if (!setting_.plan_only) mark_known(r, setting_.config, setting_.since);
  TimeSaved saved;
  for (auto& run : out_.runs) saved.add(run);
  if (auto line = saved.line(); !line.empty()) r.remarks.push_back(line);
  r.took = spent();
  r.overhead = r.took - executor_.in_commands();
}

CampaignOutcome Campaign::run() {
  describe();
  if (auto ok = services_.start(); !ok) {
    stop_for(ok.error());
    finish();
    return std::move(out_);
  }
  auto budget = setting_.config.run.budget;
  auto refs = collect_references(
      context_, budget ? began_ + static_cast<Nanos>(static_cast<double>(budget) * kReferencesShare) : 0);
  if (!refs) {
    stop_for(refs.error());
    finish();
    return std::move(out_);
  }
  refs_ = std::move(*refs);
  see_services(*refs_.suite);
  auto& left = out_.record.left_alone;
  left.insert(left.end(), refs_.left_alone.begin(), refs_.left_alone.end());
  auto plan = make_plan(refs_.alone, setting_.policies, setting_.config);
  out_.record.remarks.insert(out_.record.remarks.end(), plan.remarks.begin(), plan.remarks.end());
  if (!executor_.interrupted()) open(plan);
  if (setting_.plan_only) {
    for (auto& c : plan.cases) out_.record.cases.push_back(c.row);
  } else {
    try_all(plan);
  }
  finish();
  return std::move(out_);
}

CampaignOutcome Campaign::replay(const trace::CampaignRecord& earlier, const trace::Finding& finding) {
  describe();
  auto row = std::find_if(earlier.cases.begin(), earlier.cases.end(), [&](auto& c) {
    return c.policy == finding.policy && c.plan == finding.fault && c.test == finding.test &&
           c.operation == finding.operation && c.site == finding.site;
  });
  auto plan = row == earlier.cases.end()
                  ? Result<policies::FaultPlan>(fail("its case is not in the campaign's store", finding.id))
                  : policies::parse_fault_plan(row->plan);
  auto ready = plan ? services_.start() : Result<void>{};
  if (!plan || !ready) {
    stop_for(plan ? ready.error() : plan.error());
    finish();
    return std::move(out_);
  }
  context_.lessons.recall(row->operation);
  bool wide = false;
  live_.show({.phase = "reference run, the test alone", .what = row->test});
  auto alone = context_.execute(context_.spec_for(row->test, trace::RunKind::alone, false));
  if (alone && !trace::result_of(**alone, row->test)) {
    wide = true;
    alone = context_.execute(context_.spec_for(row->test, trace::RunKind::alone, true));
  }
  if (!alone || !passed(**alone, row->test)) {
    stop_for(alone ? Error{"does not pass without faults, so nothing can be shown", row->test, Blame::user}
                   : alone.error());
    finish();
    return std::move(out_);
  }
  see_services(**alone);
  Case c;
  c.row = *row;
  c.row.outcome = "planned";
  c.row.runs.clear();
  c.aim = {Target{row->test, row->site, row->service, row->operation, row->occurrence}, *plan};
  c.policy = policies::policy_named(row->policy);
  c.reference = *alone;
  live_.show({.phase = "replay", .what = finding.id});
  if (auto result = try_case(context_, c, wide))
    keep(c, std::move(*result));
  else
    stop_for(result.error());
  out_.record.cases.push_back(c.row);
  finish();
  return std::move(out_);
}

Result<CampaignOutcome> with_campaign(const CampaignSetting& setting, const Clock& clock, auto&& what) {
  Executor::Setting how{setting.folder, setting.capture, setting.config.run.keep_tags, {}};
  how.real_time = setting.config.run.real_time;
  for (auto& s : setting.config.services)
    if (!s.address.empty()) {
      if (!s.profile.empty()) how.profiles[s.address] = s.profile;
      if (s.security != proxy::ServiceTlsSettings{}) how.security[s.address] = s.security;
    }
  auto executor = Executor::open(std::move(how), clock);
  if (!executor) return std::unexpected(executor.error());
  auto argv = command_to_run(setting.command);
  CampaignOutcome outcome;
  {
    Campaign campaign(setting, clock, **executor, argv);
    outcome = what(campaign);
  }
  std::vector<trace::Run> runs(outcome.runs.begin(), outcome.runs.end());
  auto stored = trace::write_store(setting.folder / "campaign.db", outcome.record, runs);
  auto reported = report::write_reports(setting.folder, outcome.record, runs, setting.config.run.fail_on);
  for (auto* result : {&stored, &reported})
    if (!*result && outcome.record.incomplete.empty()) outcome.record.incomplete = result->error().line();
  return outcome;
}

}  // namespace

Result<CampaignOutcome> run_campaign(const CampaignSetting& setting, const Clock& clock) {
  return with_campaign(setting, clock, [](Campaign& c) { return c.run(); });
}

Result<CampaignOutcome> replay(const CampaignSetting& setting, const trace::CampaignRecord& earlier,
                               const trace::Finding& finding, const Clock& clock) {
  return with_campaign(setting, clock, [&](Campaign& c) { return c.replay(earlier, finding); });
}

std::vector<std::string> command_to_run(const std::vector<std::string>& argv) {
  auto script = resolve_script(argv, ".");
  return adapter_for(script).runner().whole ? argv : script;
}

}  // namespace retrial::campaign
