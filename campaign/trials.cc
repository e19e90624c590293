#include "campaign/trials.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "trace/comparing/slices.h"

namespace retrial::campaign {
namespace {

constexpr int kRuns = 6;    // in company of one case at most, while its evidence is thin
constexpr int kInVain = 2;  // runs in company that may say nothing of a case, before it is tried alone
// Cases that confirm a verdict for all other paths of their call site. How it retries is the same at each; what becomes
// of a call is its caller's too.
constexpr std::size_t kSameRetries = 2, kSameOutcome = 8;
std::size_t enough(const std::string& verdict) {
  auto* known = oracles::verdict_named(verdict);
  return known && known->of_outcome ? kSameOutcome : kSameRetries;
}
// What a campaign may take in all, to be cheap enough for what nobody asked for.
constexpr int kFurtherOfSuite = 10;
constexpr Nanos kFurtherAtLeast = 10 * kSecond;
constexpr Nanos kLeastDeadline = 120 * kSecond;  // design: 10 times the reference time, 120 s at least

using What = Shown::What;

// A service whose port moves is started by the tests themselves; one that stays may be shared with other runs.
bool shares_services(const trace::Run& suite) {
  return std::ranges::any_of(suite.exchanges, [](auto& e) { return e.service.find(":*") == e.service.npos; });
}

std::string what_was_right(const Shown& shown) {
  auto& c = *shown.c;
  auto comparison = trace::compare(c.reference(), *c.seen.back());
  auto recovered = std::ranges::any_of(
      comparison.faulted, [&](auto* call) { return call->operation == c.row.operation && trace::recovered(*call); });
  auto* result = trace::result_of(*c.seen.back(), c.row.test);
  return fmt::format("{} attempt{}, {}; the test {}", shown.attempts, shown.attempts == 1 ? "" : "s",
                     recovered ? "then recovered" : "then the fault was passed on", result ? result->outcome : "ended");
}

}  // namespace

Trials::Trials(CampaignContext& context, const References& refs, Plan& plan,
               std::span<const policies::Policy* const> policies, trace::CampaignRecord& record,
               std::function<Nanos()> time_left)
    : context_(context),
      refs_(refs),
      plan_(plan),
      schedule_(plan.cases, policies),
      record_(record),
      time_left_(std::move(time_left)),
      began_(context.clock.now()),
      trials_stand_alone_(shares_services(*refs.suite)) {}

Result<void> Trials::run() {
  Result<void> result;
  for (;;) {
    while (result && context_.workers.free() && !context_.executor.interrupted()) {
      auto begun = begin_one();
      if (!begun) result = std::unexpected(begun.error());
      if (!begun || !*begun) break;
    }
    auto one = context_.workers.wait();
    if (!one) break;
    if (!one->run) {
      result = std::unexpected(one->run.error());
      companies_.erase(one->number);
      trials_.erase(one->number);
      continue;
    }
    auto* run = context_.keep(std::move(*one->run));
    ended(*one, *run);
  }
  for (auto& pending : pending_)
    if (!pending.suspected.empty()) pending.c->row.why = "something was seen in company, and not looked at alone";
  return result;
}

// False: there is nothing more to begin as yet.
Result<bool> Trials::begin_one() {
  std::erase_if(pending_, [&](auto& pending) { return confirmed_elsewhere(pending); });
  tell();
  bool hurried = time_left_() != kNoLimit;
  if (trials_stand_alone_ && context_.workers.most() > 1) {
    if (!open_.empty()) return context_.workers.under_way() == 0 && !ready_.empty() ? begin_trial() : false;
    // All that can be done side by side first, where there is time for both.
    if (hurried && !pending_.empty()) return context_.workers.under_way() == 0 ? begin_trial() : false;
  } else if (!ready_.empty() || !pending_.empty()) {
    return begin_trial();
  }
  if (!halves_.empty()) {
    auto half = std::move(halves_.front());
    halves_.pop_front();
    return begin_company(std::move(half));
  }
  if (auto company = next_company(); !company.seats.empty()) return begin_company(std::move(company));
  return context_.workers.under_way() == 0 && !pending_.empty() ? begin_trial() : false;
}

Company Trials::next_company() {
  std::vector<Case*> cases;
  // Who is answered lets others of its call come forward.
  for (bool answered = true; answered;) {
    answered = false;
    cases.clear();
    for (auto* c : schedule_.next()) {
      auto& test = c->here().test;
      if (auto why = schedule_.answered(*c); !why.empty()) {
        c->row.outcome = "answered";
        c->row.why = std::move(why);
        answered = true;
      } else if (c->alone || context_.config.run.alone || disturbers_.contains(test) || refs_.unsteady.contains(test)) {
        try_alone(*c, {});
      } else {
        cases.push_back(c);
      }
    }
  }
  return seat(cases, refs_, time_for(schedule_.only_further()));
}

// What goes further than was asked for is tried within the budget, or as long as the campaign is cheap for it.
Nanos Trials::time_for(bool further) const {
  auto left = time_left_();
  if (!further || left != kNoLimit) return left;
  auto cheap = std::max(kFurtherAtLeast, kFurtherOfSuite * trace::lasted(*refs_.suite));
  return std::max<Nanos>(0, cheap - (context_.clock.now() - began_));
}

Result<bool> Trials::begin_company(Company company) {
  auto spec = context_.spec_for(company.tests(), trace::RunKind::with_fault);
  spec.aims = company.aims();
  spec.hold = context_.config.run.hold;
  auto horizon = oracles::horizon();
  spec.attempts_limit = horizon.attempts;
  spec.client_time_limit = horizon.client_time;
  spec.lifts = true;
  spec.deadline = std::max(kLeastDeadline, 10 * company.expected) + spec.hold;
  auto number = context_.begin(spec);
  if (!number) return std::unexpected(number.error());
  for (auto& seat : company.seats)
    for (auto* c : seat.cases) {
      c->under_way = true;
      c->row.runs.push_back(*number);
      c->row.reference = refs_.suite->id;
    }
  companies_[*number] = std::move(company);
  return true;
}

Result<bool> Trials::begin_trial() {
  if (ready_.empty()) {
    auto it = std::ranges::find_if(pending_, [&](auto& p) { return refs_.start + p.c->expected() <= time_left_(); });
    if (it == pending_.end()) return false;
    auto pending = std::move(*it);
    pending_.erase(it);
    ready_.push_back(&open_.emplace_back(context_, *pending.c, std::move(pending.suspected),
                                         refs_.unsteady.contains(pending.c->row.test)));
  }
  auto* trial = ready_.front();
  ready_.pop_front();
  return go_on(*trial);
}

Result<bool> Trials::go_on(Trial& trial) {
  auto spec = trial.next();
  if (!spec) {
    trial_over(trial);
    return true;
  }
  auto number = context_.begin(*spec);
  if (!number) return std::unexpected(number.error());
  trials_[*number] = &trial;
  return true;
}

void Trials::ended(const Workers::Ended& one, const trace::Run& run) {
  if (auto company = companies_.extract(one.number)) {
    company_ended(company.mapped(), run);
  } else if (auto trial = trials_.extract(one.number)) {
    trial.mapped()->ran(&run);
    ready_.push_back(trial.mapped());
  }
}

void Trials::company_ended(const Company& company, const trace::Run& run) {
  for (auto& seat : company.seats)
    for (auto* c : seat.cases) c->under_way = false;
  if (context_.executor.interrupted()) return;
  auto verdict = judge_company(company, run, refs_, context_.config.run.hold);
  for (auto& test : verdict.missing) context_.wide.insert(test);
  for (auto& shown : verdict.shown) take(std::move(shown));
  if (!verdict.disturbed.empty()) disturbed(company, verdict);
}

void Trials::take(Shown shown) {
  auto& c = *shown.c;
  schedule_.ran(c, shown.attempts);
  switch (shown.what) {
    case What::suspicion:
      return try_alone(c, std::move(shown.judgement.findings));
    case What::doubt:
      return try_alone(c, {});
    case What::thin:
      if (static_cast<int>(c.seen.size()) < kRuns) return;
      if (!shown.judgement.not_judged.empty()) return try_alone(c, {});
      [[fallthrough]];
    case What::clean:
      c.row.outcome = "run";
      record_.clean.push_back(trace::judged(c.row, what_was_right(shown)));
      keep(std::move(shown.judgement.notes), record_.notes);
      return;
    case What::vain:
      c.single = true;
      [[fallthrough]];
    case What::not_run:
      return again(c);
  }
}

// Back to the plan, for another company.
void Trials::again(Case& c) {
  if (++c.in_vain >= kInVain + (c.single ? 0 : 4)) c.alone = true;
}

void Trials::try_alone(Case& c, Suspected suspected) {
  c.alone = c.under_way = true;
  pending_.push_back({&c, std::move(suspected)});
}

bool Trials::confirmed_elsewhere(const Pending& pending) {
  auto& c = *pending.c;
  if (pending.suspected.empty()) return false;
  std::string by;
  for (auto& f : pending.suspected) {
    if (auto known = std::ranges::find(record_.findings, f.id, &trace::Finding::id); known != record_.findings.end()) {
      by += fmt::format("{}{} ({})", by.empty() ? "" : ", ", f.verdict, known->test);
      continue;
    }
    auto it = confirmed_.find({f.verdict, c.family_key()});
    if (it == confirmed_.end() || it->second.size() < enough(f.verdict)) return false;
    by += fmt::format("{}{} ({})", by.empty() ? "" : ", ", f.verdict, fmt::join(it->second, ", "));
  }
  c.row.outcome = "answered";
  c.row.why = "seen here too in company, and confirmed in another test or at other paths of this call site: " + by;
  c.under_way = false;
  return true;
}

// Which of those before it? Alone they are tried themselves, and nothing in their company.
void Trials::disturbed(const Company& company, const CompanyVerdict& verdict) {
  Company suspects;
  for (auto& seat : company.seats)
    if (!seat.cases.empty() && suspects.seats.size() < verdict.before) suspects.seats.push_back(seat);
  for (auto& seat : suspects.seats) std::erase_if(seat.cases, [](auto* c) { return !c->planned() || c->under_way; });
  if (suspects.seats.size() == 1) {
    auto& disturber = suspects.seats.front().test;
    if (disturbers_.insert(disturber).second)
      record_.remarks.push_back(fmt::format("a fault in {} is felt by {} ({}): its cases are tried alone", disturber,
                                            verdict.disturbed, verdict.how));
    return;
  }
  for (auto& half : halves(suspects, verdict.disturbed, refs_)) {
    for (auto& seat : half.seats)
      for (auto* c : seat.cases) c->under_way = true;
    halves_.push_back(std::move(half));
  }
}

void Trials::trial_over(Trial& trial) {
  auto& c = const_cast<Case&>(trial.the_case());
  auto& result = trial.result();
  c.under_way = false;
  if (context_.executor.interrupted() && c.row.outcome == "planned") return;
  if (c.row.outcome == "planned") c.row.outcome = "run";
  schedule_.ran(c, result.attempts);
  if (result.spoilt) leave(c.row.test, "this test no longer passes without faults since case " + c.row.id);
  for (auto& f : result.findings) confirmed_[{f.verdict, c.family_key()}].push_back(c.row.id);
  keep(std::move(result.findings), record_.findings);
  keep(std::move(result.notes), record_.notes);
  auto add = [](auto& from, auto& to) { to.insert(to.end(), from.begin(), from.end()); };
  add(result.clean, record_.clean);
  add(result.not_judged, record_.not_judged);
  open_.remove_if([&](auto& open) { return &open == &trial; });
}

void Trials::leave(const std::string& test, const std::string& why) {
  for (auto& c : plan_.cases) {
    if (!c.planned() || c.under_way) continue;
    std::erase_if(c.places, [&](auto& place) { return place.test == test && c.places.size() > 1; });
    c.put(0);
    if (c.row.test != test) continue;
    c.row.outcome = "left";
    c.row.why = why;
    record_.not_judged.push_back(trace::judged(c.row, why));
  }
}

void Trials::keep(std::vector<trace::Finding> from, std::vector<trace::Finding>& to) {
  for (auto& f : from)
    if (std::ranges::find(to, f.id, &trace::Finding::id) == to.end()) to.push_back(std::move(f));
}

void Trials::tell() {
  std::vector<Case*> left;
  Nanos alone = 0;
  bool further = schedule_.only_further();
  auto counts = [&](const Case& c) { return further || !c.further; };
  for (auto& c : plan_.cases)
    if (c.planned() && !c.alone && counts(c)) left.push_back(&c);
  for (auto& p : pending_) alone += kRunsOfTrial * (refs_.start + p.c->expected());
  auto workers = context_.workers.most();
  auto expected = expected_of(left, refs_.start, workers) + alone / (trials_stand_alone_ ? 1 : workers);
  auto all = static_cast<std::size_t>(std::ranges::count_if(plan_.cases, counts));
  auto open =
      static_cast<std::size_t>(std::ranges::count_if(plan_.cases, [&](auto& c) { return c.planned() && counts(c); }));
  std::string what = fmt::format("{} runs so far", context_.runs.size());
  if (!open_.empty())
    what = fmt::format("confirming {} {}", open_.back().the_case().row.policy, open_.back().the_case().row.operation);
  context_.live.show({further ? "cases, further ones in other tests" : "cases", all - open, all, what,
                      record_.findings.size(), std::min(expected, time_for(further))});
}

}  // namespace retrial::campaign
