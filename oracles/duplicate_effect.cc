// Two attempts of one call, both executed; or a copy that was sent while the first was still waited for. Rainmaker
// (NSDI'23) 4.3, RFC 9110 9.2.2.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/sentence.h"
#include "oracles/evidence.h"
#include "oracles/exchange_members.h"
#include "oracles/ledger.h"
#include "oracles/members.h"
#include "oracles/other_state.h"
#include "oracles/registry.h"
#include "oracles/repeat.h"
#include "trace/profiles/message.h"
#include "trace/profiles/profile.h"

namespace retrial::oracles {
namespace {

constexpr Verdict kDuplicateEffect{
    .name = "duplicate-effect",
    .severity = Severity::wrong_effect,
    .of_outcome = true,
    .of_repeat = true,
    .title = "A call had its effect twice",
    .why =
        "The client sent a request again after its answer was lost, or after a later step had failed, and the "
        "service carried it out both times.",
    .remedy =
        "Send an idempotency key or a condition with it, make the operation idempotent, or do not retry it after a "
        "loss.",
};

constexpr std::uint64_t kBody = 3;  // bytes: less ("{}") is anybody's

class DuplicateEffect final : public Oracle {
 public:
  std::span<const Verdict> verdicts() const override { return {&kDuplicateEffect, 1}; }

  void judge(Cases cases, Judgement& judgement) const override {
    each_faulted(cases, [&](auto& compared, auto& c, auto& call) {
      if (looks_hold_as_much(c, call)) return;
      judge_call(compared, c, call, judgement);
      judge_copy(compared, c, call, judgement);
      judge_count(compared, c, call, judgement);
      judge_begun_anew(compared, c, call, judgement);
      judge_elsewhere(compared, c, call, judgement);
      judge_once_more(compared, c, call, judgement);
      judge_in_parts(compared, c, call, judgement);
    });
  }

 private:
  // A hedged copy is a call of its own to whoever reads the wire (of gRPC its header says what it is). One of many
  // alike that the reference does not have; where there is none, they may be many things alike.
  static void judge_copy(const ComparedCase& compared, const trace::Comparison& c, const trace::Call& call,
                         Judgement& judgement) {
    auto& one = call.first();
    if (!trace::carried_out(one) || one.request_digest == 0) return;
    for (auto& pair : c.pairs) {
      if (!pair.in_case || pair.in_case == &call || pair.reference) continue;
      auto& other = pair.in_case->first();
      bool same = other.request_digest == one.request_digest && other.operation == one.operation &&
                  other.target == one.target && other.service == one.service && other.pid == one.pid &&
                  (other.tag.site == one.tag.site || times_done(*c.reference, one) == 1);
      bool meanwhile = other.begun > one.begun && (one.told == 0 || other.begun < one.told);
      if (!same || !meanwhile || !trace::carried_out(other)) continue;
      auto harm = harm_of_repeat(c, call, one, other);
      if (!harm) continue;
      auto sure = c.reference->exchanges.empty() ? trace::Confidence::possible : harm->confidence;
      judgement.findings.push_back(make_finding(
          compared, c, call, kDuplicateEffect, sure,
          fmt::format("{} was asked for once and executed twice: {}, the client sent a copy of it {} after the first, "
                      "while it still waited for that, and the service answered {} to both.",
                      call.operation, what_was_done(call, 0), show_gap(other.begun - one.begun),
                      trace::status_of(other, other.service_status)),
          fmt::format("A right client sends copies only of what may be done twice, or with a key by which the service "
                      "knows them: {}.",
                      harm->why)));
      judgement.findings.back().evidence.push_back(other.id);
      return;
    }
  }

  // Read, changed and written again: to whoever reads the wire another request.
  static void judge_count(const ComparedCase& compared, const trace::Comparison& c, const trace::Call& call,
                          Judgement& judgement) {
    std::optional<CountedAgain> again;
    for (auto* before : call.attempts)
      if (!again) again = counted_again(c, *before);
    if (!again) return;
    judgement.findings.push_back(make_finding(
        compared, c, call, kDuplicateEffect, std::min(trace::Confidence::likely, call.confidence),
        fmt::format(
            "{} was asked for once and executed twice: {}, the client read the count again and set it anew: {}.",
            call.operation, what_was_done(call, first_fired(call)), again->how),
        "A right client sends the value that it had worked out before, or on a condition (If-Match), so that the step "
        "is done once."));
    judgement.findings.back().evidence.push_back(again->next->id);
  }

  // It was carried out, its client was told that it failed, and turned with the very same to another operation, which
  // carried it out too.
  static void judge_elsewhere(const ComparedCase& compared, const trace::Comparison& c, const trace::Call& call,
                              Judgement& judgement) {
    auto* lost = carried_out_and_lost(call);
    if (!lost) return;
    auto& one = *lost;
    if (one.request_digest == 0 || one.request_bytes < kBody) return;
    for (auto& pair : c.pairs) {
      if (!pair.in_case || pair.reference || pair.in_case == &call) continue;
      auto& other = pair.in_case->last();
      bool same = other.request_digest == one.request_digest && other.method == one.method && other.pid == one.pid;
      if (!same || other.operation == one.operation || other.begun < one.told || !had_effect(other) ||
          is_put_aside(other.target))
        continue;
      auto harm = harm_of_repeat(c, *pair.in_case, one, other);
      if (!harm) continue;
      bool one_service = other.service == one.service;
      judgement.findings.push_back(make_finding(
          compared, c, call, kDuplicateEffect,
          one_service ? std::min(harm->confidence, call.confidence) : trace::Confidence::possible,
          fmt::format("{} was carried out: {}. The very same was then sent to {}{}, and carried out there too: both "
                      "were answered {}.",
                      call.operation, what_was_done(call, first_fired(call)), other.operation,
                      one_service ? "" : fmt::format(" at {}", other.service),
                      trace::status_of(other, other.service_status)),
          "A right client sends a write that may have been done to nobody else, or looks first whether it was."));
      judgement.findings.back().evidence.push_back(other.id);
      return;
    }
  }

  // It was carried out, its client was told that it failed, and came to it once more by going back to the beginning of
  // several steps: to whoever reads the wire another call, which the reference does not have.
  static void judge_once_more(const ComparedCase& compared, const trace::Comparison& c, const trace::Call& call,
                              Judgement& judgement) {
    auto* lost = carried_out_and_lost(call);
    if (!lost || lost->request_digest == 0 || lost->request_bytes < kBody || takes_turns(*lost)) return;
    // Named anew it is known by all else that it holds, where nothing else in the reference holds that.
    bool renamed = times_done(*c.reference, *lost) == 0;
    auto same = [&](auto& e) {
      return had_effect(e) && (renamed ? same_but_for_name(e, *lost) : same_request(e, *lost));
    };
    auto usual = std::ranges::count_if(c.reference->exchanges, same);
    auto here = renamed + std::ranges::count_if(c.in_case->exchanges, same);
    if (usual == 0 || (renamed && usual > 1) || here <= usual || is_taken_back(c, *lost)) return;
    auto again = std::ranges::find_if(c.in_case->exchanges, [&](auto& e) {
      return e.begun >= lost->told && e.pid == lost->pid && e.tag.site == lost->tag.site && same(e) &&
             std::ranges::find(call.attempts, &e) == call.attempts.end();
    });
    if (again == c.in_case->exchanges.end()) return;
    auto harm = harm_of_repeat(c, call, *lost, *again);
    if (!harm) return;
    judgement.findings.push_back(make_finding(
        compared, c, call, kDuplicateEffect, harm->confidence,
        fmt::format("{} was carried out: {}. The client began anew, and {} was carried out again {} later: "
                    "both were answered {}.",
                    call.operation, what_was_done(call, first_fired(call)),
                    renamed ? "the same under another name" : "the very same", show_gap(again->begun - lost->told),
                    trace::status_of(*again, again->service_status)),
        fmt::format("A right client looks first whether it was done, or sends a key by which the service knows it "
                    "again: {}.",
                    harm->why)));
    judgement.findings.back().evidence.push_back(again->id);
  }
  static bool is_taken_back(const trace::Comparison& c, const trace::Exchange& one) {
    auto path = made_by(one);
    return !path.empty() && removal_of(*c.in_case, path, one.told, c.reference).how != Removal::never;
  }

  // A list was carried out, its client was told that it failed, and sent parts of it, which were carried out too.
  static void judge_in_parts(const ComparedCase& compared, const trace::Comparison& c, const trace::Call& call,
                             Judgement& judgement) {
    auto* lost = carried_out_and_lost(call);
    if (!lost) return;
    auto all = entries_sent(*lost);
    std::vector<const trace::Exchange*> parts;
    std::set<std::string> again;
    auto sure = std::min(trace::Confidence::likely, call.confidence);
    if (entries_have_names(*c.in_case, *lost)) sure = trace::Confidence::possible;
    for (auto& pair : c.pairs) {
      if (all.size() < 2 || !pair.in_case || pair.reference || pair.in_case == &call) continue;
      auto& other = pair.in_case->last();
      auto entries = entries_sent(other);
      bool part = !entries.empty() && entries.size() < all.size() && std::ranges::includes(all, entries);
      if (!part || other.operation != lost->operation || other.pid != lost->pid || other.begun < lost->told ||
          !had_effect(other) || !harm_of_repeat(c, *pair.in_case, *lost, other))
        continue;
      parts.push_back(&other);
      again.insert(entries.begin(), entries.end());
    }
    if (parts.empty()) return;
    judgement.findings.push_back(make_finding(
        compared, c, call, kDuplicateEffect, sure,
        fmt::format("{} was carried out: {}. {} of its {} entries were then sent again, in {}, and answered {}{}.",
                    call.operation, what_was_done(call, first_fired(call)), again.size(), all.size(),
                    counted(parts.size(), "part"), trace::status_of(*parts.front(), parts.front()->service_status),
                    sure == trace::Confidence::possible
                        ? "; whether the service knows each by its id its answers do not show"
                        : ""),
        "A right client parts a list only where the service has said that it is too long: after a loss it sends the "
        "same again, with a key, or looks what was taken."));
    for (auto* e : parts) judgement.findings.back().evidence.push_back(e->id);
  }
  static const trace::Exchange* carried_out_and_lost(const trace::Call& call) {
    auto lost =
        std::ranges::find_if(call.attempts, [](auto* e) { return trace::carried_out(*e) && trace::told_failed(*e); });
    return lost == call.attempts.end() || trace::recovered(call) ? nullptr : *lost;
  }

  // What had been done before this call failed is done again: whoever sends again goes back to the beginning of
  // several steps, or of a batch. To whoever reads the wire another request, which the reference does not have.
  static void judge_begun_anew(const ComparedCase& compared, const trace::Comparison& c, const trace::Call& failed,
                               Judgement& judgement) {
    auto failure = std::ranges::find_if(failed.attempts, [](auto* e) { return e->fired && trace::told_failed(*e); });
    if (failure == failed.attempts.end()) return;
    auto& fault = **failure;
    for (auto& pair : c.pairs) {
      if (!pair.in_case || pair.in_case == &failed) continue;
      // What stands in its place without the fault may be the batch's next part: they are paired by their order.
      if (pair.reference && same_request(pair.reference->first(), pair.in_case->first())) continue;
      auto done = std::ranges::find_if(pair.in_case->attempts, [](auto* e) { return had_effect(*e); });
      if (done == pair.in_case->attempts.end()) continue;
      auto& other = **done;
      if (other.begun < fault.told || other.pid != fault.pid || takes_turns(other)) continue;
      auto* one = done_before(c, other, fault);
      if (!one) continue;
      auto harm = harm_of_repeat(c, *pair.in_case, *one, other);
      if (!harm) continue;
      judgement.findings.push_back(make_finding(
          compared, c, failed, kDuplicateEffect, harm->confidence,
          fmt::format("{} was carried out once, then {} failed ({}), and the client began anew with what it had done: "
                      "{} was carried out again {} later, and both were answered {}.",
                      one->operation, failed.operation, what_was_done(failed, first_fired(failed)), one->operation,
                      show_gap(other.begun - fault.told), trace::status_of(other, other.service_status)),
          fmt::format("A right client sends again what has failed, and goes on from there: {}.", harm->why)));
      judgement.findings.back().evidence.push_back(one->id);
      judgement.findings.back().evidence.push_back(other.id);
      return;
    }
  }
  // The same request, carried out and told so before that failure, once more often than in the reference, and not taken
  // back in between.
  static const trace::Exchange* done_before(const trace::Comparison& c, const trace::Exchange& other,
                                            const trace::Exchange& failure) {
    auto usual = times_done(*c.reference, other);
    if (other.request_digest == 0 || usual == 0 || times_done(*c.in_case, other) <= usual) return nullptr;
    const trace::Exchange* one = nullptr;
    for (auto& e : c.in_case->exchanges)
      if (e.told && e.told <= failure.begun && e.pid == other.pid && e.tag.site == other.tag.site && had_effect(e) &&
          !e.fired && same_request(e, other))
        one = &e;
    return one && !is_taken_back(c, *one) ? one : nullptr;
  }
  static void judge_call(const ComparedCase& compared, const trace::Comparison& c, const trace::Call& call,
                         Judgement& judgement) {
    std::size_t one = call.attempts.size();
    for (std::size_t i = 0; i < call.attempts.size(); i++) {
      auto& e = *call.attempts[i];
      if (!trace::carried_out(e)) continue;
      if (one == call.attempts.size()) {
        if (!trace::told_failed(e))
          return;  // its client was told of the success: what follows is no attempt of this call
        one = i;
        continue;
      }
      auto& before = *call.attempts[one];
      if (!follows(before, e)) return;
      auto harm = harm_of_repeat(c, call, before, e);
      if (!harm) return;
      judgement.findings.push_back(make_finding(
          compared, c, call, kDuplicateEffect, harm->confidence,
          fmt::format("{} {}.", message(call, one, i), sentence(harm->why)),
          "A right client tells its caller of the loss, or sends the same key with each attempt, by which the service "
          "knows the request again."));
      return;
    }
  }

  static std::string message(const trace::Call& call, std::size_t one, std::size_t other) {
    auto &a = *call.attempts[one], &b = *call.attempts[other];
    std::size_t times = 0;
    for (auto* e : call.attempts) times += trace::carried_out(*e) && (e == &a || e == &b || !called_a_repeat(*e));
    auto how_often = times == 2 ? std::string("twice") : fmt::format("{} times", times);
    auto statuses = a.service_status == b.service_status
                        ? fmt::format("both were answered {}", trace::status_of(a, a.service_status))
                        : fmt::format("they were answered {} and {}", trace::status_of(a, a.service_status),
                                      trace::status_of(b, b.service_status));
    // What the fault itself cut was begun, and its client was told of no end.
    bool cut = cut_in_answer(a) && a.ending != trace::Ending::answered;
    if (cut)
      statuses =
          fmt::format("the second was answered {} where the first was cut", trace::status_of(b, b.service_status));
    auto& profile = trace::profile_of(a);
    auto left = profile.effect(a), right = profile.effect(b);
    auto shown = !left.empty() && !right.empty() && left != right
                     ? fmt::format(" ({} and {})", shorten(left, 60), shorten(right, 60))
                     : "";
    return fmt::format("{} was asked for once and executed {}: {}, the client sent it again after {}, and {}{}.",
                       call.operation, how_often, what_was_done(call, one), show_gap(b.begun - a.told), statuses,
                       shown);
  }
};

}  // namespace

const Oracle& duplicate_effect() {
  static const DuplicateEffect oracle;
  return oracle;
}

}  // namespace retrial::oracles
