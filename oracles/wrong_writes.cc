// silent-wrong-result in a test that passes: by what was written after a read that failed, or taken for whole.
#include <fmt/format.h>

#include <algorithm>

#include "oracles/evidence.h"
#include "oracles/failed_read.h"
#include "oracles/ledger.h"
#include "oracles/members.h"
#include "oracles/pages.h"
#include "oracles/read_twice.h"
#include "oracles/repeat.h"
#include "oracles/rpc_name.h"
#include "oracles/silent_wrong_result.h"
#include "oracles/taken_for_data.h"
#include "oracles/written_after.h"
#include "trace/calls/operation.h"
#include "trace/fault_table.h"
#include "trace/profiles/message.h"
#include "trace/profiles/profile.h"
#include "trace/status.h"

namespace retrial::oracles {
using trace::Call;
using trace::Comparison;
using trace::Confidence;

namespace {

std::string given_up(const Call& call) {
  auto attempts = call.attempts.size();
  return attempts == 1 ? "it was not asked for again" : fmt::format("it was given up after {} attempts", attempts);
}

// The same, or in another way than ever without the fault. The next page is another thing, and so is what a POST asks
// for by another body.
bool asked_again(const Comparison& c, const trace::Exchange& after) {
  auto same = [](auto& a, auto& b) {
    return trace::target_key(a.target) == trace::target_key(b.target) && a.request_digest == b.request_digest;
  };
  auto usual = [&](auto& e) {
    return std::ranges::any_of(c.reference->exchanges,
                               [&](auto& r) { return r.operation == e.operation && same(r, e); });
  };
  return std::ranges::any_of(c.in_case->exchanges, [&](auto& e) {
    bool there = !is_look(e) && e.begun >= after.told && e.service == after.service && e.operation == after.operation &&
                 trace::message::path_of(e.target) == trace::message::path_of(after.target);
    return there && (same(e, after) || !usual(e));
  });
}

// Of a POST and of an RPC by its name, or by the stream of answers that one request has without the fault.
bool is_read(const Comparison& c, const Call& call) {
  auto* beside = counterpart(c, call);
  bool streams = beside && beside->last().grpc.requests == 1 && beside->last().grpc.responses > 1;
  return only_reads(call.first()) || rpc_reads(call.first()) || streams;
}

// The fault refused to say what is there: no word on whether it is.
bool refused_to_say(const trace::Exchange& e) {
  if (!e.fired || !is_status(e.fault)) return false;
  if (trace::is_grpc(e.client_status)) {
    auto code = trace::grpc_code_of(e.client_status);
    return code == trace::grpc_code::invalid_argument || code == trace::grpc_code::permission_denied ||
           code == trace::grpc_code::unauthenticated;
  }
  return e.client_status == 400 || e.client_status == 401 || e.client_status == 403;
}

struct Written {
  const Call* call = nullptr;
  std::string how;
};
Written written_after(const ComparedCase& compared, const Comparison& c, const Call& read) {
  constexpr int kKept = 3;
  if (auto wait = ended_by_failure(compared, c, read); wait.write)
    return {wait.write, fmt::format("made as if the wait were over: without the fault {} is asked {} times until its "
                                    "answer is another",
                                    read.operation, wait.looks)};
  if (auto swept = swept_after(compared, c, read); swept.first)
    return {swept.first, fmt::format("made of {} that {} kept without the fault",
                                     swept.things == 1 ? "a thing" : fmt::format("{} things", swept.things),
                                     swept.things == 1 ? "is" : "are")};
  auto less = written_with_less(c, read);
  if (less.mostly || less.of_read || less.writes >= kKept)
    return {less.first, fmt::format("made {} without data that it has else",
                                    less.writes == 1 ? "once" : fmt::format("{} times", less.writes))};
  if (auto* other = written_with_other(c, read)) return {other, "made with another value than it reads there else"};
  if (auto* for_it = written_for_it(compared, c, read))
    return {for_it, "made of what was asked about, as it is not without the fault"};
  return {};
}

// Its caller may have been told, and the test not have looked: possible.
void judge_unmade(const ComparedCase& compared, const Comparison& c, const Call& call, Judgement& judgement) {
  auto unmade = given_as_answer(compared, call) ? Unmade() : not_written(compared, c, call);
  if (!unmade.first) return;
  judgement.findings.push_back(make_finding(
      compared, c, call, kSilentWrongResult, Confidence::possible,
      fmt::format("{}: {}, {}, and all ended well; of what it tells else {} is made {}, here "
                  "it was not made at all.",
                  call.operation, what_was_done(call, first_fired(call)), given_up(call), unmade.first->operation,
                  unmade.writes == 1 ? "once" : fmt::format("{} times", unmade.writes)),
      "A right client tells its caller of the failure: it takes none for a list that holds nothing."));
}

// Of all that the reference does next nothing is done: its caller has been told, or so it looks.
bool stopped_at(const Comparison& c, const Call& call) {
  auto* beside = counterpart(c, call);
  bool usual = false;
  for (auto& pair : c.pairs) {
    if (!beside || !pair.reference || pair.reference->first().begun < beside->last().told) continue;
    if (pair.in_case) return false;
    usual = true;
  }
  return usual;
}

// A file or a stream that was cut short, and the test passed on its first part. A command may have said so.
void judge_cut(const ComparedCase& compared, const Comparison& c, const Call& call, Judgement& judgement) {
  bool command = compared.row->test.empty();
  if (!cut_short(c, call) || asked_again(c, call.last()) || (!command && stopped_at(c, call))) return;
  judgement.findings.push_back(make_finding(
      compared, c, call, kSilentWrongResult,
      std::min(command ? Confidence::possible : Confidence::likely, call.confidence),
      fmt::format("{}: {}, {}, and {} on what had come.", call.operation, what_was_done(call, first_fired(call)),
                  given_up(call), command ? "the command ended with status 0" : "the test passed"),
      call.first().grpc.is
          ? "A right client reads a stream to its status, and tells its caller or goes on from there if that is not "
            "OK."
          : "A right client holds what it has read against the length that it was told (RFC 9112 8), and tells its "
            "caller or asks again."));
}

// The failure passed, and what had been read before it stands in what is written twice.
bool judge_counted_twice(const ComparedCase& compared, const Comparison& c, const Call& call, Judgement& judgement) {
  auto twice = counted_twice(c, call);
  if (!twice) twice = counted_with_part(c, call);
  if (!twice) return false;
  judgement.findings.push_back(make_finding(
      compared, c, call, kSilentWrongResult, std::min(Confidence::likely, twice->write->confidence),
      fmt::format("{}: {}, then {}, and {} was made with {}: what had come before the failure is in it twice.",
                  call.operation, what_was_done(call, first_fired(call)), twice->again, twice->write->operation,
                  twice->how),
      "A right client that begins anew drops what it had read, or goes on where it failed (that page, a cursor, "
      "Range)."));
  return true;
}

// A list whose next page could not be read, and the test passed on the pages before. A command may have said so.
bool judge_walk(const ComparedCase& compared, const Comparison& c, const Call& call, Judgement& judgement) {
  if (given_as_answer(compared, call)) return false;
  bool past = walk_went_past(c, call);
  if (!past && !walk_ended_at(c, call)) return false;
  bool command = compared.row->test.empty();
  auto sure = command ? Confidence::possible : Confidence::likely;
  judgement.findings.push_back(
      make_finding(compared, c, call, kSilentWrongResult, std::min(sure, call.confidence),
                   fmt::format("{}: {} {}, {}, and {} on what it had.", call.operation,
                               past ? "of this page" : "more was to come after the page before, of this one",
                               what_was_done(call, first_fired(call)),
                               past ? "later ones were asked for and it was not again" : given_up(call),
                               command ? "the command ended with status 0" : "the test passed"),
                   kWholeList));
  return true;
}

}  // namespace

// All ended well, and what was written afterwards is another for what could not be read. Who may do without it leaves
// out a part, and looks for it again the next time.
void judge_what_came_after(const ComparedCase& compared, const Comparison& c, Judgement& judgement) {
  auto& test = test_of(compared, c);
  if (!came_to_its_end(c, test) || trace::result_of(*c.in_case, test)->outcome != "passed") return;
  if (expected_by_test(compared, c)) return;
  for (auto* call : c.faulted) {
    if (judge_counted_twice(compared, c, *call, judgement)) return;
    if (trace::recovered(*call)) continue;
    judge_cut(compared, c, *call, judgement);
    if (!is_read(c, *call)) continue;
    if (auto* write = error_written_as_data(c, *call)) {
      judgement.findings.push_back(make_finding(
          compared, c, *call, kSilentWrongResult, std::min(Confidence::likely, write->confidence),
          fmt::format("{}: {}, {}, and {} was then made with the body of that error where data should be: the answer "
                      "was read without a look at its status.",
                      call->operation, what_was_done(*call, first_fired(*call)), given_up(*call), write->operation),
          "A right client looks at the status before it reads an answer, and tells its caller of an error."));
      return;
    }
    bool no_answer = may_pass(call->last()) || trace::says_service_failed(call->last().client_status) ||
                     refused_to_say(call->last());
    if (!no_answer) continue;
    bool again = asked_again(c, call->last());
    auto [write, how] = again ? Written{} : written_after(compared, c, *call);
    if (!write) {
      write = put_over(compared, c, *call);
      how = "made over what is there, which without the fault stays as it is";
    }
    if (!write && again) continue;
    if (!write && judge_walk(compared, c, *call, judgement)) return;
    if (!write) {
      judge_unmade(compared, c, *call, judgement);
      continue;
    }
    judgement.findings.push_back(make_finding(
        compared, c, *call, kSilentWrongResult, std::min(Confidence::likely, write->confidence),
        fmt::format("{}: {}, {}, and {} was then {}.", call->operation, what_was_done(*call, first_fired(*call)),
                    given_up(*call), write->operation, how),
        "A right client tells its caller of the failure, or asks again before it writes: it keeps no answer that it "
        "has not got."));
    return;
  }
  judge_state_at_end(compared, c, judgement);
}

}  // namespace retrial::oracles
