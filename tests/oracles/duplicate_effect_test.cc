#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/oracles/runs.h"
#include "trace/fault_name.h"

namespace retrial::oracles {
namespace {
using trace::Confidence;
using trace::Telling;

const std::vector<trace::Header> kAzure = {{"x-ms-version", "2025-11-05"}, {"x-ms-client-request-id", "11"}};

std::string message_answer(std::string id) {
  return "<?xml version=\"1.0\"?><QueueMessagesList><QueueMessage><MessageId>" + id +
         "</MessageId></QueueMessage></QueueMessagesList>";
}

Trial send_message(Telling telling) {
  Trial t;
  t.reference.call("submit", "POST", "/acc/jobs/messages", kAzure, "azure-storage").answers(201, message_answer("a0"));
  t.in_case()
      .call("submit", "POST", "/acc/jobs/messages", kAzure, "azure-storage")
      .is_lost(telling, 201, message_answer("a1"));
  t.in_case().again(3'200'000).answers(201, message_answer("a2")).passes();
  return t;
}

Tale& send_list(Tale& tale, const char* body) {
  tale.call("submit", "POST", "/readings/bulk");
  tale.last().request_sample = body;
  tale.last().request_digest = std::hash<std::string_view>()(body);
  tale.last().request_bytes = std::string_view(body).size();
  return tale;
}

TEST(DuplicateEffect, a_list_that_was_carried_out_and_is_then_sent_in_halves_is_done_twice) {
  auto verdicts = [](const char* first, const char* second) {
    Trial t;
    constexpr auto kAll = R"({"readings":[{"m":"a","kwh":1},{"m":"a","kwh":2},{"m":"b","kwh":1}]})";
    send_list(t.reference, kAll).answers(200, R"({"accepted":3})");
    send_list(t.in_case(), kAll).is_lost(Telling::reset, 200, R"({"accepted":3})");
    t.in_case().waits(kMillisecond);
    send_list(t.in_case(), first).answers(200, R"({"accepted":1})");
    send_list(t.in_case(), second).answers(200, R"({"accepted":2})").passes();
    return t.verdicts();
  };
  EXPECT_EQ(verdicts(R"({"readings":[{"m":"a","kwh":1}]})", R"({"readings":[{"m":"a","kwh":2},{"m":"b","kwh":1}]})"),
            "duplicate-effect likely");
  EXPECT_EQ(verdicts(R"({"readings":[{"m":"c","kwh":1}]})", R"({"readings":[{"m":"c","kwh":2}]})"), "") << "others";
}

// A batch in parts, of which the second fails: it is paired, by order, with what comes third without the fault.
TEST(DuplicateEffect, a_part_that_was_done_before_the_next_one_failed_is_done_twice_where_all_begins_anew) {
  constexpr const char* kParts[] = {R"([{"k":"a","by":1}])", R"([{"k":"b","by":2}])", R"([{"k":"c","by":3}])"};
  auto verdicts = [&](std::size_t from) {
    Trial t("K1", "error(503) x 1, then pass");
    for (auto* part : kParts) send_list(t.reference, part).answers(200, R"({"applied":1})");
    send_list(t.in_case(), kParts[0]).answers(200, R"({"applied":1})");
    send_list(t.in_case(), kParts[1]).gets_error();
    t.in_case().waits(400 * kMillisecond);
    for (auto i = from; i < std::size(kParts); i++) send_list(t.in_case(), kParts[i]).answers(200, R"({"applied":1})");
    t.in_case().passes();
    return t.verdicts();
  };
  EXPECT_TRUE(verdicts(0).contains("duplicate-effect")) << verdicts(0);
  EXPECT_EQ(verdicts(1), "") << "it goes on with what has failed";
}

TEST(DuplicateEffect, a_list_that_is_empty_when_it_is_sent_again_has_no_second_effect) {
  Trial t;
  send_list(t.reference, R"({"points":[{"at":1},{"at":2}]})").answers(202, R"({"accepted":2})");
  send_list(t.in_case(), R"({"points":[{"at":1},{"at":2}]})").is_lost(Telling::reset, 202, R"({"accepted":2})");
  t.in_case().again(300'000);
  t.in_case().last().request_sample = R"({"points":[]})";
  t.in_case().last().request_digest = 7;
  t.in_case().answers(202, R"({"accepted":0})").passes();
  EXPECT_EQ(t.verdicts(), "changed-on-retry likely");
}

TEST(DuplicateEffect, what_is_next_is_asked_for_again_and_may_have_been_taken) {
  auto asked = [](const char* target, const char* second) {
    Trial t;
    constexpr auto kMessage = R"({"message":{"id":"m-1"}})";
    t.reference.call("turn", "POST", target).answers(200, kMessage);
    t.in_case().call("turn", "POST", target).is_lost(Telling::reset, 200, kMessage);
    t.in_case().again(300'000).answers(200, second).passes();
    return t.verdicts();
  };
  EXPECT_EQ(asked("/queue/receive", R"({"message":null,"in_flight":1})"), "duplicate-effect possible");
  EXPECT_EQ(asked("/queue/receive", R"({"message":{"id":"m-2"}})"), "duplicate-effect possible");
  EXPECT_EQ(asked("/queue/messages", R"({"message":null,"in_flight":1})"), "duplicate-effect likely");
}

TEST(DuplicateEffect, what_says_how_much_it_takes_takes_it_once_more) {
  auto took = [](const char* body) {
    Trial t;
    t.reference.call("take", "POST", "/stock/bolt/take").answers(200, R"({"sku":"bolt","left":36})");
    t.in_case().call("take", "POST", "/stock/bolt/take").last().request_sample = body;
    t.in_case().is_lost(Telling::reset, 200, R"({"sku":"bolt","left":36})");
    t.in_case().again(300'000).last().request_sample = body;
    t.in_case().answers(200, R"({"sku":"bolt","left":32})").passes();
    return t.verdicts();
  };
  EXPECT_EQ(took(R"({"qty":4})"), "duplicate-effect likely");
  EXPECT_EQ(took(R"({"max":4})"), "duplicate-effect possible");
}

TEST(DuplicateEffect, what_the_service_calls_a_repeat_was_not_carried_out_once_more) {
  for (bool known : {true, false}) {
    Trial t;
    t.reference.call("pay", "POST", "/payments").answers(201, R"({"id":1})");
    t.in_case().call("pay", "POST", "/payments").is_lost(Telling::reset, 201, R"({"id":2})");
    t.in_case().again(300'000).is_lost(Telling::reset, 201, R"({"id":3})");
    t.in_case().again(300'000).answers(201, known ? R"({"id":3,"replayed":true})" : R"({"id":4})").passes();
    auto message = t.judge().findings.at(0).message;
    EXPECT_NE(message.find(known ? "executed twice" : "executed 3 times"), message.npos) << message;
  }
}

TEST(DuplicateEffect, what_was_lost_and_is_come_to_once_more_from_the_beginning_is_done_twice) {
  auto import = [](Tale& tale) -> Tale& {
    tale.call("sales", "GET", "/sales").answers(200, R"([{"ref":"r1"}])");
    return send_list(tale, R"({"ref":"r1"})");
  };
  for (bool anew : {true, false}) {
    Trial t;
    import(t.reference).answers(201, R"({"id":1})");
    import(t.in_case()).is_lost(Telling::reset, 201, R"({"id":1})");
    t.in_case().waits(kMillisecond);
    if (anew) import(t.in_case()).answers(201, R"({"id":2})");
    t.in_case().passes();
    EXPECT_EQ(t.verdicts(), anew ? "duplicate-effect likely" : "");
    if (!anew) continue;
    auto message = t.judge().findings[0].message;
    EXPECT_NE(message.find("The client began anew, and the very same was carried out again"), message.npos) << message;
  }
}

TEST(DuplicateEffect, what_was_lost_and_is_sent_again_under_a_name_of_its_own_is_done_twice) {
  auto publish = [](Tale& tale, char id, const char* order) -> Tale& {
    tale.call("publish", "POST", "/hooks/crm");
    tale.last().request_sample =
        fmt::format(R"({{"id":"{}","time":"{}","data":{{"order":"{}"}}}})", std::string(36, id), id, order);
    tale.last().request_digest = static_cast<std::uint64_t>(id);
    tale.last().request_bytes = tale.last().request_sample.size();
    return tale;
  };
  auto verdicts = [&](char second, const char* order, const char* usually = "o-2",
                      const char* answer = R"({"accepted":true})") {
    Trial t;
    publish(t.reference, 'a', "o-1").answers(202, answer);
    publish(t.reference, 'b', usually).answers(202, answer);
    publish(t.in_case(), 'c', "o-1").is_lost(Telling::reset, 202, answer);
    publish(t.in_case(), 'd', usually).answers(202, answer);
    t.in_case().waits(kSecond);
    publish(t.in_case(), second, order).answers(202, second == 'c' ? R"({"duplicate":true})" : answer).passes();
    return t.verdicts();
  };
  EXPECT_EQ(verdicts('e', "o-1"), "duplicate-effect likely");
  EXPECT_FALSE(verdicts('c', "o-1").contains("likely")) << "the same name";
  EXPECT_FALSE(verdicts('e', "o-3").contains("duplicate-effect")) << "another thing";
  EXPECT_FALSE(verdicts('e', "o-1", "o-1").contains("duplicate-effect")) << "it comes several times without the fault";
}

TEST(DuplicateEffect, parts_of_a_list_whose_entries_have_ids_may_be_known_again) {
  auto verdicts = [](const char* answer) {
    Trial t;
    constexpr auto kAll = R"({"items":[{"id":"m-0","kwh":1},{"id":"m-1","kwh":2}]})";
    send_list(t.reference, kAll).answers(202, R"({"accepted":2,"known":0})");
    send_list(t.in_case(), kAll).is_lost(Telling::reset, 202, R"({"accepted":2,"known":0})");
    t.in_case().waits(kMillisecond);
    send_list(t.in_case(), R"({"items":[{"id":"m-1","kwh":2}]})").answers(202, answer).passes();
    return t.verdicts();
  };
  EXPECT_EQ(verdicts(R"({"accepted":0,"known":1})"), "");
  EXPECT_EQ(verdicts(R"({"done":true})"), "duplicate-effect possible");
}

TEST(DuplicateEffect, what_was_carried_out_and_is_then_sent_to_another_operation_is_done_twice) {
  auto verdicts = [](const char* second, const char* body, const char* answer = R"({"refill":"R6"})",
                     bool usual = false) {
    Trial t;
    t.reference.call("refill", "POST", "/v2/refills").answers(201, R"({"refill":"R4"})");
    if (usual) t.reference.call("refill", "POST", second).answers(201, answer);
    t.in_case().call("refill", "POST", "/v2/refills");
    t.in_case().last().request_sample = body;
    t.in_case().last().request_digest = 77, t.in_case().last().request_bytes = 20;
    t.in_case().is_lost(Telling::reset, 201, R"({"refill":"R5"})");
    t.in_case().waits(kMillisecond).call("refill", "POST", second);
    t.in_case().last().request_sample = body;
    t.in_case().last().request_digest = 77, t.in_case().last().request_bytes = 20;
    t.in_case().answers(201, answer).passes();
    return t.verdicts();
  };
  constexpr auto kBody = R"({"pet":"p-7","drug":"d"})";
  EXPECT_EQ(verdicts("/v1/refills", kBody), "duplicate-effect likely");
  EXPECT_EQ(verdicts("/v1/refills", R"({"pet":"p-7","request_id":"8f0c2f6e91b44f0e"})", R"({"ok":true})"),
            "duplicate-effect possible");
  EXPECT_EQ(verdicts("/dead-letters", kBody), "") << "it is put aside";
  EXPECT_EQ(verdicts("/v1/refills", kBody, R"({"refill":"R6"})", true), "") << "it does so without the fault";
}

TEST(DuplicateEffect, a_message_sent_again_after_its_response_was_lost_is_in_the_queue_twice) {
  auto t = send_message(Telling::reset);
  auto judgement = t.judge();
  ASSERT_EQ(judgement.findings.size(), 1u);
  auto& f = judgement.findings[0];
  EXPECT_EQ(f.verdict, "duplicate-effect");
  EXPECT_EQ(f.confidence, Confidence::certain);
  EXPECT_EQ(f.attempts, 2);
  EXPECT_EQ(f.evidence, (std::vector<std::uint64_t>{1, 2}));
  ASSERT_EQ(f.gaps_ms.size(), 1u);
  EXPECT_DOUBLE_EQ(f.gaps_ms[0], 3.2);
  EXPECT_NE(f.message.find(
                "was asked for once and executed twice: the first response was lost (RST after 312 response bytes were "
                "withheld), the client sent it "
                "again after 3.2 ms, and both were answered 201 (a1 and a2)"),
            std::string::npos)
      << f.message;
}

TEST(DuplicateEffect, it_does_not_matter_how_the_client_was_told_of_the_loss) {
  for (auto telling : {Telling::reset, Telling::close, Telling::error})
    EXPECT_EQ(send_message(telling).verdicts(), "duplicate-effect certain");
}

TEST(DuplicateEffect, a_client_that_gave_up_waiting_and_sent_it_again_did_it_twice) {
  Trial t("P2", "lost-response(stall)");
  t.reference.call("submit", "POST", "/acc/jobs/messages", kAzure, "azure-storage").answers(201);
  t.in_case()
      .call("submit", "POST", "/acc/jobs/messages", kAzure, "azure-storage")
      .is_lost(Telling::stall, 201)
      .client_leaves(5 * kSecond);
  t.in_case().again(0).answers(201).passes();
  EXPECT_EQ(t.verdicts(), "duplicate-effect certain");
}

TEST(DuplicateEffect, what_a_queue_gave_in_a_lost_answer_it_may_give_to_others_later) {
  auto asked = [](const char* target) {
    Trial t;
    t.reference.call("take", "POST", target).answers(200, R"({"id":"g-1"})");
    t.in_case().call("take", "POST", target).is_lost(Telling::reset, 200, R"({"id":"g-1"})");
    t.in_case().again(kSecond).answers(200, R"({"id":"g-4"})").passes();
    return t.verdicts();
  };
  EXPECT_EQ(asked("/jobs/pull"), "duplicate-effect possible");
  EXPECT_EQ(asked("/jobs"), "duplicate-effect likely");
}

TEST(DuplicateEffect, a_bulk_write_that_is_answered_alike_may_know_its_entries) {
  auto asked = [](const char* target, const char* second) {
    Trial t;
    constexpr const char* kDone = R"({"written":2,"failed":[]})";
    t.reference.call("push", "POST", target).answers(200, kDone);
    t.in_case().call("push", "POST", target).is_lost(Telling::reset, 200, kDone);
    t.in_case().again(kSecond).answers(200, second).passes();
    return t.verdicts();
  };
  EXPECT_EQ(asked("/bulk/members", R"({"written":2,"failed":[]})"), "duplicate-effect possible");
  EXPECT_EQ(asked("/bulk/members", R"({"written":2,"failed":["x"]})"), "duplicate-effect likely");
  EXPECT_EQ(asked("/members/import?action=upsert", R"({"written":2,"failed":[]})"), "duplicate-effect possible");
  EXPECT_EQ(asked("/members/import?action=create", R"({"written":2,"failed":[]})"), "duplicate-effect likely");
  EXPECT_EQ(asked("/members", R"({"written":2,"failed":[]})"), "duplicate-effect likely");
}

TEST(DuplicateEffect, entries_that_are_told_a_line_each_have_names_too) {
  auto asked = [](const char* body) {
    Trial t;
    for (auto* tale : {&t.reference, &t.in_case()}) {
      tale->call("index", "POST", "/products/_bulk").last().request_sample = body;
      tale->last().request_digest = 7;
    }
    t.reference.answers(200, R"({"errors":false})");
    t.in_case().is_lost(Telling::reset, 200, R"({"errors":true})").again(kSecond);
    t.in_case().last().request_sample = body;
    t.in_case().answers(200, R"({"errors":false})").passes();
    return t.verdicts();
  };
  EXPECT_EQ(asked("{\"index\":{\"_id\":\"p1\"}}\n{\"sku\":\"a\"}\n"), "duplicate-effect possible");
  EXPECT_EQ(asked("{\"index\":{}}\n{\"sku\":\"a\"}\n"), "duplicate-effect likely");
}

TEST(DuplicateEffect, a_received_message_that_the_caller_never_saw_is_a_duplicate_by_the_profile) {
  Trial t;
  auto get = [](Tale& tale) -> Tale& {
    return tale.call("take", "GET", "/acc/jobs/messages?numofmessages=3", kAzure, "azure-storage");
  };
  get(t.reference).answers(200, message_answer("m1"));
  get(t.in_case()).is_lost(Telling::reset, 200, message_answer("m1"));
  t.in_case()
      .again(2 * kMillisecond)
      .answers(200, "<?xml version=\"1.0\"?><QueueMessagesList />")
      .fails({assertion("[] != ['1']")});
  EXPECT_EQ(t.verdicts(), "duplicate-effect certain");  // and no silent-wrong-result beside it: one event, one verdict
}

TEST(DuplicateEffect, receiving_from_an_empty_queue_hides_nothing) {
  Trial t;
  std::string none = "<?xml version=\"1.0\"?><QueueMessagesList />";
  t.reference.call("take", "GET", "/acc/jobs/messages", kAzure, "azure-storage").answers(200, none);
  t.in_case().call("take", "GET", "/acc/jobs/messages", kAzure, "azure-storage").is_lost(Telling::reset, 200, none);
  t.in_case().again(2 * kMillisecond).answers(200, none).passes();
  EXPECT_EQ(t.verdicts(), "");
}

TEST(DuplicateEffect, safe_and_idempotent_requests_may_be_sent_again) {
  for (auto method : {"GET", "HEAD", "PUT", "DELETE", "OPTIONS"}) {
    Trial t;
    t.reference.call("put", method, "/orders/17").answers(200);
    t.in_case().call("put", method, "/orders/17").is_lost(Telling::reset, 200);
    t.in_case().again(kSecond).answers(200).passes();
    EXPECT_EQ(t.verdicts(), "") << method;
  }
}

Trial post_twice(std::string first, std::string second, std::vector<trace::Header> headers = {}) {
  Trial t;
  t.reference.call("put", "POST", "/orders", headers).answers(201);
  t.in_case().call("put", "POST", "/orders", headers).is_lost(Telling::close, 201, std::move(first));
  t.in_case().again(kSecond).answers(201, std::move(second)).passes();
  return t;
}

TEST(DuplicateEffect, of_a_service_without_profile_is_likely_by_its_method_unless_the_answers_show_one_effect) {
  EXPECT_EQ(post_twice("", "").verdicts(), "duplicate-effect likely");
  EXPECT_EQ(post_twice(R"({"id":"o-1"})", R"({"id":"o-2"})").verdicts(), "duplicate-effect likely");
  EXPECT_EQ(post_twice(R"({"id":"o-1"})", R"({"id":"o-1"})").verdicts(), "");  // the service knew it again
  EXPECT_EQ(post_twice(R"({"id":"o-1"})", "").verdicts(), "duplicate-effect likely");
}

TEST(DuplicateEffect, the_same_key_on_both_makes_it_harmless_and_another_key_does_not) {
  EXPECT_EQ(post_twice("", "", {{"Idempotency-Key", "k1"}}).verdicts(), "");

  auto t = post_twice("", "", {{"Idempotency-Key", "k1"}});
  t.in_case().last().request_headers = {{"Idempotency-Key", "k2"}};
  EXPECT_EQ(t.verdicts(), "duplicate-effect likely, changed-on-retry likely");
  t.in_case().last().confidence = Confidence::possible;
  EXPECT_EQ(t.verdicts(), "duplicate-effect possible");
}

// The response is withheld, and after 200 ms a second thread sends the same.
Trial hedged(int in_reference = 1, std::vector<trace::Header> headers = {}) {
  Trial t("P2", "lost-response(stall)");
  for (int i = 0; i < in_reference; i++) t.reference.call("put", "POST", "/orders", headers).answers(201);
  t.in_case().call("put", "POST", "/orders", headers).is_lost(Telling::stall, 201).waits(200 * kMillisecond);
  t.in_case().call("put", "POST", "/orders", headers).answers(201);
  t.in_case().ends(1, trace::Ending::client_left, 201, 0).passes();
  return t;
}

TEST(DuplicateEffect, a_copy_that_is_sent_while_the_first_is_waited_for_is_executed_too) {
  auto t = hedged();
  EXPECT_EQ(t.verdicts(), "duplicate-effect likely");
  EXPECT_NE(t.judge().findings[0].message.find("sent a copy of it 201 ms after the first"), std::string::npos)
      << t.judge().findings[0].message;
  EXPECT_EQ(hedged(2).verdicts(), "") << "it does so without the fault";
  EXPECT_EQ(hedged(0).verdicts(), "duplicate-effect possible") << "nobody knows what it does without the fault";
  EXPECT_EQ(hedged(1, {{"Idempotency-Key", "k1"}}).verdicts(), "");
}

TEST(DuplicateEffect, a_copy_may_come_from_another_line_where_it_comes_once_without_the_fault) {
  for (auto [usual, said] : {std::pair(1, "duplicate-effect likely"), std::pair(2, "")}) {
    auto t = hedged(usual);
    t.in_case().run().exchanges[1].tag.site->line = 18;
    EXPECT_EQ(t.verdicts(), said) << usual;
  }
}

TEST(DuplicateEffect, what_is_sent_again_since_its_answer_was_cut_is_done_twice) {
  Trial t("B1", "truncate(10) x 1, then pass");
  t.reference.call("put", "POST", "/orders").answers(201, R"({"id":"o-1"})");
  t.in_case().call("put", "POST", "/orders").answers(201, R"({"id":"o-2"})");
  auto& cut = t.in_case().last();
  cut.fired = true, cut.fault_id = "f1", cut.fault.name = trace::FaultName::truncate, cut.fired_at = cut.told;
  t.in_case().again(kSecond).answers(201, R"({"id":"o-3"})").passes();
  EXPECT_EQ(t.verdicts(), "duplicate-effect likely");
}

TEST(DuplicateEffect, who_has_looked_for_its_own_by_a_value_of_its_own_and_found_nothing_may_send_it_again) {
  for (auto [found, said] : {std::pair(R"({"orders":[]})", ""),
                             std::pair(R"({"orders":[{"ref":"web-17"}]})", "duplicate-effect possible")}) {
    Trial t;
    auto send = [](Tale& run) { run.last().request_sample = R"({"ref":"web-17","qty":1})"; };
    send(t.reference.call("put", "POST", "/orders"));
    t.reference.answers(201);
    send(t.in_case().call("put", "POST", "/orders"));
    t.in_case().is_lost(Telling::close, 201);
    auto first = t.in_case().last();
    t.in_case().call("put", "GET", "/orders?ref=web-17").answers(200, found);
    send(t.in_case().call("put", "POST", "/orders"));
    t.in_case().last().call = first.call;
    t.in_case().last().attempt = 2;
    t.in_case().answers(201).passes();
    EXPECT_EQ(t.verdicts(), said);
  }
}

TEST(DuplicateEffect, is_never_surer_than_the_correlation) {
  for (auto [sure, said] : {std::pair(Confidence::likely, "duplicate-effect likely"),
                            std::pair(Confidence::possible, "duplicate-effect possible")}) {
    auto t = send_message(Telling::reset);
    t.in_case().last().confidence = sure;
    EXPECT_EQ(t.verdicts(), said);
  }
}

TEST(DuplicateEffect, is_not_told_of_things_alike_of_which_the_reference_has_as_many) {
  for (auto [sure, more, said] :
       {std::tuple(Confidence::likely, false, ""), std::tuple(Confidence::likely, true, "duplicate-effect likely"),
        std::tuple(Confidence::certain, false, "duplicate-effect certain")}) {
    auto t = send_message(Telling::reset);
    t.reference.call("submit", "POST", "/acc/jobs/messages", kAzure, "azure-storage")
        .answers(201, message_answer("a9"));
    t.in_case().last().confidence = sure;
    if (more)
      t.in_case()
          .call("submit", "POST", "/acc/jobs/messages", kAzure, "azure-storage")
          .answers(201, message_answer("a3"));
    for (auto* run : {&t.reference.run(), &t.in_case().run()})
      for (auto& e : run->exchanges) e.request_sample = "<QueueMessage/>", e.request_bytes = 15, e.request_digest = 7;
    EXPECT_EQ(t.verdicts(), said);
  }
}

TEST(DuplicateEffect, needs_two_attempts_that_were_both_answered_2xx_by_the_service) {
  Trial t;
  t.reference.call("submit", "POST", "/acc/jobs/messages", kAzure, "azure-storage").answers(201);
  t.in_case().call("submit", "POST", "/acc/jobs/messages", kAzure, "azure-storage").gets_error();
  t.in_case().again(kSecond).answers(201).passes();
  EXPECT_EQ(t.verdicts(), "");
}

TEST(DuplicateEffect, what_follows_a_success_that_the_client_was_told_of_is_no_repeat) {
  Trial t("D", "delay(20ms)");
  t.reference.call("submit", "POST", "/acc/jobs/messages", kAzure, "azure-storage").answers(201);
  t.in_case().call("submit", "POST", "/acc/jobs/messages", kAzure, "azure-storage").is_delayed().answers(201);
  t.in_case().again(kMillisecond).answers(201).passes();
  EXPECT_EQ(t.verdicts(), "");
}

TEST(DuplicateEffect, of_two_calls_is_none) {
  Trial t;
  for (auto* tale : {&t.reference, &t.in_case()}) {
    tale->call("submit", "POST", "/acc/jobs/messages", kAzure, "azure-storage");
    if (tale == &t.reference)
      tale->answers(201);
    else
      tale->gets_error();
    tale->call("submit", "POST", "/acc/jobs/messages", kAzure, "azure-storage").answers(201);
  }
  t.in_case().passes();
  EXPECT_EQ(t.verdicts(), "lost-effect possible") << "the first was given up";
}

TEST(RetriesNonIdempotent, is_possible_where_a_state_is_set_a_read_comes_before_or_the_body_names_itself) {
  auto again = [](const char* target, bool looks = false, const char* body = "", const char* looked = "") {
    Trial t("P1", "lost-response(reset) x 1, then pass");
    auto send = [&](Tale& run, bool anew) {
      anew ? run.again(kSecond) : run.call("confirm", "POST", target);
      run.last().request_sample = body;
      run.last().request_digest = *body ? 7 : 0;
    };
    send(t.reference, false);
    t.reference.answers(200);
    send(t.in_case(), false);
    t.in_case().is_lost(Telling::reset, 200);
    auto lost = t.in_case().last();
    if (looks) t.in_case().call("look", "GET", *looked ? looked : target).answers(200);
    if (looks) {
      t.in_case().call("confirm", "POST", target);
      t.in_case().last().call = lost.call;
      t.in_case().last().attempt = 2;
    } else {
      send(t.in_case(), true);
    }
    t.in_case().answers(503);
    for (auto& f : t.judge().findings)
      if (f.verdict == "retries-non-idempotent") return std::string(show(f.confidence));
    return std::string("none");
  };
  EXPECT_EQ(again("/holds/h-1/confirm"), "possible");
  auto patched = [](const char* body) {
    Trial t("P4", "lost-response(reset) x 1, then error(transient)");
    t.reference.call("patch", "PATCH", "/passes/p1").last().request_sample = body;
    t.reference.answers(200);
    t.in_case().call("patch", "PATCH", "/passes/p1").last().request_sample = body;
    t.in_case().is_lost(Telling::reset, 200).again(kSecond).gets_error();
    return t.verdicts();
  };
  EXPECT_EQ(patched(R"({"state":"closed"})"), "retries-non-idempotent possible");
  EXPECT_EQ(patched(R"({"delta":5})"), "retries-non-idempotent likely");
  EXPECT_EQ(patched(R"([{"op":"add","path":"/rides","value":1}])"), "retries-non-idempotent likely");
  EXPECT_EQ(again("/tasks/t0/ack"), "none") << "once more finds it acknowledged";
  EXPECT_EQ(again("/berths/b1/release"), "none");
  EXPECT_EQ(again("/caches/c1/purge"), "none");
  EXPECT_EQ(again("/alarms/a1/clear"), "none");
  EXPECT_EQ(again("/holds/h-1/increment"), "likely");
  EXPECT_EQ(again("/holds/h-1/capture"), "possible");
  EXPECT_EQ(again("/confirm"), "likely");
  EXPECT_EQ(again("/uploads", true), "possible");
  EXPECT_EQ(again("/uploads"), "likely");
  EXPECT_EQ(again("/archive/nightly.tar", true, "", "/archive?uploads&prefix=nightly.tar"), "possible");
  EXPECT_EQ(again("/archive/nightly.tar", true, "", "/archive?uploads"), "likely");
  EXPECT_EQ(again("/messages", false, R"({"text":"hi","nonce":"n-17"})"), "possible");
  EXPECT_EQ(again("/messages", false, R"({"text":"hi"})"), "likely");
}

TEST(RetriesNonIdempotent, after_a_loss_is_stated_whatever_became_of_the_second) {
  Trial t("P4", "lost-response(reset) x 1, then error(transient)");
  t.reference.call("submit", "POST", "/acc/jobs/messages", kAzure, "azure-storage").answers(201);
  t.in_case().call("submit", "POST", "/acc/jobs/messages", kAzure, "azure-storage").is_lost(Telling::reset, 201);
  t.in_case().again(kMillisecond).gets_error();
  t.in_case().fails({thrown("RestError", "The server is busy.", "ServerBusy")});
  EXPECT_EQ(t.verdicts(), "retries-non-idempotent certain");
  auto message = t.judge().findings[0].message;
  EXPECT_NE(message.find("the second attempt was answered 503"), std::string::npos) << message;
  EXPECT_NE(message.find("the client sent it again after 1.0 ms"), std::string::npos) << message;
}

TEST(RetriesNonIdempotent, a_reset_or_stall_after_the_request_counts_as_a_loss) {
  for (bool stall : {false, true}) {
    Trial t("X", "reset(after-request) x 1, then pass");
    t.reference.call("submit", "POST", "/acc/jobs/messages", kAzure, "azure-storage").answers(201);
    auto& c = t.in_case().call("submit", "POST", "/acc/jobs/messages", kAzure, "azure-storage");
    stall ? c.is_held().client_leaves(kSecond) : c.is_reset();
    c.again(kMillisecond).answers(201).passes();
    EXPECT_EQ(t.verdicts(), "retries-non-idempotent certain");
  }
}

TEST(RetriesNonIdempotent, after_a_status_is_right_since_the_service_said_that_it_did_nothing) {
  Trial t("K1", "error(transient) x 1, then pass");
  t.reference.call("put", "POST", "/orders").answers(201);
  t.in_case().call("put", "POST", "/orders").gets_error();
  t.in_case().again(kSecond).answers(201).passes();
  EXPECT_EQ(t.verdicts(), "");
}

TEST(RetriesNonIdempotent,
     a_post_to_an_unknown_service_is_likely_one_that_reads_by_its_name_possible_and_a_keyed_or_idempotent_one_right) {
  auto verdict = [](std::string method, std::vector<trace::Header> headers, std::string target = "/orders") {
    Trial t;
    t.reference.call("put", method, target, headers).answers(200);
    t.in_case().call("put", method, target, headers).is_reset();
    t.in_case().again(kSecond).is_reset().fails({thrown("ConnectionError", "Connection reset by peer")});
    return t.verdicts();
  };
  EXPECT_EQ(verdict("POST", {}), "retries-non-idempotent likely");
  EXPECT_EQ(verdict("PATCH", {}), "retries-non-idempotent likely");
  EXPECT_EQ(verdict("POST", {}, "/orders/_search?q=x"), "retries-non-idempotent possible");
  EXPECT_EQ(verdict("POST", {}, "/v1/things:batchGet"), "retries-non-idempotent possible");
  EXPECT_EQ(verdict("POST", {{"Idempotency-Key", "k"}}), "");
  EXPECT_EQ(verdict("PUT", {}), "");
  EXPECT_EQ(verdict("GET", {}), "");
}

TEST(RetriesNonIdempotent, a_condition_guards_what_is_written_anew_for_each_attempt) {
  auto verdicts = [](std::string query) {
    Trial t;
    auto target = "/upload/storage/v1/b/shelf/o?uploadType=multipart&name=lamp" + query;
    t.reference.call("save", "POST", target, {}, "google-storage").answers(200);
    t.in_case().call("save", "POST", target, {}, "google-storage").is_reset();
    t.in_case().again(kSecond).answers(200);
    t.in_case().last().request_digest = 78;  // another multipart boundary
    return t.verdicts();
  };
  EXPECT_EQ(verdicts("&ifGenerationMatch=0"), "");
  EXPECT_EQ(verdicts(""), "retries-non-idempotent likely");
}

TEST(RetriesNonIdempotent, a_copy_that_was_sent_before_the_client_was_told_is_no_retry) {
  Trial t;
  t.reference.call("submit", "POST", "/acc/jobs/messages", kAzure, "azure-storage").answers(201);
  t.in_case().call("submit", "POST", "/acc/jobs/messages", kAzure, "azure-storage").is_lost(Telling::reset, 201);
  t.in_case().again(0).answers(201).passes();
  t.in_case().last().begun = t.in_case().run().exchanges[0].told - kMillisecond;
  EXPECT_EQ(t.verdicts(), "");
}

// An order and its line; the line fails, and what is sent again begins with the order.
struct Steps {
  Trial t{"K1", "error(503) x 1, then pass"};
  std::uint64_t line = 5;
  void post(Tale& tale, const char* path, const char* id = "", std::uint64_t digest = 7) {
    tale.call("place", "POST", path);
    tale.last().request_digest = digest;
    if (*id) tale.answers(201, std::string(R"({"id":")") + id + "\"}");
  }
  void reference(const char* first = "/orders") {
    post(t.reference, first, "o-1");
    post(t.reference, "/orders/o-1/lines", "l-1", line);
  }
  std::string begins_anew(bool taken_back = false, const char* first = "/orders", std::uint64_t digest = 7) {
    auto& tale = t.in_case();
    post(tale, first, "o-2");
    post(tale, "/orders/o-2/lines", "", line);
    tale.gets_error();
    if (taken_back) tale.call("undo", "DELETE", "/orders/o-2").answers(204);
    tale.waits(kSecond);
    post(tale, first, "o-3", digest);
    post(tale, "/orders/o-3/lines", "l-2", line);
    tale.passes();
    return t.verdicts();
  }
};
TEST(DuplicateEffect, what_was_done_before_a_later_step_failed_is_done_again) {
  Steps steps;
  steps.reference();
  EXPECT_EQ(steps.begins_anew(), "duplicate-effect likely");
  auto message = steps.t.judge().findings[0].message;
  EXPECT_NE(message.find("POST /orders was carried out once, then POST /orders/{id}/lines failed"), std::string::npos)
      << message;
}
TEST(DuplicateEffect, a_later_step_that_names_what_was_done_does_not_take_it_back) {
  Trial t("K1", "error(503) x 1, then pass");
  auto place = [](Tale& tale, const char* id) -> Tale& {
    tale.call("place", "POST", "/orders").last().request_digest = 7;
    tale.answers(201, std::string(R"({"id":")") + id + "\"}");
    tale.call("pay", "POST", "/payments").last().request_sample = std::string(R"({"order":")") + id + "\"}";
    return tale;
  };
  place(t.reference, "o-1").answers(201);
  place(t.in_case(), "o-2").gets_error().waits(kSecond);
  place(t.in_case(), "o-3").answers(201).passes();
  EXPECT_EQ(t.verdicts(), "duplicate-effect likely");
}
TEST(DuplicateEffect, what_is_taken_back_before_it_is_done_again_is_there_once) {
  Steps steps;
  steps.reference();
  EXPECT_EQ(steps.begins_anew(true), "");
}
TEST(DuplicateEffect, another_request_or_one_that_takes_what_is_next_is_none) {
  Steps other;
  other.reference();
  EXPECT_EQ(other.begins_anew(false, "/orders", 8), "");
  Steps taking;
  taking.reference("/jobs/receive");
  EXPECT_EQ(taking.begins_anew(false, "/jobs/receive"), "");
}
TEST(DuplicateEffect, what_the_reference_does_as_often_is_none) {
  Steps steps;
  steps.reference();
  steps.post(steps.t.reference, "/orders", "o-9");
  EXPECT_EQ(steps.begins_anew(), "");
}

TEST(DuplicateEffect, a_removal_that_gives_another_thing_each_time_has_taken_two) {
  auto popped = [](const char* first, const char* second) {
    Trial t;
    t.reference.call("pop", "DELETE", "/queues/q/head").answers(200, first);
    t.in_case().call("pop", "DELETE", "/queues/q/head").is_lost(trace::Telling::reset, 200, first);
    t.in_case().again(kMillisecond).answers(200, second);
    t.in_case().passes();
    return t.verdicts();
  };
  constexpr auto kJob = R"({"id":"job-2","image":"img-2.png"})";
  EXPECT_EQ(popped(kJob, R"({"id":"job-3","image":"img-3.png"})"), "duplicate-effect likely");
  EXPECT_EQ(popped(kJob, kJob), "");
  EXPECT_EQ(popped(kJob, R"({"id":"removal-3","image":"img-2.png"})"), "") << "the id is the removal's own";
}

TEST(DuplicateEffect, the_id_in_a_path_names_no_result_where_a_number_beside_it_goes_on) {
  auto sent = [](const char* first, const char* second) {
    Trial t;
    t.reference.call("chunk", "POST", "/uploads/up-1/chunks").answers(200, first);
    t.in_case().call("chunk", "POST", "/uploads/up-1/chunks").is_lost(trace::Telling::reset, 200, first);
    t.in_case().again(kMillisecond).answers(200, second);
    t.in_case().passes();
    return t.verdicts();
  };
  EXPECT_EQ(sent(R"({"id":"up-1","received":65536})", R"({"id":"up-1","received":131072})"), "duplicate-effect likely");
  EXPECT_EQ(sent(R"({"id":"up-1","state":"open"})", R"({"id":"up-1","state":"open"})"), "");
  constexpr auto kWhole = R"({"name":"a.sql","sha256":"b7acbe0e8207bde8ee718bd22cc47087"})";
  EXPECT_EQ(sent(kWhole, kWhole), "duplicate-effect possible") << "one digest may be of one thing";
}

TEST(DuplicateEffect, of_several_steps_of_a_count_each_says_which_it_is) {
  auto booked = [](bool anew) {
    Trial t;
    auto step = [](Tale& tale, int from, const char* day, bool lost = false) {
      tale.call("book", "GET", "/accounts/a").answers(200, fmt::format(R"({{"balance":{}}})", from));
      tale.call("book", "PUT", "/accounts/a");
      tale.last().request_sample = fmt::format(R"({{"balance":{},"day":"{}"}})", from + 100, day);
      tale.last().request_digest = static_cast<std::uint64_t>(from);
      lost ? tale.is_lost(trace::Telling::reset, 200, "{}") : tale.answers(200, "{}");
    };
    step(t.reference, 1000, "mo"), step(t.reference, 1100, "tu");
    step(t.in_case(), 1000, "mo", true);
    if (anew) step(t.in_case(), 1100, "mo");
    step(t.in_case(), anew ? 1200 : 1100, "tu");
    t.in_case().passes();
    return t.verdicts();
  };
  EXPECT_EQ(booked(true), "duplicate-effect likely");
  EXPECT_EQ(booked(false), "") << "the next step is another day's";
}

TEST(DuplicateEffect, what_a_post_says_is_to_be_may_be_so_already) {
  auto again = [](const char* path, const char* body) {
    Trial t;
    t.reference.call("set", "POST", path).answers(200);
    t.in_case().call("set", "POST", path);
    t.in_case().last().request_sample = body;
    t.in_case().last().request_digest = 7;
    t.in_case().is_lost(Telling::reset, 200);
    t.in_case().again(kSecond).answers(200);
    return t.verdicts();
  };
  EXPECT_EQ(again("/torrents/setCategory", "hash=ab&category=films"), "duplicate-effect possible");
  EXPECT_EQ(again("/torrents/delete", "hash=ab"), "duplicate-effect possible");
  EXPECT_EQ(again("/cart/remove", R"({"sku":"p","qty":1})"), "duplicate-effect likely");
  EXPECT_EQ(again("/torrents/info", "filter=all"), "duplicate-effect possible") << "it is told";
}

}  // namespace
}  // namespace retrial::oracles
