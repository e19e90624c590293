#include "campaign/workload/director.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "trace/calls/operation.h"
#include "trace/profiles/fault_answer.h"
#include "trace/profiles/profile.h"

namespace retrial::campaign {

CampaignDirector::CampaignDirector(trace::Run& run, Events& events, std::optional<Aim> aim, std::string only_test,
                                   trace::Lessons lessons)
    : run_(run),
      events_(events),
      aim_(std::move(aim)),
      only_test_(std::move(only_test)),
      lessons_(std::move(lessons)),
      correlator_(lessons_),
      services_(lessons_.services),
      dice_{.seed = aim_ ? aim_->seed : 0} {}

proxy::Decision CampaignDirector::at_head(const trace::Exchange& seen) {
  events_.read_into(run_);
  trace::Exchange head = seen;
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
  decision.profile = head.profile;
  decision.operation = head.operation;
  decision.call = assigned.call;
  decision.attempt = assigned.attempt;
  decision.confidence = assigned.confidence;
  if (!aim_ || !aimed_at(head, service, assigned)) return decision;

  target_attempts_ = std::max(target_attempts_, assigned.attempt);
  auto elapsed = head.begun - run_.began;
  auto fault = policies::choose(aim_->plan, assigned.attempt, elapsed, dice_);
  if (trace::is_pass(fault)) return decision;
  decision.fault_id = fmt::format("{}-{}", run_.id, head.id);
  if (trace::is_status(fault)) {
    auto* shape = trace::profile_named(errors_as_);
    if (!fault.status) fault.status = profile.transient_status(head);
    decision.answer = trace::answer_of(fault, shape ? *shape : profile, head, "retrial-" + decision.fault_id,
                                       run_.wall_began + elapsed);
  }
  decision.fault = fault;
  return decision;
}

const trace::Profile& CampaignDirector::profile_of(const trace::Exchange& head) const {
  auto it = profiles_.find(head.service);
  auto* said = it == profiles_.end() ? nullptr : trace::profile_named(it->second);
  return said ? *said : trace::profile_for(head);
}

// A call is chosen at its first attempt, and stays chosen.
bool CampaignDirector::aimed_at(const trace::Exchange& head, const std::string& service,
                                const trace::Assignment& assigned) {
  if (aimed_.contains(assigned.call)) return true;
  if (assigned.attempt != 1) return false;
  if (auto& target = aim_->target) {
    if (head.tag.test != target->test || head.operation != target->operation || service != target->service ||
        head.tag.site != target->site || (head.tag.phase != trace::Phase::test && head.tag.phase != trace::Phase::none))
      return false;
    if (++occurrence_ != target->occurrence) return false;
  }
  aimed_.insert(assigned.call);
  return true;
}

// A connect comes before any tag: the target's service, while its test runs.
proxy::ConnectDecision CampaignDirector::at_connect(const proxy::Connecting& connecting) {
  if (!aim_ || !policies::strikes_connections(aim_->plan)) return {};
  events_.read_into(run_);
  if (auto& target = aim_->target) {
    auto test = events_.current(connecting.pid).test;
    if (test.empty()) test = only_test_;
    if (test != target->test || services_.at_connect(test, connecting.service, connecting.at) != target->service)
      return {};
  }
  auto nth = ++connections_[{connecting.pid, std::string(connecting.service)}];
  return {policies::choose(aim_->plan, nth, connecting.at - run_.began, dice_, policies::Of::connections)};
}

bool CampaignDirector::keeps_responses() const {
  return aim_ && std::any_of(aim_->plan.steps.begin(), aim_->plan.steps.end(),
                             [](auto& step) { return trace::replays(step.fault); });
}

void CampaignDirector::over(const trace::Exchange& exchange) { correlator_.over(exchange); }

}  // namespace retrial::campaign
