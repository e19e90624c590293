#include "campaign/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>

#include "campaign/judging/time_saved.h"
#include "campaign/planning/plan.h"
#include "campaign/planning/references.h"
#include "campaign/report/reports.h"
#include "campaign/trial.h"
#include "oracles/oracle.h"
#include "trace/calls/service_name.h"
#include "trace/store/store.h"

namespace retrial::campaign {
namespace {

std::string left_as_it_is(const std::string& connection) { return "connection left as it is: " + connection; }

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
        bench_{executor, adapter_for(argv_), argv_, services_, setting_.config, out_.runs, live_, clock} {}

  CampaignOutcome run();
  CampaignOutcome replay(const trace::CampaignRecord& earlier, const trace::Finding& finding);

 private:
  void describe();
  void see_services(const trace::Run& suite);
  void open(const Plan& plan);
  void try_all(Plan& plan);
  Case* next(Plan& plan);
  bool answered_by_another(Case& c);
  void compare_sites(const Plan& plan);
  void keep(Case& c, Tried tried);
  void keep_findings(std::vector<trace::Finding> from, std::vector<trace::Finding>& to);
  void stop_for(const Error& error);
  void finish();
  Nanos spent() const { return clock_.now() - began_; }
  Nanos expected(const Case& c) const;

  const CampaignSetting& setting_;
  const Clock& clock_;
  Executor& executor_;
  const std::vector<std::string>& argv_;
  CampaignOutcome out_;
  Services services_;
  report::LiveLine live_;
  Nanos began_;
  Workbench bench_;
  References refs_;
  std::map<std::string, Nanos> cost_;  // by Case::cost_key, as measured
  std::map<std::string, int> tried_;   // cases so far, by Case::family_key
  struct Answered {
    int attempts = 0;  // of the call
    std::string by;    // the case
  };
  std::map<std::pair<std::string, std::string>, Answered> seen_;  // by target and first fault
  std::map<std::string, std::string> spoilt_;                     // tests that no longer pass
  std::size_t done_ = 0, total_ = 0;
};

void Campaign::describe() {
  auto& r = out_.record;
  r.command = setting_.command;
  r.runner = bench_.adapter.name();
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
  if (bench_.adapter.whole())
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
  for (auto& c : plan.cases) o.expected += expected(c);
  o.budget = setting_.config.run.budget;
  o.left_alone = out_.record.left_alone;
  o.remarks = out_.record.remarks;
  live_.clear();
  std::fputs(report::opening(o, report::style_of(stdout)).c_str(), stdout);
  std::fflush(stdout);
}

Nanos Campaign::expected(const Case& c) const {
  auto it = cost_.find(c.cost_key());
  return it == cost_.end() ? c.expected : it->second;
}

// The likeliest and cheapest first; equals in the order of the plan. What does not fit into the budget is left.
Case* Campaign::next(Plan& plan) {
  Case* best = nullptr;
  double best_score = 0;
  for (auto& c : plan.cases) {
    if (c.row.outcome != "planned") continue;
    if (auto it = spoilt_.find(c.row.test); it != spoilt_.end()) {
      c.row.outcome = "left";
      c.row.why = it->second;
      out_.record.not_judged.push_back(trace::judged(c.row, it->second));
      continue;
    }
    auto cost = expected(c);
    if (auto budget = setting_.config.run.budget; budget && spent() + cost > budget) continue;
    // Each further operation of one call site is less likely to bring something new (a path often holds data).
    // A policy that wants to know how many attempts there are waits until all others have been tried.
    if (best && c.policy->attempts && !best->policy->attempts) continue;
    double score = c.value / (static_cast<double>(cost) / kSecond + 0.5) / (1 + tried_[c.family_key()]);
    bool waited = best && best->policy->attempts && !c.policy->attempts;
    if (!best || waited || score > best_score) best = &c, best_score = score;
  }
  return best;
}

// Where a call made one attempt under the same first fault, what would be done to later attempts is never asked. A
// policy that wants more of them is told by the most that were seen under it.
bool Campaign::answered_by_another(Case& c) {
  auto first = trace::show(policies::fault_of(c.aim.plan, 1));
  auto it = seen_.find({c.target_key(), first});
  bool known = std::ranges::any_of(setting_.policies, [](auto* p) { return p->name == "P3"; });
  if (it == seen_.end() && (!c.policy->attempts || !known)) return false;
  auto least = std::max(1, c.policy->attempts);
  if (it != seen_.end() && it->second.attempts > least) return false;
  c.row.outcome = "answered";
  c.row.why = it == seen_.end()
                  ? fmt::format("it was not seen how many attempts this call makes under {}", first)
                  : fmt::format(
                        "under {} this call makes {} attempt{} (case {}): nothing more is sent that could be "
                        "treated otherwise",
                        first, it->second.attempts, it->second.attempts == 1 ? "" : "s", it->second.by);
  return true;
}

void Campaign::try_all(Plan& plan) {
  total_ = plan.cases.size();
  while (!executor_.interrupted()) {
    auto* c = next(plan);
    if (!c) break;
    done_++;
    tried_[c->family_key()]++;
    if (answered_by_another(*c)) continue;
    Nanos left = 0;
    for (auto& other : plan.cases)
      if (other.row.outcome == "planned") left += expected(other);
    if (auto budget = setting_.config.run.budget) left = std::min(left, std::max<Nanos>(0, budget - spent()));
    live_.show({"cases", done_, total_,
                fmt::format("{} {} at {}", c->row.policy, c->row.operation,
                            c->row.site ? trace::show(*c->row.site) : c->row.service),
                out_.record.findings.size(), left});
    auto before = clock_.now();
    auto tried = try_case(bench_, *c, refs_.wide.contains(c->row.test));
    if (!tried) {
      c->row.outcome = "incomplete";
      c->row.why = tried.error().line();
      stop_for(tried.error());
      break;
    }
    auto took = (clock_.now() - before) / static_cast<Nanos>(std::max<std::size_t>(1, c->row.runs.size()));
    auto& cost = cost_[c->cost_key()];
    cost = cost ? (cost + took) / 2 : took;
    keep(*c, std::move(*tried));
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
  std::vector<oracles::Exhibit> exhibits;
  for (auto& c : plan.cases) {
    if (c.row.outcome != "run") continue;
    oracles::Exhibit exhibit{&c.row, {}, setting_.config.run.hold};
    for (auto& run : out_.runs)
      if (run.kind == trace::RunKind::with_fault && std::ranges::count(c.row.runs, run.id)) {
        comparisons.push_back(trace::compare(*c.reference, run));
        exhibit.comparisons.push_back(&comparisons.back());
        break;  // one run of a case shows whether it retries
      }
    if (!exhibit.comparisons.empty()) exhibits.push_back(std::move(exhibit));
  }
  if (!exhibits.empty()) keep_findings(oracles::compare_sites(exhibits).findings, out_.record.findings);
}

void Campaign::keep(Case& c, Tried tried) {
  if (tried.attempts) {
    auto& seen = seen_[{c.target_key(), trace::show(policies::fault_of(c.aim.plan, 1))}];
    if (tried.attempts > seen.attempts) seen = {tried.attempts, c.row.id};
  }
  if (tried.spoilt)
    spoilt_[c.row.test] = "service state: this test no longer passes without faults since case " + c.row.id;
  keep_findings(std::move(tried.findings), out_.record.findings);
  keep_findings(std::move(tried.notes), out_.record.notes);
  auto add = [](auto& from, auto& to) { to.insert(to.end(), from.begin(), from.end()); };
  add(tried.clean, out_.record.clean);
  add(tried.not_judged, out_.record.not_judged);
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
  if (!setting_.plan_only) mark(r, setting_.config, setting_.since);
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
      bench_, budget ? began_ + static_cast<Nanos>(static_cast<double>(budget) * kReferencesShare) : 0);
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
  bench_.lessons.recall(row->operation);
  bool wide = false;
  live_.show({.phase = "reference run, the test alone", .what = row->test});
  auto alone = bench_.execute(bench_.order_for(row->test, trace::RunKind::alone, false));
  if (alone && !trace::result_of(**alone, row->test)) {
    wide = true;
    alone = bench_.execute(bench_.order_for(row->test, trace::RunKind::alone, true));
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
  if (auto tried = try_case(bench_, c, wide))
    keep(c, std::move(*tried));
  else
    stop_for(tried.error());
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
  return adapter_for(script).whole() ? argv : script;
}

}  // namespace retrial::campaign
