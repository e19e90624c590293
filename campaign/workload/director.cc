#include "campaign/workload/director.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "campaign/workload/look.h"
#include "oracles/evidence.h"
#include "trace/calls/operation.h"
#include "trace/profiles/fault_answer.h"
#include "trace/profiles/profile.h"

namespace retrial::campaign {

CampaignDirector::CampaignDirector(trace::Run& run, Events& events, std::vector<Aim> aims, std::string only_test,
                                   trace::Lessons lessons, Lift lift)
    : run_(run),
      events_(events),
      only_test_(std::move(only_test)),
      lessons_(std::move(lessons)),
      lift_(lift),
      correlator_(lessons_),
      services_(lessons_.services) {
  for (auto& aim : aims) {
    policies::Dice dice{.seed = aim.seed};
    aims_.push_back({.aim = std::move(aim), .dice = dice});
  }
}

void CampaignDirector::read_frames(trace::Tag& tag) {
  if (tag.site || tag.frames.empty() || !native_sites_) return;
  auto origin = native_sites_->origin_of(tag.frames);
  if (!origin) return;
  tag.site = std::move(origin->site);
  tag.statement = origin->statement;
}

proxy::Decision CampaignDirector::at_head(const trace::Exchange& seen) {
  events_.read_into(run_);
  trace::Exchange head = seen;
  read_frames(head.tag);
  auto current = events_.current(head.pid);
  if (head.tag.test.empty()) head.tag.test = current.test.empty() ? only_test_ : current.test;
  if (head.tag.phase == trace::Phase::none) head.tag.phase = current.phase;
  auto& profile = profile_of(head);
  head.profile = profile.name();
  head.operation = lessons_.operation(head);
  auto assigned = correlator_.at_head(head);
  auto service = services_.at_head(head);

  proxy::Decision decision;
  decision.test = head.tag.test;
  decision.phase = head.tag.phase;
  if (!seen.tag.site) decision.site = head.tag.site, decision.statement = head.tag.statement;
  decision.profile = head.profile;
  decision.operation = head.operation;
  decision.call = assigned.call;
  decision.attempt = assigned.attempt;
  decision.confidence = assigned.confidence;
  auto* aiming = aimed_at(head, service, assigned);
  if (!aiming || lifted(*aiming, head.begun)) return decision;

  auto nth = aiming->takes_all() ? aiming->attempts + 1 : assigned.nth();
  aiming->attempts = std::max(aiming->attempts, nth);
  auto elapsed = head.begun - run_.began;
  auto fault = policies::choose(aiming->aim.plan, nth, elapsed, aiming->dice);
  if (trace::is_pass(fault)) return decision;
  decision.fault_id = fmt::format("{}-{}", run_.id, head.id);
  if (trace::is_status(fault)) {
    auto* shape = trace::profile_named(errors_as_);
    fault.status = trace::status_told(fault, profile, head);
    decision.answer = trace::answer_of(fault, shape ? *shape : profile, head, "retrial-" + decision.fault_id,
                                       run_.wall_began + elapsed, own_error(head, service, fault.status));
    decision.answer.closes = lessons_.closing.contains(service);
  }
  decision.fault = fault;
  return decision;
}

const trace::Profile& CampaignDirector::profile_of(const trace::Exchange& head) const {
  auto it = profiles_.find(head.service);
  auto* said = it == profiles_.end() ? nullptr : trace::profile_named(it->second);
  return said ? *said : trace::profile_for(head);
}

const trace::ErrorShape* CampaignDirector::own_error(const trace::Exchange& head, const std::string& service,
                                                     int status) const {
  if (head.profile != trace::kGeneric || !errors_as_.empty()) return nullptr;
  auto* described = trace::described_error(descriptions_, head, status);
  return described ? described : lessons_.errors.nearest(service, head.service, status);
}

// A call is chosen at its first attempt, and stays chosen.
namespace {
// One chain begins as the other does, each function once.
bool same_but_for_recursion(const std::optional<trace::CallSite>& a, const std::optional<trace::CallSite>& b) {
  if (!a || !b || *a == *b) return a == b;
  auto functions = [](const trace::CallSite& site) {
    std::vector<std::pair<std::string, std::string>> out;
    for (auto& frame : trace::frames_of(site))
      if (auto one = std::pair(frame.file, frame.function); std::ranges::find(out, one) == out.end())
        out.push_back(std::move(one));
    return out;
  };
  auto one = functions(*a), other = functions(*b);
  auto shorter = std::min(one.size(), other.size());
  return a->file == b->file && a->line == b->line &&
         std::equal(one.begin(), one.begin() + static_cast<std::ptrdiff_t>(shorter), other.begin());
}
}  // namespace

// Is it what this aim is at? Where that is every call of a site: also what has met it and comes again by another way,
// as an interceptor sends it.
bool CampaignDirector::meets(Aiming& aiming, const trace::Exchange& head, const std::string& service) {
  auto& target = *aiming.aim.target;
  if (head.tag.test != target.test || head.operation != target.operation || service != target.service ||
      (head.tag.phase != trace::Phase::test && head.tag.phase != trace::Phase::none))
    return false;
  if (!aiming.takes_all()) return head.tag.site == target.site && ++aiming.occurrence == target.occurrence;
  auto request = fnv1a(head.target, fnv1a(head.method));
  if (same_but_for_recursion(head.tag.site, target.site)) aiming.requests.insert(request);
  // What the test itself sends, unless that is what is on trial.
  auto by_test = [&](auto& site) { return site && oracles::in_tests(site->file, head.tag.test); };
  return aiming.requests.contains(request) && (!by_test(head.tag.site) || by_test(target.site));
}

CampaignDirector::Aiming* CampaignDirector::aimed_at(const trace::Exchange& head, const std::string& service,
                                                     const trace::Assignment& assigned) {
  if (oracles::is_look(head)) return nullptr;
  for (auto& aiming : aims_)
    if (aiming.calls.contains(assigned.call)) return &aiming;
  if (assigned.attempt != 1) return nullptr;
  for (auto& aiming : aims_) {
    if (aiming.aim.target && !meets(aiming, head, service)) continue;
    if (auto& at = aiming.aim.at; at && (!at->holds(head) || (++aiming.occurrence != at->nth && at->nth != 0)))
      continue;
    aiming.calls.insert(assigned.call);
    aiming.since = head.begun;
    return &aiming;
  }
  return nullptr;
}

bool CampaignDirector::lifted(const Aiming& aiming, Nanos now) const {
  return aiming.given_up || (lift_.attempts && aiming.attempts > lift_.attempts) ||
         (lift_.client_time && now - aiming.since > lift_.client_time);
}

int CampaignDirector::target_attempts() const {
  int most = 0;
  for (auto& aiming : aims_) most = std::max(most, aiming.attempts);
  return most;
}

// A connect comes before any tag: the target's service, while its test runs.
proxy::ConnectDecision CampaignDirector::at_connect(const proxy::Connecting& connecting) {
  if (connecting.pid != 0 && connecting.pid == spared_) return {};
  for (auto& aiming : aims_) {
    if (!policies::strikes_connections(aiming.aim.plan)) continue;
    events_.read_into(run_);
    if (auto& target = aiming.aim.target) {
      auto test = events_.current(connecting.pid).test;
      if (test.empty()) test = only_test_;
      if (test != target->test || services_.at_connect(test, connecting.service, connecting.at) != target->service)
        continue;
    }
    auto nth = ++connections_[{connecting.pid, std::string(connecting.service)}];
    return {policies::choose(aiming.aim.plan, nth, connecting.at - run_.began, aiming.dice, policies::Of::connections)};
  }
  return {};
}

bool CampaignDirector::keeps_responses() const {
  return std::ranges::any_of(aims_, [](auto& aiming) {
    return std::ranges::any_of(aiming.aim.plan.steps, [](auto& step) { return trace::replays(step.fault); });
  });
}

int CampaignDirector::in_vain() const {
  int most = 0;
  for (auto& [process, last] : in_vain_) most = std::max(most, last.times);
  return most;
}

void CampaignDirector::over(const trace::Exchange& exchange) {
  correlator_.over(exchange);
  auto request = fnv1a(exchange.target, fnv1a(exchange.method, fnv1a(exchange.service))) ^ exchange.request_digest;
  auto& last = in_vain_[exchange.pid];
  if (exchange.client_status >= 400)
    last = {request, last.request == request ? last.times + 1 : 1};
  else if (last.request == request)
    last = {};
  if (!trace::given_up(exchange)) return;
  for (auto& aiming : aims_)
    if (aiming.calls.contains(exchange.call) && !aiming.takes_all()) aiming.given_up = true;
}

}  // namespace retrial::campaign
