// What becomes of cases when a run of theirs has ended.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "campaign/report/causes.h"
#include "campaign/report/words.h"
#include "campaign/trials.h"
#include "policies/fault_plan.h"
#include "policies/plans.h"
#include "trace/fault_name.h"

namespace retrial::campaign {
namespace {

constexpr int kRuns = 6;    // in company of one case at most, while its evidence is thin
constexpr int kInVain = 2;  // runs in company that may say nothing of a case, before it is tried alone
// Cases that confirm a verdict for all other paths of their call site, or, of how a client goes about it and of what
// goes wrong itself at one line, for all call sites where it is of one cause. How it retries is the same at each; what
// becomes of a call is its caller's too.
constexpr std::size_t kSameRetries = 2, kSameOutcome = 8;
bool of_outcome(const std::string& verdict) {
  auto* known = oracles::verdict_named(verdict);
  return known && (known->of_outcome || known->of_caller);
}
bool same_everywhere(const trace::Finding& f) { return !of_outcome(f.verdict) || !f.raised_at.empty(); }
std::size_t enough(const std::string& verdict) { return of_outcome(verdict) ? kSameOutcome : kSameRetries; }

// Is it the same that they tell? What was carried out twice was sent again after a loss.
bool one_event(const trace::Finding& known, trace::Finding suspected) {
  if (known.verdict == "duplicate-effect" && suspected.verdict == "retries-non-idempotent")
    suspected.verdict = known.verdict;
  return report::one_cause(known, suspected);
}

// An error by which the service says that it passes: 503 or, of a profile's own, `transient`; or 429.
bool is_of_a_moment(const trace::FaultSpec& fault) {
  using policies::kTooManyRequests, policies::kUnavailable;
  return fault.name == trace::FaultName::error &&
         (fault.status == 0 || fault.status == kTooManyRequests || fault.status == kUnavailable);
}

// Does the first attempt meet in both what it meets in the other? What becomes of a call then differs by whether it is
// sent again, not by what the attempts after it meet: P1, P2 and P4 lose one first response. How the loss is told makes
// another exception, and no other effect. Nor does the number of an error that passes.
bool one_fate(const trace::Finding& known, const trace::Finding& suspected) {
  auto one = policies::parse_fault_plan(known.fault), other = policies::parse_fault_plan(suspected.fault);
  if (!one || !other || one->steps.empty() || other->steps.empty()) return false;
  auto &a = one->steps.front().fault, &b = other->steps.front().fault;
  auto* verdict = oracles::verdict_named(suspected.verdict);
  bool of_effect = verdict && verdict->severity == oracles::Severity::wrong_effect;
  return a == b || (of_effect && a.name == b.name && a.name == trace::FaultName::lost_response) ||
         (is_of_a_moment(a) && is_of_a_moment(b) && a.retry == b.retry);
}

// Nothing new beside what is known of that call site: what is surer is.
bool told_by(const trace::Finding& known, const trace::Finding& suspected) {
  return known.confidence >= suspected.confidence && of_outcome(suspected.verdict) && known.site == suspected.site &&
         one_event(known, suspected) && one_fate(known, suspected);
}

using What = Shown::What;

}  // namespace

void Trials::ended(std::uint64_t number, const trace::Run& run) {
  if (auto company = companies_.extract(number)) {
    company_ended(company.mapped(), *context_.runs.let_go(number));
  } else if (auto trial = trials_.extract(number)) {
    trial.mapped()->ran(run);
    ready_.push_back(trial.mapped());
  }
}

void Trials::company_ended(const Company& company, trace::Run run) {
  for (auto& seat : company.seats)
    for (auto* c : seat.cases) c->under_way = false;
  if (context_.executor.interrupted()) return;
  auto verdict = judge_company(company, std::move(run), refs_, context_.config.run.hold, own_way_);
  for (auto& [test, how] : verdict.own_way) {
    own_way_.try_emplace(test, how);
    shaky_.erase(test);
    dismiss([&](auto& waiting) { return looks_for_who_disturbs(waiting, test); });
  }
  for (auto& test : verdict.missing) context_.wide.insert(test);
  once_.merge(verdict.once);
  for (auto& shown : verdict.shown) take(std::move(shown));
  if (!verdict.disturbed.empty()) disturbed(verdict);
}

void Trials::take(Shown shown) {
  auto& c = *shown.c;
  schedule_.ran(c, shown.attempts);
  if (c.under_way || !c.planned()) return;  // another execution of the same run has shown enough
  switch (shown.what) {
    case What::suspicion:
      return try_alone(c, std::move(shown.judgement.findings));
    case What::doubt:
      return try_alone(c, std::move(shown.judgement.leaning), true);
    case What::thin:
      if (auto why = confirmed_elsewhere(c, shown.judgement.leaning); !why.empty()) return seen_too(c, std::move(why));
      c.ask_further();
      if (static_cast<int>(c.seen.size()) < kRuns) return;
      if (!shown.judgement.not_judged.empty()) return try_alone(c, std::move(shown.judgement.leaning), true);
      [[fallthrough]];
    case What::clean:
      return clean(c, std::move(shown.judgement));
    case What::vain:
      c.single = true;
      [[fallthrough]];
    case What::not_run:
      return again(c);
  }
}

void Trials::clean(Case& c, oracles::Judgement judgement) {
  c.row.outcome = "run";
  auto seen = compare_case(c, *c.seen.back(), false);
  record_.clean.push_back(trace::judged(c.row, what_was_right(seen, c.row.test)));
  say(c, "right: " + record_.clean.back().why);
  keep(std::move(judgement.notes), record_.notes);
  samples_.add(c.row, seen);
  c.seen.clear();
}

// Back to the plan, for another company.
void Trials::again(Case& c) {
  if (++c.in_vain >= kInVain + (c.single ? 0 : 4)) c.alone = true;
}

void Trials::try_alone(Case& c, Suspected suspected, bool thin) {
  c.alone = c.under_way = true;
  pending_.push_back({&c, std::move(suspected), thin});
}

// The tests that have shown it already, and what it is called there; none: they do not yet show it here.
Trials::Confirmed Trials::confirming(const trace::Finding& suspected, const Case& c) const {
  Confirmed alike{suspected.verdict};
  for (auto& known : record_.findings) {
    bool same = known.id == suspected.id && known.confidence >= suspected.confidence;
    if (same || told_by(known, suspected)) return {known.verdict, {known.test}};
    if (known.confidence >= suspected.confidence && report::one_cause(known, suspected))
      alike.tests.push_back(known.test);
  }
  if (same_everywhere(suspected) && alike.tests.size() >= kSameRetries) return alike;
  auto family = confirmed_.find({suspected.verdict, c.family_key()});
  if (family == confirmed_.end() || family->second.size() < enough(suspected.verdict)) return {};
  return {suspected.verdict, family->second};
}

static std::string_view name_of(std::string_view test) { return test.empty() ? "the command" : test; }

// Why nobody needs to look for it here; empty: not all of it is confirmed.
std::string Trials::confirmed_elsewhere(const Case& c, const Suspected& suspected) const {
  std::string why;
  for (auto& f : suspected) {
    auto confirmed = confirming(f, c);
    if (confirmed.tests.empty()) return {};
    auto told = fmt::format("{}, as confirmed in {}", confirmed.verdict, name_of(confirmed.tests.front()));
    if (!why.contains(told)) why += (why.empty() ? "" : "; ") + told;
  }
  return why;
}

void Trials::answer_pending() {
  std::erase_if(pending_, [&](auto& pending) {
    auto why = confirmed_elsewhere(*pending.c, pending.suspected);
    if (why.empty()) return false;
    seen_too(*pending.c, std::move(why));
    return true;
  });
}

void Trials::seen_too(Case& c, std::string why) {
  c.row.outcome = "seen_too";
  c.row.why = std::move(why);
  c.under_way = false;
  c.seen.clear();
  say(c, c.row.why);
}

// Are as many trials of the same under way as it takes to answer it?
bool Trials::about_to_be_answered(const Pending& pending) const {
  auto alike = [&](const trace::Finding& f) {
    auto count = std::ranges::count_if(open_, [&](auto& trial) {
      return std::ranges::any_of(trial.about(), [&](auto& known) {
        return same_everywhere(f) ? report::one_cause(known, f) : told_by(known, f);
      });
    });
    return static_cast<std::size_t>(count) >= (same_everywhere(f) ? kSameRetries : 1);
  };
  return !pending.suspected.empty() && std::ranges::all_of(pending.suspected, alike);
}

// Which of those before it, if not its own way where others are left out? Alone they are tried themselves, and nothing
// in their company.
void Trials::disturbed(const CompanyVerdict& verdict) {
  shaky_.insert(verdict.disturbed);
  Company suspects{verdict.before};
  for (auto& seat : suspects.seats) std::erase_if(seat.cases, [](auto* c) { return !c->planned() || c->under_way; });
  bool anew = asked_by_itself_.insert(verdict.disturbed).second;
  if (anew) enlist(by_itself(verdict.disturbed, refs_));
  if (suspects.seats.size() == 1 && !anew) {
    auto& disturber = suspects.seats.front().test;
    if (disturbers_.insert(disturber).second) felt_[{verdict.disturbed, verdict.how}].push_back(disturber);
    return;
  }
  for (auto& half : halves(suspects, verdict.disturbed, refs_))
    if (!half.aims().empty()) enlist(std::move(half));  // else all of it is looked at alone
}

void Trials::tell_who_disturbs() {
  constexpr std::size_t kShown = 3;
  for (auto& [felt, by] : felt_) {
    auto shown = std::span(by).first(std::min(by.size(), kShown));
    auto more = by.size() > kShown ? fmt::format(" and {} more tests", by.size() - kShown) : "";
    record_.remarks.push_back(fmt::format(
        "a fault in {}{} is felt by {} ({}): what it leaves, in the process or at a service, outlasts it (a "
        "cached failure, an open breaker, data); such cases are tried alone",
        fmt::join(shown, ", "), more, felt.first, felt.second));
  }
}

void Trials::trial_over(Trial& trial) {
  auto& c = trial.the_case();
  auto& result = trial.result();
  c.under_way = false;
  if (context_.executor.interrupted() && c.row.outcome == "planned") return;
  if (c.row.outcome == "planned") c.row.outcome = "run";
  schedule_.ran(c, result.attempts);
  if (c.row.outcome == "seen_too") say(c, c.row.why);
  for (auto& f : result.findings) say(c, f.verdict + ", confirmed");
  for (auto& j : result.clean) say(c, "right: " + j.why);
  for (auto& j : result.not_judged) say(c, "not judged: " + j.why);
  if (result.spoilt) leave(c.row.test, "this test no longer passes without faults since case " + c.row.id);
  for (auto& f : result.findings) confirmed_[{f.verdict, c.family_key()}].push_back(c.row.test);
  keep(std::move(result.findings), record_.findings);
  keep(std::move(result.notes), record_.notes);
  auto add = [](auto& from, auto& to) { to.insert(to.end(), from.begin(), from.end()); };
  add(result.clean, record_.clean);
  add(result.not_judged, record_.not_judged);
  // (What a followed test is laid beside lasts as long as its trial.)
  if (auto* seen = trial.seen(); seen && c.row.outcome == "run" && c.row.followed_by.empty())
    samples_.add(c.row, *seen);
  for (auto run : trial.runs()) context_.runs.let_go(run);
  c.seen.clear();
  open_.remove_if([&](auto& open) { return &open == &trial; });
}

// What was looked at alone before another verdict told the same of it (`--alone` looks at all).
void Trials::fold() {
  auto& all = record_.findings;
  std::set<std::string> folded;  // by id
  for (auto& f : all) {
    auto by = std::ranges::find_if(all, [&](auto& known) { return known.verdict != f.verdict && told_by(known, f); });
    if (by == all.end()) continue;
    folded.insert(f.id);
    for (auto& c : plan_.cases)
      if (c.row.test == f.test && c.row.site == f.site && c.row.operation == f.operation && c.row.plan == f.fault)
        c.row.outcome = "seen_too", c.row.why = fmt::format("{}, as confirmed in {}", by->verdict, name_of(by->test));
  }
  std::erase_if(all, [&](auto& f) { return folded.contains(f.id); });
}

void Trials::leave(const std::string& test, const std::string& why) {
  for (auto& c : plan_.cases) {
    if (!c.planned() || c.under_way) continue;
    std::erase_if(c.places, [&](auto& place) { return place.test == test && c.places.size() > 1; });
    c.put(0);
    if (c.row.test != test) continue;
    c.row.outcome = "left";
    c.row.why = why;
    say(c, why);
    record_.not_judged.push_back(trace::judged(c.row, why));
  }
}

void Trials::keep(std::vector<trace::Finding> from, std::vector<trace::Finding>& to) {
  for (auto& f : from) {
    auto known = std::ranges::find(to, f.id, &trace::Finding::id);
    if (known == to.end())
      to.push_back(std::move(f));
    else if (known->confidence < f.confidence)
      *known = std::move(f);
  }
}

}  // namespace retrial::campaign
