#include "campaign/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "campaign/campaign_impl.h"
#include "campaign/judging/checked.h"
#include "campaign/learn_deaths.h"
#include "campaign/report/words.h"
#include "campaign/stress/stress.h"
#include "campaign/workload/command.h"
#include "checkers/file.h"
#include "trace/calls/services.h"
#include "trace/recording/redact.h"

namespace retrial::campaign {
namespace {

constexpr double kReferencesShare = 0.4;  // of a budget, at most

// By default one a core. Places that clients are pointed at are there once.
int workers_of(const CampaignSetting& setting) {
  if (setting.capture.way == proxy::Way::none) return 1;
  auto said = setting.config.run.workers;
  return said ? said : cores();
}

// As they ended.
std::vector<std::string> tests_in_order(const trace::Run& run) {
  std::vector<std::string> order;
  for (auto& result : run.results)
    if (result.phase == trace::Phase::test) order.push_back(result.test);
  return order;
}

}  // namespace

Campaign::Campaign(const CampaignSetting& setting, const Clock& clock, Executor& executor,
                   const std::vector<std::string>& argv)
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

void Campaign::run() {
  describe();
  ended(put_on_trial());
}

Result<void> Campaign::collect() {
  auto budget = setting_.config.run.budget;
  context_.once = setting_.look_only;
  context_.keep_suites = setting_.learn_only || !checkers::in_use().empty();
  context_.measures = setting_.stress;
  auto refs = collect_references(
      context_, budget ? began_ + static_cast<Nanos>(static_cast<double>(budget) * kReferencesShare) : 0);
  if (!refs) return std::unexpected(refs.error());
  refs_ = std::move(*refs);
  auto add = [](auto& from, auto& to) { to.insert(to.end(), from.begin(), from.end()); };
  out_.record.services = refs_.services;
  add(refs_.left_alone, out_.record.left_alone);
  add(refs_.remarks, out_.record.remarks);
  out_.tests = refs_.tests.size();
  return {};
}

Result<void> Campaign::put_on_trial() {
  if (auto ok = slots_.start(); !ok) return ok;
  if (auto ok = collect(); !ok || setting_.look_only) return ok;
  if (setting_.predict_only || std::ranges::any_of(setting_.policies, &policies::Policy::of_deaths))
    if (auto ok = learn_deaths(context_, refs_, time_left(), out_.record.remarks); !ok) return ok;
  if (setting_.predict_only) {
    out_.may_turn = may_turn(refs_.tests);
    out_.further_apart = further_apart(refs_.tests);
    out_.may_die = may_die(refs_.tests, refs_.deaths);
    return {};
  }
  if (setting_.learn_only) return learn();
  if (setting_.stress) return Stress(context_, out_.record, [&] { return time_left(); }).run(refs_);
  check_suites();
  set_workers();
  auto& selection = setting_.selection;
  auto plan = select(selection, refs_, setting_.policies, setting_.config);
  if (!plan) return std::unexpected(plan.error());
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
  return {};
}

void Campaign::check_suites() {
  std::vector<const trace::Run*> suites;
  for (auto& run : refs_.suites) suites.push_back(&run);
  if (suites.size() > 1) return check_without_faults(suites, out_.record);
  if (!suites.empty())
    out_.record.remarks.push_back("no checker was asked of runs without faults: the suite was run only once");
}

// All tests in one run, the last first. Null: the runner kept its own order, a test fails so, or the budget is spent.
Result<const trace::Run*> Campaign::run_backwards() {
  auto order = tests_in_order(refs_.suites.back());
  std::erase_if(order, [&](auto& test) { return !refs_.tests.contains(test); });
  std::ranges::reverse(order);
  if (order.size() < 2 || executor_.interrupted() || time_left() == 0) return nullptr;
  live_.show({.phase = "the suite in the other order, without faults"});
  Nanos usual = 0;
  for (auto& [test, slice] : refs_.tests) usual += slice->ended - slice->began;
  auto spec = context_.spec_for(order, trace::RunKind::alone);
  spec.deadline = CampaignContext::deadline_of(usual);
  auto run = context_.execute(spec);
  if (!run) return std::unexpected(run.error());
  bool right = (*run)->incomplete.empty() && tests_in_order(**run) == order &&
               std::ranges::all_of(order, [&](auto& test) { return passed(**run, test); });
  return right ? *run : nullptr;
}

// Each test alone too, as a campaign runs it: what holds in company only is no rule.
Result<void> Campaign::learn() {
  std::vector<const trace::Run*> suites, alone;
  for (auto& run : refs_.suites) suites.push_back(&run);
  if (suites.size() < 2) {
    out_.record.incomplete = "the suite was run only once: a longer --budget lets it be run again";
    return {};
  }
  auto backwards = run_backwards();
  if (!backwards) return std::unexpected(backwards.error());
  if (*backwards) alone.push_back(*backwards);
  std::size_t left_out = 0;
  for (auto& [test, slice] : refs_.tests) {
    if (executor_.interrupted()) break;
    if (time_left() == 0) {
      left_out++;
      continue;
    }
    live_.show({.phase = "each test alone, without faults", .what = test});
    auto spec = context_.spec_for({test}, trace::RunKind::alone);
    spec.deadline = CampaignContext::deadline_of(slice->ended - slice->began);
    auto run = context_.execute(spec);
    if (!run) return std::unexpected(run.error());
    if ((*run)->incomplete.empty() && passed(**run, test)) alone.push_back(*run);
  }
  live_.show({.phase = "what holds in all of it"});
  out_.learned = checkers::learn(suites, alone);
  out_.learned.backwards = *backwards != nullptr;
  out_.learned.not_alone = left_out;
  return {};
}

static Result<CampaignOutcome> with_campaign(const CampaignSetting& setting, const Clock& clock, bool orders,
                                             auto&& what) {
  Executor::Setting how{setting.folder, setting.capture, setting.config.run.keep_tags, {}};
  how.real_time = setting.config.run.real_time;
  how.causes = orders;
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

Result<CampaignOutcome> run_campaign(const CampaignSetting& setting, const Clock& clock) {
  bool orders = setting.predict_only || std::ranges::any_of(setting.policies, &policies::Policy::of_near_misses);
  return with_campaign(setting, clock, orders, [](Campaign& c) { return c.run(); });
}

Result<CampaignOutcome> replay(const CampaignSetting& setting, const trace::Stored& earlier,
                               const trace::Finding& finding, const Clock& clock) {
  auto* policy = policies::policy_named(finding.policy);
  return with_campaign(setting, clock, policy && policy->of_near_misses,
                       [&](Campaign& c) { return c.replay(earlier, finding); });
}

}  // namespace retrial::campaign
