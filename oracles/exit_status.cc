// unrelated-exception of a command that says by its status alone that it failed.
#include <fmt/format.h>

#include <algorithm>

#include "oracles/evidence.h"
#include "oracles/ledger.h"
#include "oracles/unrelated_exception.h"
#include "trace/profiles/message.h"

namespace retrial::oracles {
namespace {

// 400 to the very same that was a good request the first time: what it hands in can be used once ("invalid_grant").
bool used_up(const trace::Call& call) {
  constexpr int kBadRequest = 400;
  auto& last = call.last();
  return !last.fired && last.service_status == kBadRequest && last.request_digest != 0 &&
         std::ranges::any_of(call.attempts, [&](auto* a) {
           return a->fired && trace::told_failed(*a) && trace::carried_out(*a) &&
                  a->request_digest == last.request_digest && a->target == last.target;
         });
}

// Another call ended in its fault, and was not done: of that the status may speak.
bool another_failed(const trace::Comparison& c, const trace::Call& call) {
  return std::ranges::any_of(c.faulted, [&](auto* other) {
    return other != &call && trace::told_failed(other->last()) && !met_own_effect(*other) && !used_up(*other);
  });
}

// It went on to another turn of what it does, and in the end has done less than without the fault: of that its status
// may speak.
bool left_more_undone(const trace::Comparison& c, const trace::Call& call) {
  bool turns = std::ranges::any_of(c.in_case->exchanges, [&](auto& later) {
    return later.begun >= call.last().told && !is_look(later) && later.pid == call.first().pid &&
           std::ranges::any_of(c.in_case->exchanges, [&](auto& e) {
             return e.begun < call.first().begun && e.operation == later.operation && e.pid == later.pid;
           });
  });
  auto done = [](const std::vector<trace::Call>& calls, const std::string& operation) {
    return std::ranges::count_if(calls, [&](auto& k) {
      return k.operation == operation && std::ranges::any_of(k.attempts, [](auto* e) { return had_effect(*e); });
    });
  };
  return turns && std::ranges::any_of(c.reference_calls, [&](auto& k) {
           return done(c.case_calls, k.operation) < done(c.reference_calls, k.operation);
         });
}

}  // namespace

void judge_exit_status(const ComparedCase& compared, const trace::Comparison& c, Judgement& judgement) {
  auto &run = *c.in_case, &usual = *c.reference;
  bool failed = run.stop == trace::Stop::exited && run.exit_code != 0;
  bool well = usual.stop == trace::Stop::exited && usual.exit_code == 0 && !usual.exchanges.empty();
  if (!compared.row->test.empty() || !failed || !well) return;
  for (auto& error : new_errors(c)) {
    auto& call = *error.call;
    auto& e = *error.exchange;
    // It asked, or got what it wanted in another way: with what it had not used up yet.
    bool looked = std::ranges::any_of(run.exchanges, [&](auto& later) {
      bool another = later.operation == e.operation && later.request_digest != e.request_digest && later.pid == e.pid &&
                     trace::carried_out(later);
      return later.begun >= e.told && !is_look(later) && (trace::message::safe_method(later.method) || another);
    });
    if ((!met_own_effect(call) && !used_up(call)) || looked || &call.last() != &e) continue;
    if (another_failed(c, call) || left_more_undone(c, call)) continue;
    judgement.findings.push_back(make_finding(
        compared, c, call, kUnrelatedException, std::min(trace::Confidence::likely, call.confidence),
        fmt::format("{}: {}, the {} attempt was answered {} by the service itself, and the command ended with status "
                    "{}. The call had succeeded the first time, and its caller is told that it failed.",
                    call.operation, what_was_done(call, first_fired(call)),
                    ordinal(static_cast<std::size_t>(e.attempt)), show_error(e), run.exit_code),
        kLook));
    return;
  }
}

}  // namespace retrial::oracles
