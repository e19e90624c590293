#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "oracles/evidence.h"
#include "oracles/ledger.h"
#include "oracles/members.h"
#include "oracles/other_state.h"
#include "oracles/repeat.h"
#include "oracles/silent_wrong_result.h"
#include "trace/profiles/message.h"
#include "trace/profiles/profile.h"

namespace retrial::oracles {
using trace::Confidence;

namespace {

bool told_already(const Judgement& judgement, Confidence least) {
  return std::ranges::any_of(judgement.findings, [&](auto& f) {
    auto* verdict = verdict_named(f.verdict);
    return verdict && verdict->severity == Severity::wrong_effect && f.confidence >= least;
  });
}

// What was possible, since no answer showed whether the service knows the repeat again, the look shows.
bool raise_duplicate(const trace::Call& call, const trace::Exchange& look, const OtherState& other,
                     Judgement& judgement) {
  auto it = std::ranges::find_if(judgement.findings, [&](auto& f) {
    return f.verdict == "duplicate-effect" && f.operation == call.operation && f.confidence == Confidence::possible;
  });
  if (it == judgement.findings.end()) return false;
  it->confidence = std::min(Confidence::likely, call.confidence);
  it->message += fmt::format(" {}, read when the command had ended, shows {}.", look.operation, other.text);
  it->evidence.push_back(look.id);
  return true;
}

// Or was told by a repeat of it that it had been done already, and may take that for somebody else's doing. What is
// removed is gone whoever did it.
bool met_own(const trace::Call& call) { return met_own_effect(call) && call.first().method != "DELETE"; }

// Or the service never heard of it, and of its kind as much was carried out in the end as without the fault: it was
// sent again with another content, which is another call to whoever reads the wire.
bool done_by_another(const trace::Comparison& c, const trace::Call& call) {
  if (trace::message::safe_method(call.first().method) || !kept_from_service(call)) return false;
  auto done = [&](const trace::Run& run, Nanos since) {
    return std::ranges::count_if(
        run.exchanges, [&](auto& e) { return had_effect(e) && e.begun >= since && e.operation == call.operation; });
  };
  return done(*c.in_case, call.last().told) > 0 && done(*c.in_case, 0) >= done(*c.reference, 0);
}

std::set<std::string> ids_in(const trace::Exchange& answer) {
  std::set<std::string> ids;
  for (auto& m : members_of(answer.response_sample))
    if (auto words = words_of_name(m.name); !words.empty() && words.back() == "id") ids.insert(m.value);
  return ids;
}

// What a queue gave in an answer that was lost is not in the next one: it gives it again when nobody has settled it.
bool gave_others(const trace::Call& call) {
  if (!trace::message::safe_method(call.first().method) && !takes_turns(call.first())) return false;
  auto given = ids_in(call.last());
  return std::ranges::any_of(call.attempts, [&](auto* e) {
    if (e == call.attempts.back() || !trace::carried_out(*e)) return false;
    auto lost = ids_in(*e);
    return !lost.empty() && std::ranges::none_of(lost, [&](auto& id) { return given.contains(id); });
  });
}

// What it gave in a lost answer, and what nobody has asked for since, is still there: "GET /queue" of "POST
// /queue/receive".
bool waits_in(const trace::Call& call, const trace::Exchange& look) {
  auto queue = trace::message::folder_of(trace::message::path_of(call.first().target));
  auto path = trace::message::path_of(look.target);
  return gave_others(call) && trace::message::segments(queue).size() > 0 && path.starts_with(queue) &&
         (path.size() == queue.size() || path[queue.size()] == '/');
}

// Of several that met a fault: what only reads leaves all as it is.
const trace::Call& changing(const trace::Comparison& c) {
  auto it = std::ranges::find_if(c.faulted, [](auto* call) { return !only_reads(call->first()); });
  return it == c.faulted.end() ? *c.faulted.front() : **it;
}

}  // namespace

// Without a control it is possible: a service that is not reset has more with every run, its list may be one of
// requests, and of more entries after a write duplicate-effect tells.
void judge_state_at_end(const ComparedCase& compared, const trace::Comparison& c, Judgement& judgement) {
  bool over = !c.faulted.empty() && std::ranges::all_of(c.faulted, [&](auto* call) {
    return trace::recovered(*call) || met_own(*call) || done_by_another(c, *call);
  });
  if (!compared.row->test.empty() || !over) return;
  if (told_already(judgement, compared.control ? Confidence::likely : Confidence::possible)) return;
  auto refused = std::ranges::find_if(c.faulted, [](auto* call) { return met_own(*call); });
  bool to_come = std::ranges::any_of(c.faulted, [](auto* call) { return gave_others(*call); });
  auto& call = refused == c.faulted.end() ? changing(c) : **refused;
  auto came = refused == c.faulted.end()
                  ? std::string(trace::recovered(call) ? "it was sent again and answered well"
                                                       : "another of its kind was then carried out in its place")
                  : fmt::format("its own effect was met when it was sent again ({})", show_error(call.last()));
  bool repeatable = trace::profile_of(call.first()).repeat(call.first()) != trace::Repeat::unknown;
  for (auto& is : c.in_case->exchanges) {
    if (!is_look(is)) continue;
    auto* was = same_look(*c.reference, is);
    auto* control = compared.control ? same_look(*compared.control, is) : nullptr;
    if (!was || !same_look(*c.in_case, is) || (compared.control && !control)) continue;
    auto other = other_state(*was, is, control);
    if (!other || (!control && other->more && !repeatable)) continue;
    if (to_come && (!other->more || std::ranges::any_of(c.faulted, [&](auto* one) { return waits_in(*one, is); })))
      continue;
    if (other->sure && other->more && raise_duplicate(call, is, *other, judgement)) return;
    auto doubt = other->sure ? "; without the fault once more, after all this, that was as before"
                             : " (unless it keeps what earlier runs left, or counts attempts)";
    judgement.findings.push_back(make_finding(
        compared, c, call, kSilentWrongResult,
        std::min(other->sure ? Confidence::likely : Confidence::possible, call.confidence),
        fmt::format("{}: {}, {}, and the command ended with status {}; {}, read when it had ended, then shows {}{}.",
                    call.operation, what_was_done(call, first_fired(call)), came, c.in_case->exit_code, is.operation,
                    other->text, doubt),
        "Look at what the retry repeats or leaves out: what the first attempt had done already, or had read."));
    return;
  }
}

}  // namespace retrial::oracles
