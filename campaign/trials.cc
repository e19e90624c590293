#include "campaign/trials.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "campaign/report/words.h"

namespace retrial::campaign {
namespace {

constexpr Nanos kGrace = 60 * kSecond;  // for a confirmation that is under way when the budget ends
constexpr Nanos kLeastCut = kSecond;
// How much of all that is expected counts as gone as expected, before anything has: so the first runs tell little.
constexpr double kTrusted = 0.25;

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
      trials_stand_alone_(refs.share_services) {}

Result<void> Trials::run() {
  Result<void> result;
  for (;;) {
    while (result && context_.workers.free() && !context_.executor.interrupted()) {
      auto begun = begin_one();
      if (!begun) result = std::unexpected(begun.error());
      if (!begun || !*begun) break;
    }
    context_.live.show(progress());
    auto one = context_.workers.wait([&] { context_.live.update(progress()); });
    if (!one) break;
    if (!one->run) {
      result = std::unexpected(one->run.error());
      companies_.erase(one->number);
      trials_.erase(one->number);
      continue;
    }
    ended(one->number, *context_.keep(std::move(*one->run)));
  }
  fold();
  tell_who_disturbs();
  for (auto& pending : pending_)
    if (!pending.suspected.empty() && !pending.thin)
      pending.c->row.why = "something was seen in company, and not looked at alone";
  return result;
}

// False: there is nothing more to begin as yet.
Result<bool> Trials::begin_one() {
  answer_pending();
  bool hurried = time_left_() != kNoLimit;
  if (trials_stand_alone_ && context_.workers.most() > 1) {
    if (!open_.empty()) return context_.workers.under_way() == 0 && !ready_.empty() ? begin_trial() : false;
    // All that can be done side by side first, where there is time for both.
    if (hurried && !pending_.empty()) return context_.workers.under_way() == 0 ? begin_trial() : false;
  } else if (!ready_.empty() || next_pending() != pending_.end()) {
    return begin_trial();
  }
  dismiss([&](auto& waiting) { return waiting.expected > time_left_(); });
  if (companies_to_run_.empty()) {
    auto company = next_company();
    auto free = static_cast<std::size_t>(context_.workers.most() - context_.workers.under_way());
    if (!company.seats.empty())
      for (auto& part : parts(std::move(company), free, static_cast<std::size_t>(cores()), refs_))
        enlist(std::move(part));
  }
  if (!companies_to_run_.empty()) {
    auto company = std::move(companies_to_run_.front());
    companies_to_run_.pop_front();
    return begin_company(std::move(company));
  }
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
        say(*c, c->row.why);
        answered = true;
      } else if (c->alone || context_.config.run.alone || disturbers_.contains(test) || refs_.unsteady.contains(test)) {
        try_alone(*c, {});
      } else {
        cases.push_back(c);
      }
    }
  }
  return seat(cases, refs_, time_for(schedule_.only_further()), once_);
}

void Trials::enlist(Company company) {
  for (auto& seat : company.seats)
    for (auto* c : seat.cases) c->under_way = true;
  companies_to_run_.push_back(std::move(company));
}

// Their cases are in the plan again.
void Trials::dismiss(const std::function<bool(const Company&)>& which) {
  std::erase_if(companies_to_run_, [&](const Company& company) {
    if (!which(company)) return false;
    for (auto& seat : company.seats)
      for (auto* c : seat.cases) c->under_way = false;
    return true;
  });
}

// What goes further than was asked for is tried within the budget, or as long as the campaign is cheap for it.
Nanos Trials::time_for(bool further) const {
  auto left = time_left_();
  if (!further || left != kNoLimit) return left;
  return std::max<Nanos>(0, cheap(refs_) - (context_.clock.now() - began_));
}

Result<bool> Trials::begin_company(Company company) {
  auto spec = context_.spec_for(company.tests(), trace::RunKind::with_fault);
  spec.deadline = CampaignContext::deadline_of(company.expected);
  if (auto left = time_left_(); left != kNoLimit)
    spec.cut = std::max(left, kLeastCut);  // what has ended by then stands
  spec.lifts = true;
  aim(spec, company.aims(), context_.config.run);
  auto number = context_.begin(spec);
  if (!number) return std::unexpected(number.error());
  for (auto& seat : company.seats)
    for (auto* c : seat.cases) {
      if (auto& runs = c->row.runs; runs.empty() || runs.back() != *number) runs.push_back(*number);
      c->row.reference = refs_.suite;
    }
  companies_[*number] = std::move(company);
  return true;
}

// There is time for it, and no other is about to answer it.
std::deque<Trials::Pending>::iterator Trials::next_pending() {
  return std::ranges::find_if(
      pending_, [&](auto& p) { return refs_.start + p.c->expected() <= time_left_() && !about_to_be_answered(p); });
}

Result<bool> Trials::begin_trial() {
  if (ready_.empty()) {
    auto it = next_pending();
    if (it == pending_.end()) return false;
    auto pending = std::move(*it);
    pending_.erase(it);
    begun_alone_++;
    ready_.push_back(
        &open_.emplace_back(context_, *pending.c, std::move(pending.suspected),
                            refs_.unsteady.contains(pending.c->row.test) || shaky_.contains(pending.c->row.test)));
  }
  auto* trial = ready_.front();
  ready_.pop_front();
  return go_on(*trial);
}

Result<bool> Trials::go_on(Trial& trial) {
  if (!context_.config.run.alone)
    if (auto why = confirmed_elsewhere(trial.the_case(), trial.about()); !why.empty()) trial.answered(std::move(why));
  auto spec = trial.next();
  if (!spec) {
    trial_over(trial);
    return true;
  }
  if (auto left = time_left_(); left != kNoLimit) spec->cut = left + kGrace;
  auto number = context_.begin(*spec);
  if (!number) return std::unexpected(number.error());
  trials_[*number] = &trial;
  return true;
}

// "c17 P1 lost-response(reset) x 1, then pass: PUT /order at src/orders.py:12 send in test_send: right: 2 attempts,
// ..."
void Trials::say(const Case& c, std::string_view decided) {
  if (!context_.config.run.verbose) return;
  auto& row = c.row;
  context_.live.say(fmt::format("{} {} {}: {} at {} in {}: {}", row.id, row.policy, row.plan, row.operation,
                                report::place(row.site), row.test, decided));
}

// What is left takes longer, or less, by as much as what is done of `all` did.
Nanos Trials::by_pace_so_far(Nanos expected, Nanos all) const {
  auto trusted = kTrusted * static_cast<double>(all);
  auto took = trusted + static_cast<double>(context_.clock.now() - began_);
  auto planned = trusted + static_cast<double>(all - std::min(all, expected));
  return planned > 0 ? static_cast<Nanos>(static_cast<double>(expected) * took / planned) : expected;
}

Trials::Together Trials::together() const {
  Together all;
  for (auto& [number, company] : companies_) {
    auto tests = company.seats.size(), done = std::min(context_.workers.tests_done(number), tests);
    all.tests += tests, all.done += done;
    all.gone += company.expected * static_cast<Nanos>(done) / static_cast<Nanos>(tests);
    for (auto& seat : company.seats) all.cases += seat.cases.size();
  }
  return all;
}

// What is left, with what goes further than was asked for or without.
Nanos Trials::expected_left(bool further) const {
  std::vector<const Case*> all, left;
  for (auto& c : plan_.cases) {
    if (c.further && !further) continue;
    all.push_back(&c);
    if (c.planned() && !c.alone) left.push_back(&c);
  }
  std::map<std::string, Nanos> alone;  // the others of its family are most often answered by it
  for (auto& p : pending_)
    alone.try_emplace(p.c->family_key(), kRunsOfTrial * (refs_.start_of_process() + p.c->expected()));
  Nanos in_turn = 0;
  for (auto& [family, time] : alone) in_turn += time;
  auto tried = std::ranges::count_if(plan_.cases, [](auto& c) { return !c.row.runs.empty(); });
  auto pace = pace_of(refs_, context_.workers.most(), context_.config.run.alone);
  pace.suspicious = suspicious_by_now(begun_alone_ + alone.size(), static_cast<std::size_t>(tried));
  auto expected = expected_of(left, refs_, pace).time + in_turn / pace.trials;
  expected -= std::min(expected, together().gone / pace.workers);
  return std::min(by_pace_so_far(expected, expected_of(all, refs_, pace).time), time_for(further));
}

report::Progress Trials::progress() const {
  bool further = schedule_.only_further() && std::ranges::any_of(plan_.cases, &Case::further);
  auto counts = [&](const Case& c) { return further || !c.further; };
  auto all = static_cast<std::size_t>(std::ranges::count_if(plan_.cases, counts));
  auto open =
      static_cast<std::size_t>(std::ranges::count_if(plan_.cases, [&](auto& c) { return c.planned() && counts(c); }));
  auto now = together();
  auto what = report::counted(context_.runs.size(), "run") + " so far";
  if (now.cases) what = fmt::format("{}/{} tests of {} cases done, {}", now.done, now.tests, now.cases, what);
  if (!open_.empty())
    what = fmt::format("confirming {} {}", open_.back().the_case().row.policy, open_.back().the_case().row.operation);
  auto left = std::max(expected_left(further), expected_left(true));
  return {
      further ? "cases, further ones in other tests" : "cases", all - open, all, what, record_.findings.size(), left};
}

}  // namespace retrial::campaign
