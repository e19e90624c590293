#include "proxy/server/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/glob.h"
#include "base/text.h"
#include "proxy/codec/tags.h"
#include "trace/calls/operation.h"
#include "trace/profiles/fault_answer.h"
#include "trace/profiles/profile.h"

namespace retrial::proxy {
namespace {

// The target's path: of "/a?b" and of "http://host/a?b".
std::string_view path_of(std::string_view target) {
  target = target.substr(0, target.find('?'));
  auto scheme = target.find("://");
  if (target.starts_with('/') || scheme == target.npos) return target;
  auto slash = target.find('/', scheme + 3);
  return slash == target.npos ? "/" : target.substr(slash);
}

std::string_view without_port(std::string_view host) {
  auto colon = host.rfind(':');
  bool port =
      colon != host.npos && host.find(']', colon) == host.npos && (host.find(':') == colon || host[colon - 1] == ']');
  return port ? host.substr(0, colon) : host;
}

bool host_matches(const std::string& pattern, std::string_view host) {
  auto folded = lower(host);
  return glob_matches(pattern, without_port(folded)) || glob_matches(pattern, folded);
}

bool site_matches(const std::string& pattern, const std::optional<trace::CallSite>& site) {
  return site && std::ranges::any_of(trace::frames_of(*site), [&](auto& frame) {
           return glob_matches(pattern, frame.file) ||
                  glob_matches(pattern, fmt::format("{}:{}", frame.file, frame.line));
         });
}

bool opted_in(const trace::Exchange& head) {
  auto value = trace::find(head.request_headers, kOptIn);
  return !value.empty() && value != "0" && !iequals(value, "false");
}

// A kubelet asks whether the pod is well (its HTTP and gRPC probes say so): what is done to that restarts the pod.
bool is_probe(const trace::Exchange& head) {
  return trace::find(head.request_headers, "user-agent").starts_with("kube-probe/");
}

// A plan of one step that goes on asks nobody which attempt this is.
bool every_attempt_alike(const policies::FaultPlan& plan) {
  return plan.steps.size() == 1 && plan.steps.front().times == 0;
}

}  // namespace

bool matches(const Match& m, const trace::Exchange& head) {
  if (!m.method.empty() && m.method != head.method) return false;
  if (!m.services.empty() && std::find(m.services.begin(), m.services.end(), head.service) == m.services.end())
    return false;
  if (!m.path.empty() && !glob_matches(m.path, path_of(head.target))) return false;
  if (!m.host.empty() && !host_matches(m.host, head.host)) return false;
  if (m.opt_in && !opted_in(head)) return false;
  if (!m.call_site.empty() && !site_matches(m.call_site, head.tag.site)) return false;
  return m.test.empty() || (!head.tag.test.empty() && glob_matches(m.test, head.tag.test));
}

trace::Assignment SharedCalls::at_head(const trace::Exchange& head) {
  std::lock_guard lock(mutex_);
  return correlator_.at_head(head);
}
void SharedCalls::over(const trace::Exchange& exchange) {
  std::lock_guard lock(mutex_);
  correlator_.over(exchange);
}

int SharedCalls::connection(std::size_t rule, std::string_view service) {
  std::lock_guard lock(mutex_);
  auto counted = std::pair(rule, std::string(service));
  if (connections_.size() >= kMostCounted && !connections_.contains(counted)) connections_.erase(connections_.begin());
  return ++connections_[std::move(counted)];
}

std::shared_ptr<const Rules> numbered(Rules rules, const Rules* before) {
  auto said = [](const RuleSettings& rule) {
    auto& m = rule.match;
    std::string key = policies::show(rule.plan);
    for (auto& service : m.services) key.append("\n").append(service);
    for (auto* part : {&m.method, &m.path, &m.host, &m.operation, &m.call_site, &m.test})
      key.append("\0", 1).append(*part);
    return key += m.opt_in ? "\1" : "";
  };
  std::unordered_map<std::string, Rules::Known> earlier;
  if (before)
    for (std::size_t i = 0; i < before->rules.size(); i++)
      earlier.try_emplace(said(before->rules[i]), before->known[i]);
  rules.numbers = before ? before->numbers : 0;
  rules.known.clear();
  for (std::uint32_t i = 0; i < rules.rules.size(); i++) {
    auto& rule = rules.rules[i];
    auto same = earlier.find(said(rule));
    rules.known.push_back(same != earlier.end() ? same->second
                                                : Rules::Known{rules.numbers++, std::make_shared<RuleCounts>()});
    if (rule.counts) rules.known.back().counts = rule.counts;
    if (rule.match.services.empty()) rules.anywhere.push_back(i);
    for (auto& service : rule.match.services) rules.naming[service].push_back(i);
    rules.strikes_connections |= policies::strikes_connections(rule.plan);
    for (auto& step : rule.plan.steps) {
      rules.strikes_requests |= !trace::is_pass(step.fault) && !trace::is_of_connection(step.fault);
      rules.keeps_responses |= trace::replays(step.fault);
    }
  }
  return std::make_shared<const Rules>(std::move(rules));
}

RuleDirector::RuleDirector(std::shared_ptr<const Rules> rules, SharedCalls& calls, const Clock& clock,
                           const Place& place)
    : calls_(calls), clock_(clock), place_(place) {
  follow(std::move(rules), place_.began);
}

void RuleDirector::follow(std::shared_ptr<const Rules> rules) { follow(std::move(rules), clock_.now()); }

void RuleDirector::follow(std::shared_ptr<const Rules> rules, Nanos now) {
  if (rules->known.size() != rules->rules.size()) rules = numbered(*rules, rules_.get());
  auto before = std::exchange(rules_, std::move(rules));
  std::unordered_map<std::size_t, InForce> earlier;
  for (std::size_t i = 0; i < in_force_.size(); i++) earlier.try_emplace(before->known[i].number, in_force_[i]);
  in_force_.clear();
  for (auto& [number, counts] : rules_->known) {
    if (auto same = earlier.find(number); same != earlier.end()) {
      in_force_.push_back(same->second);
    } else {
      policies::Dice dice{.seed = place_.seed, .rule = number * place_.loops + place_.loop};
      in_force_.push_back({.since = now, .dice = dice});
    }
  }
}

const trace::Profile& RuleDirector::profile_of(const trace::Exchange& head) const {
  auto it = rules_->profiles.find(head.service);
  auto* said = it == rules_->profiles.end() ? nullptr : trace::profile_named(it->second);
  return said ? *said : trace::profile_for(head);
}

bool RuleDirector::fits(std::size_t rule, const trace::Exchange& head) const {
  auto& match = rules_->rules[rule].match;
  return matches(match, head) && (match.operation.empty() || glob_matches(match.operation, operation_of(head)));
}

// Only rules that may fit the service are looked at: there may be thousands of others.
template <class Fits>
std::optional<std::size_t> RuleDirector::first_for(const trace::Exchange& head, Fits fits) const {
  static const std::vector<std::uint32_t> kNone;
  auto named = rules_->naming.find(head.service);
  auto& here = named == rules_->naming.end() ? kNone : named->second;
  auto& anywhere = rules_->anywhere;
  for (std::size_t i = 0, j = 0; i < here.size() || j < anywhere.size();) {
    bool is_here = j == anywhere.size() || (i < here.size() && here[i] < anywhere[j]);
    auto rule = is_here ? here[i++] : anywhere[j++];
    if (fits(rule)) return rule;
  }
  return {};
}

// Which of the rules fits may be said by the body, and so may what an error of the service looks like.
bool RuleDirector::awaits_body(const trace::Exchange& head) const {
  auto may_fit = [&](std::size_t rule) { return matches(rules_->rules[rule].match, head); };
  return profile_of(head).names_in_body(head) && first_for(head, may_fit) && !is_probe(head);
}

Decision RuleDirector::at_head(const trace::Exchange& head) {
  auto rule = first_for(head, [&](std::size_t one) { return fits(one, head); });
  if (rule && is_probe(head)) return {};
  return rule ? decide(*rule, head) : Decision{};
}

bool RuleDirector::may(std::size_t rule, std::string_view service) {
  auto& counts = *rules_->known[rule].counts;
  bool may = !place_.safety || place_.safety->take(service, place_.meters);
  (may ? counts.planned : counts.withheld).fetch_add(1, std::memory_order_relaxed);
  return may;
}

std::string RuleDirector::operation_of(const trace::Exchange& seen) const {
  trace::Exchange head = seen;
  head.profile = profile_of(head).name();
  return trace::operation_of(head);
}

Decision RuleDirector::decide(std::size_t at, const trace::Exchange& seen) {
  auto& rule = rules_->rules[at];
  auto& dice = in_force_[at].dice;
  auto elapsed = clock_.now() - in_force_[at].since;
  rules_->known[at].counts->matched.fetch_add(1, std::memory_order_relaxed);
  bool alike = every_attempt_alike(rule.plan);
  trace::FaultSpec fault;
  if (alike && trace::is_pass(fault = policies::choose(rule.plan, 1, elapsed, dice))) return {};

  trace::Exchange head = seen;
  auto& profile = profile_of(head);
  head.profile = profile.name();
  head.operation = trace::operation_of(head);
  Decision decision;
  decision.profile = head.profile;
  decision.operation = head.operation;
  if (!alike) {
    auto assigned = calls_.at_head(head);
    decision.call = assigned.call;
    decision.attempt = assigned.attempt;
    decision.confidence = assigned.confidence;
    fault = policies::choose(rule.plan, assigned.attempt, elapsed, dice);
    if (trace::is_pass(fault)) return decision;
  }
  if (!may(at, head.service)) return decision;
  planned_.emplace(head.id, rules_->known[at].counts);
  decision.fault_id = fmt::format("{}-{}", place_.run, head.id);
  if (trace::is_status(fault)) {
    fault.status = trace::status_told(fault, profile, head);
    bool known = head.profile != trace::kGeneric;
    decision.answer =
        trace::answer_of(fault, profile, head, "retrial-" + decision.fault_id, clock_.wall(),
                         known ? nullptr : trace::described_error(rules_->descriptions, head, fault.status));
  }
  decision.fault = fault;
  return decision;
}

// A connect comes before any request: of a rule's match only the service can be asked for.
ConnectDecision RuleDirector::at_connect(const Connecting& connecting) {
  if (!rules_->strikes_connections || !on()) return {};
  auto& rules = rules_->rules;
  for (std::size_t i = 0; i < rules.size(); i++) {
    auto& services = rules[i].match.services;
    if (!policies::strikes_connections(rules[i].plan)) continue;
    if (!services.empty() && std::find(services.begin(), services.end(), connecting.service) == services.end())
      continue;
    auto& [since, dice] = in_force_[i];
    auto nth = calls_.connection(rules_->known[i].number, connecting.service);
    auto fault = policies::choose(rules[i].plan, nth, connecting.at - since, dice, policies::Of::connections);
    return trace::is_pass(fault) || may(i, connecting.service) ? ConnectDecision{fault} : ConnectDecision{};
  }
  return {};
}

void RuleDirector::over(const trace::Exchange& exchange) {
  if (!trace::is_pass(exchange.fault)) {
    auto rule = planned_.extract(exchange.id);
    if (rule && exchange.fired) rule.mapped()->fired.fetch_add(1, std::memory_order_relaxed);
  }
  if (exchange.call != 0 && told_.erase(exchange.id) == 0) calls_.over(exchange);
}

void RuleDirector::firing(const trace::Exchange& exchange) {
  if (exchange.call == 0 || !trace::fails_at_once(exchange.fault)) return;
  auto known = exchange;
  known.fired = true;
  known.refused = trace::is_refusal(exchange.fault);
  known.told = clock_.now();
  known.ending = trace::is_status(exchange.fault) ? trace::Ending::answered : trace::Ending::reset;
  known.client_status = trace::is_status(exchange.fault) ? exchange.fault.status : 0;
  if (told_.insert(exchange.id).second) calls_.over(known);
}

}  // namespace retrial::proxy
