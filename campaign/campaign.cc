#include "campaign/campaign.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "base/text.h"
#include "campaign/judging/checked.h"
#include "campaign/judging/site_samples.h"
#include "campaign/learn_deaths.h"
#include "campaign/planning/last_words.h"
#include "campaign/planning/plan.h"
#include "campaign/report/reports.h"
#include "campaign/report/words.h"
#include "campaign/retry_code.h"
#include "campaign/stress/stress.h"
#include "campaign/trials.h"
#include "checkers/file.h"
#include "trace/calls/correlator.h"
#include "trace/calls/services.h"
#include "trace/recording/redact.h"
#include "trace/store/store.h"

namespace retrial::campaign {
namespace {

using report::left_as_it_is;

constexpr double kWorkersOfCore = 4;      // at most
constexpr double kReferencesShare = 0.4;  // of a budget, at most

// By default one a core. Places that clients are pointed at are there once.
int workers_of(const CampaignSetting& setting) {
  if (setting.capture.way == proxy::Way::none) return 1;
  auto said = setting.config.run.workers;
  return said ? said : cores();
}

class Campaign {
 public:
  Campaign(const CampaignSetting& setting, const Clock& clock, Executor& executor, const std::vector<std::string>& argv)
      : setting_(setting),
        clock_(clock),
        executor_(executor),
        argv_(argv),
        slots_(setting.config.services, setting.folder / "logs"),
        said_on_(setting.look_only || setting.aside ? stderr : stdout),
        live_(said_on_, report::style_of(said_on_)),
        began_(clock.now()),
        runs_(setting.folder / "campaign.db"),
        workers_(executor, slots_, clock, workers_of(setting)),
        context_{executor, workers_, adapter_for(argv_), argv_, slots_, setting_.config, runs_, live_, clock} {}

  void run();
  void replay(const trace::Stored& earlier, const trace::Finding& finding);
  // What it has brought, in the store and the reports.
  CampaignOutcome write();

 private:
  void describe();
  void open(Plan& plan);
  void set_workers();
  void drop_further(Plan& plan);
  void try_all(Plan& plan);
  void keep_findings(std::vector<trace::Finding> from, std::vector<trace::Finding>& to);
  void stop_for(const Error& error);
  void finish();
  Nanos spent() const { return clock_.now() - began_; }
  Nanos time_left() const;
  Pace pace() const { return pace_of(refs_, workers_.most(), setting_.config.run.alone); }
  void show_plan(const Plan& plan);
  void learn();
  void learn_from(const trace::Run& alone, const std::vector<trace::CaseRecord>& cases);
  void check_suites();

  const CampaignSetting& setting_;
  const Clock& clock_;
  Executor& executor_;
  const std::vector<std::string>& argv_;
  CampaignOutcome out_;
  Slots slots_;
  std::FILE* const said_on_;
  report::LiveLine live_;
  Nanos began_;
  RunLog runs_;
  Workers workers_;
  CampaignContext context_;
  References refs_;
  RetryCode retry_code_;
};

void Campaign::describe() {
  auto& r = out_.record;
  r.command = trace::redacted_command(setting_.command);
  r.runner = context_.adapter.runner().name;
  r.directory = std::filesystem::current_path().string();
  r.folder = report::told_folder(setting_.folder, r.directory);
  r.wall_began = clock_.wall();
  r.hold = setting_.config.run.hold;
  r.capture = show(setting_.capture);
  for (auto& s : setting_.config.services)
    if (s.allow)
      r.remarks.push_back(fmt::format(
          "[service.{}] allow: this version captures connections to loopback and private addresses only", s.name));
  r.remarks.insert(r.remarks.end(), executor_.remarks().begin(), executor_.remarks().end());
}

void Campaign::open(Plan& plan) {
  report::Opening o;
  o.services = out_.record.services;
  o.tests = refs_.tests.size();
  for (auto& [test, run] : refs_.tests) {
    std::set<std::string_view> moving;
    for (auto& e : run->exchanges)
      if (trace::one_for_all_ports(e.service).ends_with('*')) moving.insert(e.service);
    o.side_by_side = std::max(o.side_by_side, moving.size());
  }
  auto expected = forecast(plan, refs_, pace());
  o.targets = expected.calls;
  o.cases = expected.cases;
  o.further = plan.cases.size() - expected.cases;
  o.repeated = repeated(plan);
  o.ends_processes = std::ranges::any_of(plan.cases, [](auto& c) {
    return std::ranges::any_of(c.faults.steps, [](auto& step) { return trace::ends_sender(step.fault); });
  });
  o.expected = expected.expected.time;
  o.budget = setting_.config.run.budget;
  o.left_alone = out_.record.left_alone;
  o.remarks = out_.record.remarks;
  live_.clear();
  std::fputs(report::opening(o, report::style_of(said_on_)).c_str(), said_on_);
  std::fflush(said_on_);
}

Nanos Campaign::time_left() const {
  auto budget = setting_.config.run.budget;
  return budget ? std::max<Nanos>(0, budget - spent()) : kNoLimit;
}

void Campaign::try_all(Plan& plan) {
  Trials trials(context_, refs_, plan, setting_.policies, out_.record, [&] { return time_left(); });
  if (auto ok = trials.run(); !ok) stop_for(ok.error());
  drop_further(plan);
  trials.refute();
  if (setting_.selection.shard.whole()) {  // else `merge` does
    auto compared = trials.compared_sites();
    take_from_clean(out_.record.clean, compared);
    keep_findings(std::move(compared), out_.record.findings);
  }
  std::size_t left = 0;
  for (auto& c : plan.cases)
    if (c.row.outcome == "planned") {
      c.row.outcome = "left";
      // Without a budget there is nothing that could have left it, but for a fault of ours.
      auto why = executor_.interrupted()           ? "interrupted"
                 : !out_.record.incomplete.empty() ? out_.record.incomplete
                 : setting_.config.run.budget      ? "budget"
                                                   : "Retrial did not come to it";
      c.row.why = c.row.why.empty() ? why : fmt::format("{} ({})", c.row.why, why);
      left++;
    }
  auto suspicious = trials.suspicions();
  if (suspicious && !executor_.interrupted() && out_.record.incomplete.empty())
    out_.record.incomplete = fmt::format(
        "in {} the budget ended between a suspicion and its confirmation: a longer --budget tells what they are",
        report::counted(suspicious, "case"));
  if (suspicious && executor_.interrupted())
    out_.record.remarks.push_back(fmt::format("in {} something was seen, and not confirmed before the interruption",
                                              report::counted(suspicious, "case")));
  if (left && !setting_.config.run.budget && !executor_.interrupted() && out_.record.incomplete.empty())
    out_.record.incomplete = fmt::format("{} were not tried, by a fault of ours", report::counted(left, "case"));
  if (left && setting_.config.run.budget && !executor_.interrupted())
    out_.record.remarks.push_back(fmt::format("the budget left {} of {} cases untried", left, plan.cases.size()));
  for (auto& c : plan.cases) out_.record.cases.push_back(c.row);
}

// Nobody asked for what goes further: what was not tried of it is no gap.
void Campaign::drop_further(Plan& plan) {
  auto all = std::ranges::count_if(plan.cases, &Case::further);
  std::erase_if(plan.cases, [](auto& c) { return c.further && c.planned() && c.row.why.empty(); });
  auto tried = std::ranges::count_if(plan.cases, &Case::further);
  if (all)
    out_.record.remarks.push_back(
        fmt::format("the same calls in other tests: {} of {} further cases were tried "
                    "(--coverage c4 tries them all)",
                    tried, all));
}

// More than one a core where runs mostly wait, and no more of our services are needed for that.
void Campaign::set_workers() {
  if (!refs_.side_by_side) return workers_.keep_to(1);
  auto started = std::ranges::any_of(setting_.config.services, [](auto& s) { return s.start.has_value(); });
  if (setting_.config.run.workers || started) return;
  workers_.keep_to(static_cast<int>(cores() / std::clamp(workers_.busy(), 1.0 / kWorkersOfCore, 1.0)));
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
  if (r.incomplete.empty()) r.incomplete = runs_.incomplete();
  slots_.end();
  for (auto& line : slots_.remarks()) r.remarks.push_back(line);
  for (auto& name : executor_.distrusting())
    if (auto line = left_as_it_is(name); std::ranges::count(r.left_alone, line) == 0) r.left_alone.push_back(line);
  for (auto& trouble : executor_.troubles())
    r.remarks.push_back("a part of an agent of ours failed, and what it would have told is missing: " + trouble);
  if (!executor_.troubles().empty() && !r.incomplete.empty())
    r.incomplete += "; an agent of ours failed: " + *executor_.troubles().begin();
  auto said = r.remarks.size();
  if (!setting_.plan_only && !setting_.predict_only && !setting_.learn_only)
    mark_known(r, setting_.config, setting_.since);
  if (!setting_.selection.shard.whole()) r.remarks.resize(said);  // what nothing matched is seen by `merge`
  if (auto line = runs_.saved().line(); !line.empty()) r.remarks.push_back(line);
  r.took = spent();
  r.overhead = r.took - executor_.in_commands();
}

void Campaign::show_plan(const Plan& plan) {
  std::vector<Case> asked_for;
  for (auto& c : plan.cases)
    if (!c.further) asked_for.push_back(c);
  for (auto& c : asked_for) out_.record.cases.push_back(c.row);
  out_.plan_file = plan_file_text(asked_for, fmt::format("{}", fmt::join(out_.record.command, " ")));
  out_.forecasts = forecasts(plan, setting_.selection, refs_, setting_.policies, setting_.config, pace());
  for (auto& f : out_.forecasts) f.expected.time += spent();
}

void Campaign::run() {
  describe();
  if (auto ok = slots_.start(); !ok) {
    stop_for(ok.error());
    return finish();
  }
  auto budget = setting_.config.run.budget;
  context_.once = setting_.look_only;
  context_.keep_suites = setting_.learn_only || !checkers::in_use().empty();
  context_.measures = setting_.stress;
  auto refs = collect_references(
      context_, budget ? began_ + static_cast<Nanos>(static_cast<double>(budget) * kReferencesShare) : 0);
  if (!refs) {
    stop_for(refs.error());
    return finish();
  }
  refs_ = std::move(*refs);
  out_.record.services = refs_.services;
  auto& left = out_.record.left_alone;
  left.insert(left.end(), refs_.left_alone.begin(), refs_.left_alone.end());
  out_.record.remarks.insert(out_.record.remarks.end(), refs_.remarks.begin(), refs_.remarks.end());
  out_.tests = refs_.tests.size();
  if (setting_.look_only) return finish();
  if (setting_.predict_only || std::ranges::any_of(setting_.policies, &policies::Policy::of_deaths))
    if (auto ok = learn_deaths(context_, refs_, out_.record.remarks); !ok) {
      stop_for(ok.error());
      return finish();
    }
  if (setting_.predict_only) {
    out_.may_turn = may_turn(refs_.tests);
    out_.may_die = may_die(refs_.tests, refs_.borne);
    return finish();
  }
  if (setting_.learn_only) {
    learn();
    return finish();
  }
  if (setting_.stress) {
    if (auto ok = Stress(context_, out_.record, [&] { return time_left(); }).run(refs_); !ok) stop_for(ok.error());
    return finish();
  }
  check_suites();
  set_workers();
  auto& selection = setting_.selection;
  auto plan = select(selection, refs_, setting_.policies, setting_.config);
  if (!plan) {
    stop_for(plan.error());
    return finish();
  }
  out_.record.remarks.insert(out_.record.remarks.end(), plan->remarks.begin(), plan->remarks.end());
  out_.record.plan = plan->id;
  if (!selection.shard.whole()) out_.record.shard = show(selection.shard);
  retry_code_.read();
  retry_code_.raise(plan->cases);
  if (!executor_.interrupted()) open(*plan);
  if (setting_.plan_only)
    show_plan(*plan);
  else
    try_all(*plan);
  retry_code_.hold_against(out_.record);
  finish();
}

void Campaign::check_suites() {
  std::vector<const trace::Run*> suites;
  for (auto& run : refs_.suites) suites.push_back(&run);
  if (suites.size() > 1) return check_without_faults(suites, out_.record);
  if (!suites.empty())
    out_.record.remarks.push_back("no checker was asked of runs without faults: the suite was run only once");
}

// Each test alone too, as a campaign runs it: what holds in company only is no rule.
void Campaign::learn() {
  std::vector<const trace::Run*> suites, alone;
  for (auto& run : refs_.suites) suites.push_back(&run);
  if (suites.size() < 2) {
    out_.record.incomplete = "the suite was run only once: a longer --budget lets it be run again";
    return;
  }
  for (auto& [test, slice] : refs_.tests) {
    if (executor_.interrupted() || time_left() == 0) break;
    live_.show({.phase = "each test alone, without faults", .what = test});
    auto spec = context_.spec_for({test}, trace::RunKind::alone);
    spec.deadline = CampaignContext::deadline_of(slice->ended - slice->began);
    auto run = context_.execute(spec);
    if (!run) return stop_for(run.error());
    if ((*run)->incomplete.empty() && passed(**run, test)) alone.push_back(*run);
  }
  live_.show({.phase = "what holds in all of it"});
  out_.learned = checkers::learn(suites, alone);
}

// What a campaign learns of its suite, of the one test that is shown again. One test sends too little to tell names
// from words: operations are called what the campaign called them.
void Campaign::learn_from(const trace::Run& alone, const std::vector<trace::CaseRecord>& cases) {
  auto& lessons = context_.lessons;
  auto learned = trace::lessons_of(alone, setting_.config.trees());
  learned.names.clear();
  for (auto& row : cases) learned.recall(row.operation);
  learned.services = std::move(lessons.services);
  learned.errors = std::move(lessons.errors);
  learned.closing = std::move(lessons.closing);
  lessons = std::move(learned);
  for (auto& run : runs_.held()) {
    lessons.apply(run);
    trace::Correlator::correlate_each_test(run, lessons);
  }
}

void Campaign::replay(const trace::Stored& earlier, const trace::Finding& finding) {
  describe();
  auto row = trace::case_of(earlier.campaign.cases, finding);
  auto plan = row == earlier.campaign.cases.end()
                  ? Result<policies::FaultPlan>(fail("its case is not in the campaign's store", finding.id))
                  : policies::parse_fault_plan(row->plan);
  auto ready = plan ? slots_.start() : Result<void>{};
  if (!plan || !ready) {
    stop_for(plan ? ready.error() : plan.error());
    return finish();
  }
  context_.measures = trace::is_stressed(row->policy);
  for (auto& known : earlier.campaign.cases) context_.lessons.recall(known.operation);
  for (auto& run : earlier.runs) {
    if (run.kind == trace::RunKind::reference || run.kind == trace::RunKind::alone)
      context_.lessons.services.recall(run);
    if (run.kind == trace::RunKind::reference) context_.lessons.learn_answers(run, setting_.config.bare());
  }
  std::ranges::move(context_.lessons.errors.remarks(), std::back_inserter(out_.record.remarks));
  live_.show({.phase = "the test alone, without faults", .what = row->test});
  auto alone = context_.execute(context_.spec_for({row->test}, trace::RunKind::alone));
  if (alone && !trace::result_of(**alone, row->test)) {
    context_.wide.insert(row->test);
    alone = context_.execute(context_.spec_for({row->test}, trace::RunKind::alone));
  }
  if (!alone || !passed(**alone, row->test)) {
    auto why = alone ? last_words(argv_.front(), **alone, executor_.log_of((*alone)->id)) : "";
    stop_for(alone ? Error{"does not pass without faults, so nothing can be shown" + (why.empty() ? "" : "\n" + why),
                           row->test, Blame::user}
                   : alone.error());
    return finish();
  }
  learn_from(**alone, earlier.campaign.cases);
  out_.record.services = services_seen(**alone, setting_.config);
  out_.record.left_alone = connections_left_alone(**alone);
  if (trace::is_stressed(row->policy)) {
    live_.show({.phase = "replay", .what = finding.id});
    if (auto ok = Stress(context_, out_.record, [] { return kNoLimit; }).again(*row, **alone); !ok)
      stop_for(ok.error());
    return finish();
  }
  Case c;
  c.row = *row;
  c.row.outcome = "planned";
  c.row.runs.clear();
  c.faults = *plan;
  c.policy = policies::policy_named(row->policy);
  c.places = {{.test = row->test, .occurrence = row->occurrence, .reference = *alone}};
  context_.alone[row->test] = *alone;
  live_.show({.phase = "replay", .what = finding.id});
  Trial trial(context_, c, {}, false);
  while (auto spec = trial.next()) {
    auto run = context_.execute(*spec);
    if (!run) {
      stop_for(run.error());
      break;
    }
    trial.ran(**run);
  }
  auto& result = trial.result();
  keep_findings(std::move(result.findings), out_.record.findings);
  keep_findings(std::move(result.notes), out_.record.notes);
  out_.record.clean = std::move(result.clean);
  out_.record.not_judged = std::move(result.not_judged);
  out_.record.cases.push_back(c.row);
  finish();
}

CampaignOutcome Campaign::write() {
  auto stored = runs_.end(out_.record);
  if (setting_.look_only) {
    auto all = stored ? trace::read_store(setting_.folder / "campaign.db") : std::unexpected(stored.error());
    if (all && !all->runs.empty()) out_.seen = std::move(all->runs.back());
    if (!all && out_.record.incomplete.empty()) out_.record.incomplete = all.error().line();
    out_.opened = executor_.opened();
    out_.runners = executor_.runners();
    out_.reached = executor_.reached();
    return std::move(out_);
  }
  auto evidence = stored ? trace::read_evidence(setting_.folder / "campaign.db") : std::unexpected(stored.error());
  auto reported = report::write_reports(
      setting_.folder, out_.record, evidence ? evidence->runs : std::vector<trace::Run>{}, setting_.config.run.fail_on);
  auto trouble = [&](const auto& result) {
    if (!result && out_.record.incomplete.empty()) out_.record.incomplete = result.error().line();
  };
  trouble(evidence);
  trouble(reported);
  return std::move(out_);
}

Result<CampaignOutcome> with_campaign(const CampaignSetting& setting, const Clock& clock, auto&& what) {
  Executor::Setting how{setting.folder, setting.capture, setting.config.run.keep_tags, {}};
  how.real_time = setting.config.run.real_time;
  how.application = setting.config.run.application;
  how.processes = setting.config.processes;
  for (auto& s : setting.config.services)
    if (!s.address.empty()) {
      if (!s.profile.empty()) how.profiles[s.address] = s.profile;
      if (s.openapi) how.descriptions[s.address] = s.openapi;
      if (s.security != proxy::ServiceTlsSettings{}) how.security[s.address] = s.security;
    }
  auto executor = Executor::open(std::move(how), clock);
  if (!executor) return std::unexpected(executor.error());
  auto argv = command_to_run(setting.command);
  Campaign campaign(setting, clock, **executor, argv);
  what(campaign);
  return campaign.write();
}

}  // namespace

Result<CampaignOutcome> run_campaign(const CampaignSetting& setting, const Clock& clock) {
  return with_campaign(setting, clock, [](Campaign& c) { return c.run(); });
}

Result<CampaignOutcome> replay(const CampaignSetting& setting, const trace::Stored& earlier,
                               const trace::Finding& finding, const Clock& clock) {
  return with_campaign(setting, clock, [&](Campaign& c) { return c.replay(earlier, finding); });
}

std::vector<std::string> command_to_run(const std::vector<std::string>& argv) {
  auto script = resolve_script(argv, ".");
  return adapter_for(script).runner().whole ? argv : script;
}

Result<void> find_command(const std::string& word) {
  auto runs = [](const std::filesystem::path& file) {
    std::error_code error;
    return !std::filesystem::is_directory(file, error) && access(file.c_str(), X_OK) == 0;
  };
  auto* path = std::getenv("PATH");
  bool found = word.contains('/') ? runs(word) : false;
  if (!word.contains('/'))
    for (auto folder : split(path ? path : "/bin:/usr/bin", ':'))
      found = found || runs(std::filesystem::path(folder.empty() ? "." : folder) / word);
  if (found) return {};
  std::error_code error;
  if (word.contains('/') && std::filesystem::exists(word, error))
    return fail("may not be executed: chmod +x it, or name what runs it", word, Blame::user);
  return fail(word.contains('/') ? "there is no such file to run"
                                 : "no such command is on PATH; behind -- stands the test command as you always run it",
              word, Blame::user);
}

}  // namespace retrial::campaign
