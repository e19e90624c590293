#include <gtest/gtest.h>

#include <algorithm>

#include "oracles/evidence.h"
#include "oracles/service_words.h"
#include "tests/oracles/runs.h"
#include "trace/fault_name.h"

// The oracles on RPCs.
namespace retrial::oracles {
namespace {
namespace code = trace::grpc_code;
using trace::Ending;
using trace::Telling;

constexpr const char* kGrant = "/etcdserverpb.Lease/LeaseGrant";
constexpr const char* kRange = "/etcdserverpb.KV/Range";
constexpr const char* kPlace = "/shop.Orders/Place";
// LeaseGrant{TTL: 60}, without an id of the client's.
const std::string kGrantMessage("\0\0\0\0\x02\x08\x3c", 7);

Trial trial(const char* path, std::string plan) {
  Trial t("P3", std::move(plan));
  t.reference.rpc("put", path).answers(200);
  t.reference.last().request_sample = kGrantMessage;
  t.in_case().rpc("put", path);
  t.in_case().last().request_sample = kGrantMessage;
  return t;
}
Tale& again(Trial& t, Nanos gap) {
  auto& tale = t.in_case().again(gap);
  tale.last().request_sample = kGrantMessage;
  return tale;
}

TEST(GrpcOracles, a_call_with_an_effect_that_was_lost_and_sent_again_is_certain) {
  auto t = trial(kGrant, "lost-response(reset) x 1, then pass");
  t.in_case().is_lost(Telling::reset, 200);
  again(t, 50 * kMillisecond).answers(200);
  EXPECT_EQ(t.verdicts(), "duplicate-effect certain");
  EXPECT_NE(t.judge().findings[0].message.find("both were answered OK"), std::string::npos)
      << t.judge().findings[0].message;
}

TEST(GrpcOracles,
     of_a_method_that_nobody_knows_it_is_possible_where_gRPC_was_not_told_to_retry_it_and_of_a_safe_one_right) {
  auto unknown = trial(kPlace, "stall x 1, then pass");
  unknown.in_case().is_held().client_leaves(kSecond);
  again(unknown, 50 * kMillisecond).answers(200);
  EXPECT_EQ(unknown.verdicts(), "") << "a service config says that it may be retried";
  unknown.in_case().last().grpc.previous = 0;
  EXPECT_EQ(unknown.verdicts(), "retries-non-idempotent possible");
  auto message = unknown.judge().findings[0].message, advice = unknown.judge().findings[0].advice;
  EXPECT_NE(advice.find("nothing is known of this method"), std::string::npos) << advice;
  EXPECT_NE(message.find("was answered OK"), std::string::npos) << message;
  unknown.reference.last().grpc.streams = unknown.in_case().run().exchanges[0].grpc.streams = true;
  unknown.in_case().run().exchanges[0].request_digest = 7;
  EXPECT_FALSE(unknown.verdicts().contains("non-idempotent")) << "it asks for what is left of the stream";
  auto safe = trial(kRange, "stall x 1, then pass");
  safe.in_case().is_held().client_leaves(kSecond);
  again(safe, 50 * kMillisecond).answers(200);
  EXPECT_EQ(safe.verdicts(), "");
}

TEST(GrpcOracles, another_key_for_each_attempt_harms_neither_a_read_nor_what_the_service_answers_alike) {
  auto keyed = [](const char* path, std::string answer) {
    Trial t("P1", "lost-response(error(504)) x 1, then pass");
    auto says = [&](Tale& tale, const std::string& text) { tale.last().response_sample = text; };
    auto key = [&](Tale& tale, const char* value) {
      tale.last().request_headers.push_back({"idempotency-key", value});
    };
    key(t.reference.rpc("put", path), "0b51a8c2");
    t.reference.answers(200);
    says(t.reference, std::string("\0\0\0\0\x07\x0a\x05V-101", 12));
    key(t.in_case().rpc("put", path), "7f02c91d");
    t.in_case().is_lost(Telling::error, 200);
    says(t.in_case(), std::string("\0\0\0\0\x07\x0a\x05V-101", 12));
    t.in_case().again(50 * kMillisecond).last().request_headers.back().value = "99d1e3aa";
    t.in_case().answers(200);
    says(t.in_case(), answer);
    return t.verdicts();
  };
  const std::string first("\0\0\0\0\x07\x0a\x05V-101", 12), second("\0\0\0\0\x07\x0a\x05V-102", 12);
  EXPECT_EQ(keyed("/port.Harbour/GetVisit", first), "");
  EXPECT_EQ(keyed("/port.Harbour/Announce", first), "changed-on-retry likely");
  EXPECT_EQ(keyed("/port.Harbour/Announce", second), "duplicate-effect likely, changed-on-retry likely");
}

TEST(GrpcOracles, what_gRPC_sends_again_by_itself_is_no_bug_however_fast) {
  auto t = trial(kGrant, "goaway x 1, then pass");
  t.in_case().is_refused();
  again(t, 0).answers(200);
  EXPECT_EQ(t.verdicts(), "");
  auto reset = trial(kGrant, "rst-stream(cancel, after-request) x 1, then pass");
  reset.in_case().is_reset();
  again(reset, 0).answers(200);
  EXPECT_EQ(reset.verdicts(), "retries-non-idempotent certain") << "nobody said that it was not executed";
}

TEST(GrpcOracles, retries_at_once_are_missing_delay_but_not_those_below_the_client_or_told_by_the_service) {
  auto t = trial(kRange, "grpc-status(UNAVAILABLE)");
  t.in_case().gets_status(code::unavailable);
  for (int i = 0; i < 7; i++) again(t, kMillisecond).gets_status(code::unavailable);
  EXPECT_EQ(t.verdicts(), "missing-delay likely");
  EXPECT_NE(t.judge().findings[0].message.find("while it was answered UNAVAILABLE"), std::string::npos);

  auto unseen = trial(kRange, "grpc-status(UNAVAILABLE)");
  unseen.in_case().gets_status(code::unavailable);
  for (int i = 0; i < 7; i++) {
    again(unseen, (i + 1) * 500 * kMillisecond).is_refused();
    again(unseen, 0).gets_status(code::unavailable);
  }
  EXPECT_EQ(unseen.verdicts(), "");

  auto pushed = trial(kRange, "grpc-status(UNAVAILABLE, pushback=0ms)");
  pushed.in_case().gets_status(code::unavailable, 0);
  for (int i = 0; i < 7; i++) again(pushed, 0).gets_status(code::unavailable, 0);
  EXPECT_EQ(pushed.verdicts(), "");
}

TEST(GrpcOracles, a_pushback_that_is_kept_is_right_and_one_that_is_not_is_certain_of_a_library) {
  auto kept = trial(kRange, "grpc-status(UNAVAILABLE, pushback=200ms) x 1, then pass");
  kept.in_case().gets_status(code::unavailable, 200);
  again(kept, 199 * kMillisecond).answers(200);
  EXPECT_EQ(kept.verdicts(), "");

  auto early = trial(kRange, "grpc-status(UNAVAILABLE, pushback=200ms) x 1, then pass");
  early.in_case().gets_status(code::unavailable, 200);
  again(early, 150 * kMillisecond).answers(200);
  EXPECT_EQ(early.verdicts(), "ignores-retry-after certain");
  EXPECT_NE(early.judge().findings[0].message.find("answered UNAVAILABLE with grpc-retry-pushback-ms: 200, and "
                                                   "was sent again after 150 ms"),
            std::string::npos)
      << early.judge().findings[0].message;
  early.in_case().last().grpc.previous = 0;
  EXPECT_EQ(early.verdicts(), "ignores-retry-after likely") << "a loop of the application's own";
}

TEST(GrpcOracles, a_negative_pushback_says_not_to_retry) {
  auto t = trial(kRange, "grpc-status(UNAVAILABLE, pushback=never) x 1, then pass");
  t.in_case().gets_status(code::unavailable, -1);
  again(t, 10 * kSecond).answers(200);
  EXPECT_EQ(t.verdicts(), "ignores-retry-after certain");
  auto heeded = trial(kRange, "grpc-status(UNAVAILABLE, pushback=never) x 1, then pass");
  heeded.in_case().gets_status(code::unavailable, -1);
  EXPECT_TRUE(heeded.judge().notes.empty()) << "nor is it not-retried-transient";
}

TEST(GrpcOracles, copies_on_purpose_are_a_note_and_no_bug) {
  auto t = trial(kGrant, "stall x 1, then pass");
  t.in_case().is_held().waits(50 * kMillisecond);
  again(t, 0).answers(200);
  t.in_case().ends(1, Ending::client_left, 0, 0);
  EXPECT_EQ(t.verdicts(), "note hedging certain");
  EXPECT_NE(t.judge().notes[0].message.find("1 of its 2 attempts were sent while an earlier one was still open"),
            std::string::npos);
}

TEST(GrpcOracles, copies_of_a_call_with_an_effect_that_were_both_executed_are_told) {
  auto t = trial(kGrant, "delay(500ms) x 1, then pass");
  t.in_case().is_delayed().waits(50 * kMillisecond);
  again(t, 0).answers(200);
  t.in_case().ends(1, Ending::client_left, 200, 0);
  EXPECT_EQ(t.verdicts(), "retries-non-idempotent certain, note hedging certain");
  EXPECT_NE(t.judge().findings[0].message.find("the service executed both the first and the second"),
            std::string::npos);
  auto safe = trial(kRange, "delay(500ms) x 1, then pass");
  safe.in_case().is_delayed().waits(50 * kMillisecond);
  again(safe, 0).answers(200);
  safe.in_case().ends(1, Ending::client_left, 200, 0);
  EXPECT_EQ(safe.verdicts(), "note hedging certain");
}

Trial held(Nanos timeout, bool streams = false) {
  Trial t("P2", "stall");
  t.reference.rpc("get", kRange, timeout).answers(200);
  t.reference.last().grpc.streams = streams;
  t.in_case().rpc("get", kRange, timeout).is_held().waits(t.hold).stops(trace::Stop::held);
  return t;
}

TEST(GrpcOracles, a_call_without_a_deadline_that_waits_is_likely_and_with_one_right) {
  EXPECT_EQ(held(0).verdicts(), "missing-timeout likely");
  EXPECT_NE(held(0).judge().findings[0].message.find("carries no deadline (grpc-timeout)"), std::string::npos);
  EXPECT_EQ(held(60 * kSecond).verdicts(), "") << "it would have ended it, a little later";
}

TEST(GrpcOracles, a_stream_without_a_deadline_may_stay_open) {
  auto t = held(0, true);
  EXPECT_EQ(t.verdicts(), "");
  EXPECT_EQ(t.why_not(), "a streaming call without a deadline may stay open for as long as it likes");
  auto watch = held(0);
  watch.reference.last().aborted = trace::Exchange::Aborted::by_client;
  watch.reference.last().ending = Ending::client_left;
  EXPECT_EQ(watch.verdicts(), "") << "its client ended it when it had seen enough";
}

std::string notes(Trial& t) {
  std::string out;
  for (auto& note : t.judge().notes) out += (out.empty() ? "" : ", ") + note.verdict;
  return out;
}

TEST(GrpcOracles, what_passes_and_may_be_repeated_is_noted_where_it_was_not) {
  auto t = trial(kRange, "grpc-status(UNAVAILABLE)");
  t.in_case().gets_status(code::unavailable);
  EXPECT_EQ(notes(t), "not-retried-transient");
  EXPECT_NE(t.judge().notes[0].message.find("was answered UNAVAILABLE and not sent again"), std::string::npos);
  for (int other : {code::aborted, code::internal, code::unknown, code::deadline_exceeded, code::failed_precondition,
                    code::resource_exhausted, code::cancelled, code::data_loss}) {
    auto u = trial(kRange, "grpc-status(X)");
    u.in_case().gets_status(other);
    EXPECT_EQ(notes(u), "") << other;
  }
  auto exhausted = trial(kRange, "grpc-status(RESOURCE_EXHAUSTED, pushback=10ms)");
  exhausted.in_case().gets_status(code::resource_exhausted, 10);
  EXPECT_EQ(notes(exhausted), "not-retried-transient");
  auto effect = trial(kGrant, "grpc-status(UNAVAILABLE)");
  effect.in_case().gets_status(code::unavailable);
  EXPECT_EQ(notes(effect), "");
}

TEST(GrpcOracles, a_status_after_the_head_is_committed_and_rightly_not_retried) {
  auto t = trial(kRange, "late-status(UNAVAILABLE)");
  t.in_case().gets_status(code::unavailable);
  t.in_case().last().fault.name = trace::FaultName::late_status;
  EXPECT_EQ(notes(t), "");
}

TEST(GrpcOracles, a_call_that_is_let_go_after_others_were_retried_tells_of_a_budget) {
  auto t = trial(kRange, "grpc-status(UNAVAILABLE)");
  t.in_case().gets_status(code::unavailable);
  again(t, 50 * kMillisecond).gets_status(code::unavailable);
  t.in_case().rpc("get", "/etcdserverpb.KV/DeleteRange").gets_status(code::unavailable);
  auto all = t.judge().notes;
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].verdict, "retry-budget");
  EXPECT_EQ(all[0].confidence, trace::Confidence::likely);
  EXPECT_NE(all[0].message.find("1 call of this process had been sent again by then, after 2 failures"),
            std::string::npos)
      << all[0].message;
}

TEST(GrpcOracles, an_error_of_the_services_own_that_reaches_the_caller_is_found_by_its_code_and_message) {
  auto t = trial("/etcdserverpb.KV/Txn", "lost-response(reset) x 1, then pass");
  t.in_case().is_lost(Telling::reset, 200);
  again(t, 50 * kMillisecond).answers(trace::kGrpcStatus + code::failed_precondition);
  t.in_case().last().grpc.message = "etcdserver: duplicate key given in txn request";
  t.in_case().fails(
      {thrown("grpc._channel._InactiveRpcError", "status = StatusCode.FAILED_PRECONDITION details = \"\"")});
  EXPECT_EQ(t.verdicts(), "unrelated-exception certain");
  EXPECT_NE(t.judge().findings[0].message.find("was answered FAILED_PRECONDITION by the service itself"),
            std::string::npos);
  t.in_case().run().results.clear();
  t.in_case().fails({thrown("EtcdError", "etcdserver: duplicate key given in txn request")});
  EXPECT_EQ(t.verdicts(), "unrelated-exception certain");
}

TEST(GrpcOracles, the_fault_is_named_by_its_status_as_any_client_names_it) {
  for (auto text : {"status = StatusCode.PERMISSION_DENIED", "7 PERMISSION_DENIED: no",
                    "rpc error: code = PermissionDenied desc = no", "status: PermissionDenied, message: \"no\"",
                    "Status(StatusCode=\"PermissionDenied\", Detail=\"no\")"})
    EXPECT_TRUE(names(text, trace::kGrpcStatus + code::permission_denied, {})) << text;
  for (auto text : {"permission denied", "XPERMISSION_DENIED_Y", "status 7", "2007"})
    EXPECT_FALSE(names(text, trace::kGrpcStatus + code::permission_denied, {})) << text;
  EXPECT_TRUE(names("rpc error: code = Canceled desc = x", trace::kGrpcStatus + code::cancelled, {}));
}

TEST(GrpcOracles, what_was_done_to_a_stream_is_said_in_words) {
  auto said = [](trace::FaultSpec fault, int status = 0) {
    auto t = trial(kRange, "x");
    auto& e = t.in_case().last();
    e.fired = true;
    e.fault = fault;
    e.client_status = status;
    e.evidence = "evidence";
    auto calls = trace::calls_of(t.in_case().run());
    return what_was_done(calls[0], 0);
  };
  using trace::FaultName;
  EXPECT_EQ(said({.name = FaultName::rst_stream}), "the first attempt's stream was read and then reset (evidence)");
  EXPECT_EQ(said({.name = FaultName::goaway}), "the first attempt was turned away, and never executed (evidence)");
  EXPECT_EQ(said({.name = FaultName::late_status, .status = 2013}, 2013),
            "the first response had begun, and ended with INTERNAL by the fault (evidence)");
  EXPECT_EQ(said({.name = FaultName::slow_trailers}), "the first attempt was delayed (evidence)");
  EXPECT_EQ(said({.name = FaultName::error, .status = 2014}, 2014),
            "the first attempt was answered UNAVAILABLE by the fault, before the service heard of it");
}

// --- What the service did decides, by messages whose fields have numbers alone ---

std::string message(std::string fields) {
  return std::string("\0\0\0\0", 4) + static_cast<char>(fields.size()) + fields;
}
std::string text(int field, std::string_view value) {
  return std::string{static_cast<char>(field << 3 | 2), static_cast<char>(value.size())} + std::string(value);
}
std::string number(int field, char value) { return std::string{static_cast<char>(field << 3), value}; }

struct Answers {
  std::string request, first, second;
  std::string usual = {};  // in the reference; that of the first where it is empty
  std::string request_again = {}, usual_request = {};
  const char* path = kPlace;
};
Trial repeated(const Answers& a) {
  Trial t;
  t.reference.rpc("put", a.path).answers(200, a.usual.empty() ? a.first : a.usual);
  t.reference.last().request_sample = a.usual_request.empty() ? a.request : a.usual_request;
  if (!a.usual_request.empty()) t.reference.last().request_digest = 70;
  t.in_case().rpc("put", a.path).is_lost(Telling::reset, 200, a.first);
  t.in_case().last().request_sample = a.request;
  t.in_case().again(50 * kMillisecond).answers(200, a.second);
  t.in_case().last().grpc.previous = 0;
  t.in_case().last().request_sample = a.request_again.empty() ? a.request : a.request_again;
  if (!a.request_again.empty()) t.in_case().last().request_digest = 78;
  t.in_case().passes();
  return t;
}
const std::string kAsked = message(text(1, "ada") + number(2, 3));

TEST(GrpcOracles, two_answers_that_name_two_results_are_two_effects) {
  auto t = repeated({kAsked, message(text(1, "ord-1")), message(text(1, "ord-2"))});
  EXPECT_EQ(t.verdicts(), "duplicate-effect likely");
  auto said = t.judge().findings.at(0).message;
  EXPECT_NE(said.find("The two answers differ: field 1 is \"ord-1\" and \"ord-2\""), std::string::npos) << said;
  EXPECT_EQ(
      repeated({kAsked, message(number(1, 5)), message(number(1, 10)), {}, {}, {}, "/shop.Counter/Bump"}).verdicts(),
      "duplicate-effect likely");
  EXPECT_EQ(repeated({kAsked, message(number(2, 1)), message(""), {}, {}, {}, "/shop.Counter/Bump"}).verdicts(),
            "duplicate-effect possible")
      << "an answer without a byte proves nothing";
}

TEST(GrpcOracles, two_answers_that_are_the_same_are_one_effect_or_none) {
  auto same = message(text(1, "ord-1"));
  EXPECT_EQ(repeated({kAsked, same, same}).verdicts(), "");
  auto keyed = repeated({kAsked, same, same, {}, {}, message(text(1, "bob"))});
  EXPECT_EQ(keyed.verdicts(), "") << "the reference sent another key, and began from the same state";
  auto level = message(text(1, "ada") + number(2, 7));
  EXPECT_EQ(repeated({kAsked, level, level, {}, {}, {}, "/shop.Stock/Level"}).verdicts(), "");
  EXPECT_EQ(repeated({kAsked, level, level, {}, {}, {}, "/shop.Stock/Get"}).verdicts(), "");
  EXPECT_EQ(repeated({kAsked, {}, {}}).verdicts(), "duplicate-effect possible") << "no bytes";
  auto empty = message("");
  EXPECT_EQ(repeated({kAsked, empty, empty}).verdicts(), "duplicate-effect possible") << "an empty message";
}

TEST(GrpcOracles, a_short_answer_tells_of_one_effect_where_it_has_more_values_than_ways_to_go) {
  auto short_id = [](std::size_t others) {
    auto same = message(text(1, "r1"));
    auto t = repeated({kAsked, same, same});
    for (std::size_t i = 0; i < others; i++) {
      t.reference.rpc("other", kPlace).answers(200, message(text(1, "r" + std::to_string(i + 2))));
      t.reference.last().request_digest = 90 + i;
    }
    return t.verdicts();
  };
  EXPECT_EQ(short_id(2), "duplicate-effect possible");
  EXPECT_EQ(short_id(3), "");
}

TEST(GrpcOracles, an_answer_that_everybody_gets_or_that_gives_back_what_was_sent_proves_nothing) {
  EXPECT_EQ(repeated({kAsked, kAsked, kAsked}).verdicts(), "duplicate-effect possible");
  auto done = message(number(1, 1));
  EXPECT_EQ(repeated({kAsked, done, done}).verdicts(), "duplicate-effect possible");
  auto word = message(text(1, "accepted"));
  auto t = repeated({kAsked, word, word});
  t.reference.rpc("other", kPlace).answers(200, word);
  t.reference.last().request_digest = 99;
  EXPECT_EQ(t.verdicts(), "duplicate-effect possible");
}

TEST(GrpcOracles, what_differs_from_run_to_run_says_nothing_of_a_read_nor_a_time_of_anything) {
  auto at = [](char seconds) {  // a Timestamp in field 2
    auto inner = std::string("\x08\x80\x80\x80\xc8", 5) + std::string{'\x06'} + std::string("\x10", 1) + seconds;
    return message(text(1, "ord-1") + text(2, inner));
  };
  EXPECT_EQ(repeated({kAsked, at(3), at(4)}).verdicts(), "duplicate-effect likely")
      << "nanoseconds of no more than a digit are no time";
  auto moved = [](const char* time) { return message(text(1, "ord-1") + text(2, time)); };
  EXPECT_EQ(repeated({kAsked, moved("2026-11-28T06:45:34Z"), moved("2026-11-28T06:45:36Z")}).verdicts(),
            "duplicate-effect possible");
  EXPECT_EQ(repeated({kAsked,
                      message(text(1, "x-771")),
                      message(text(1, "x-812")),
                      message(text(1, "x-101")),
                      {},
                      {},
                      "/shop.Stock/Level"})
                .verdicts(),
            "duplicate-effect possible");
  EXPECT_EQ(
      repeated({kAsked, message(text(1, "x-771")), message(text(1, "x-812")), message(text(1, "x-101"))}).verdicts(),
      "duplicate-effect likely")
      << "of a method that makes something they are ids";
  EXPECT_EQ(
      repeated({kAsked, message(text(1, "a")), message(text(1, "b")), {}, {}, {}, "/shop.Stock/GetLevel"}).verdicts(),
      "")
      << "what is read may have moved on";
  EXPECT_EQ(
      repeated({kAsked, message(number(3, 4)), message(number(3, 5)), {}, {}, {}, "/shop.Admin/SetLimit"}).verdicts(),
      "")
      << "a version";
}

TEST(GrpcOracles, what_says_how_something_is_to_be_and_what_gives_up_may_be_done_again) {
  auto empty = message("");
  for (auto* path :
       {"/shop.Admin/SetLimit", "/shop.Stock/PutSpecies", "/shop.Stock/ReleaseAisle", "/shop.Jobs/AckTask"})
    EXPECT_EQ(repeated({kAsked, empty, empty, {}, {}, {}, path}).verdicts(), "") << path;
  EXPECT_EQ(repeated({kAsked, message(text(1, "ord-1")), message(text(1, "ord-2")), {}, {}, {}, "/shop.Admin/PutOrder"})
                .verdicts(),
            "duplicate-effect likely")
      << "the answers show two";
}

TEST(GrpcOracles, what_is_gone_for_the_second_was_done_once) {
  auto t = repeated({kAsked, message(""), message(""), {}, {}, {}, "/shop.Orders/Remove"});
  auto& second = t.in_case().last();
  second.service_status = second.client_status = trace::kGrpcStatus + code::not_found;
  EXPECT_EQ(t.verdicts(), "");
}

TEST(GrpcOracles, a_name_made_up_for_each_attempt_lets_no_service_know_it_again) {
  auto asked = [](const char* key) { return message(text(1, "ada") + text(3, key)); };
  constexpr auto kOne = "856bfb70-fc9f-4918-a6df-623b682241fe", kOther = "9a71576a-1e41-404e-858e-1fb76ad724cc",
                 kUsual = "c6ae4bd1-0031-4709-a837-a73e8382ed80";
  auto t = repeated({asked(kOne), {}, {}, {}, asked(kOther), asked(kUsual)});
  for (auto& e : t.in_case().run().exchanges) e.confidence = trace::Confidence::possible;
  EXPECT_EQ(t.verdicts(), "duplicate-effect likely") << "asked for once there without the fault: it is one call";
  auto said = t.judge().findings.at(0).message;
  EXPECT_NE(said.find("Each attempt has another \"field 3\""), std::string::npos) << said;
  auto same = repeated({asked(kOne), {}, {}, {}, {}, asked(kUsual)});
  EXPECT_EQ(same.verdicts(), "duplicate-effect possible");
  EXPECT_NE(same.judge().findings.at(0).message.find("by its \"field 3\""), std::string::npos);
}

// --- What one method takes and its counterpart gives up ---

// In the reference taken, looked at and given up; in the case the look fails, and `then`.
Trial held(const char* takes, const char* gives, const char* in = "restack") {
  Trial t("P3", "error(transient)");
  auto lease = message(text(1, "ls-1"));
  auto step = [&](Tale& tale, const char* path, int line, std::string request) -> Tale& {
    tale.rpc(in, path);
    tale.last().tag.site->line = line;
    tale.last().request_sample = std::move(request);
    return tale;
  };
  step(t.reference, takes, 85, message(text(1, "aisle-7"))).answers(200, lease);
  step(t.reference, "/shop.Stock/Level", 87, message(text(1, "sku"))).answers(200);
  step(t.reference, gives, 88, message(text(1, "ls-1"))).answers(200, message(""));
  step(t.in_case(), takes, 85, message(text(1, "aisle-7"))).answers(200, lease);
  step(t.in_case(), "/shop.Stock/Level", 87, message(text(1, "sku"))).gets_status(code::unavailable);
  return t;
}

TEST(GrpcOracles, what_is_taken_and_not_given_up_after_the_fault_is_left_behind) {
  auto t = held("/shop.Stock/AcquireAisle", "/shop.Stock/ReleaseAisle");
  t.in_case().fails({thrown("grpc.RpcError", "UNAVAILABLE")});
  EXPECT_EQ(t.verdicts(), "resource-leak likely");
  auto message_of = t.judge().findings.at(0).message;
  EXPECT_NE(
      message_of.find("/shop.Stock/AcquireAisle took \"ls-1\"; of /shop.Stock/Level the first attempt was answered "
                      "UNAVAILABLE by the fault"),
      std::string::npos)
      << message_of;
  for (auto [takes, gives] : {std::pair{"/a.B/Lock", "/a.B/Unlock"},
                              {"/a.B/BeginTx", "/a.B/RollbackTx"},
                              {"/a.B/LeaseGrant", "/a.B/LeaseRevoke"},
                              {"/a.B/CreateJob", "/a.B/CancelJob"}}) {
    auto other = held(takes, gives);
    other.in_case().fails({thrown("grpc.RpcError", "UNAVAILABLE")});
    EXPECT_EQ(other.verdicts(), "resource-leak likely") << takes;
  }
}

TEST(GrpcOracles, what_is_given_up_all_the_same_or_is_of_another_noun_is_not_left_behind) {
  auto given = held("/shop.Stock/AcquireAisle", "/shop.Stock/ReleaseAisle");
  given.in_case().rpc("restack", "/shop.Stock/ReleaseAisle").answers(200, message(""));
  given.in_case().last().request_sample = message(text(1, "ls-1"));
  given.in_case().fails({thrown("grpc.RpcError", "UNAVAILABLE")});
  EXPECT_EQ(given.verdicts(), "");
  for (auto [takes, gives] : {std::pair{"/a.B/CreateOrder", "/a.B/CancelTrip"},
                              {"/a.B/Acquire", "/a.C/Release"},
                              {"/a.B/GetAisle", "/a.B/PutAisle"}}) {
    auto t = held(takes, gives);
    t.in_case().fails({thrown("grpc.RpcError", "UNAVAILABLE")});
    EXPECT_EQ(t.verdicts(), "") << takes;
  }
}

TEST(GrpcOracles, bytes_of_a_message_never_stand_in_a_finding) {
  auto t = repeated({message(text(1, "bolt") + number(2, 7)), {}, {}, {}, message(text(1, "bolt") + number(2, 9))});
  t.in_case().passes();
  auto all = t.judge().findings;
  auto it = std::ranges::find(all, "changed-on-retry", &trace::Finding::verdict);
  ASSERT_NE(it, all.end());
  EXPECT_NE(it->message.find("field 2 of the message went from 7 to 9"), std::string::npos) << it->message;
}

TEST(GrpcOracles, a_test_that_passes_on_the_first_part_of_a_stream_is_likely_unless_the_stream_has_no_end) {
  auto cut = [](std::uint64_t responses, trace::Ending ending, bool again) {
    auto t = trial("/shop.Orders/ListRows", "close(in-body) x 1, then pass");
    t.reference.last().grpc.responses = responses;
    t.reference.last().ending = ending;
    t.in_case().is_lost(Telling::close, 200);
    t.in_case().last().fault = {.name = trace::FaultName::close, .point = trace::Point::in_body};
    if (again) t.in_case().rpc("later", "/shop.Orders/ListRows").answers(200);
    t.in_case().passes();
    return t.verdicts();
  };
  using enum trace::Ending;
  EXPECT_EQ(cut(3, answered, false), "silent-wrong-result likely");
  EXPECT_EQ(cut(3, client_left, false), "") << "who watches leaves when he has seen enough";
  EXPECT_EQ(cut(1, answered, false), "");
  EXPECT_EQ(cut(3, answered, true), "") << "it goes on from there";
}

TEST(GrpcOracles, of_a_stream_that_the_fault_cut_no_good_answer_is_told) {
  auto t = trial(kGrant, "close(in-body) x 1, then pass");
  t.in_case().is_lost(Telling::close, 200);
  t.in_case().last().fault = {.name = trace::FaultName::close, .point = trace::Point::in_body};
  again(t, 50 * kMillisecond).answers(200);
  auto all = t.judge().findings;
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all[0].message.find("both were answered"), std::string::npos) << all[0].message;
  EXPECT_NE(all[0].message.find("the second was answered OK where the first was cut"), std::string::npos)
      << all[0].message;
}

}  // namespace
}  // namespace retrial::oracles
