// What the service did decides whether a request that was sent again had its effect twice.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/oracles/sent_twice.h"
#include "trace/recording/redact.h"

namespace retrial::oracles {
namespace {
using trace::Telling;

std::string message(Trial& t) { return t.judge().findings.at(0).message; }

TEST(Recognition, a_service_that_says_that_it_knew_the_second_did_it_once) {
  for (auto& second :
       {Answered{200, R"({"status":"accepted","duplicate":true})"}, Answered{200, R"({"result":"already_exists"})"},
        Answered{200, R"({"created":false,"order":{}})"}, Answered{200, "{}", {{"Idempotent-Replayed", "true"}}},
        Answered{200, R"({"accepted":0,"duplicates":1})"}, Answered{208, "{}"},
        Answered{409, R"({"error":"order exists"})"}}) {
    Answered first{200, R"({"status":"accepted","duplicates":0,"duplicate":false,"created":true})"};
    EXPECT_EQ(sent_twice(kSent, first, second).verdicts(), "") << second.body;
    EXPECT_EQ(sent_twice(R"({"amount":5})", first, second).verdicts(), "") << second.body;
  }
  EXPECT_EQ(sent_twice(R"({"amount":5})", {201, "{}"}, {200, "{}"}).verdicts(), "") << "created, and then there";
  EXPECT_EQ(sent_twice(R"({"job":"scan"})", {202, R"({"run":1})"}, {200, "{}"}).verdicts(), "") << "begun, and known";
}

TEST(Recognition, what_it_lies_in_shows_a_list_of_its_name_as_without_the_fault) {
  auto adds = [](const char* shown, const char* at = "/manifests/m3") {
    Trial t;
    for (auto* tale : {&t.reference, &t.in_case()}) {
      tale->call("append", "POST", "/manifests/m3/lines");
      sends(*tale, R"({"lines":["a"]})");
      tale == &t.reference ? tale->answers(200, R"({"stored":1})")
                           : tale->is_lost(trace::Telling::reset, 200, R"({"stored":1})");
    }
    t.in_case().again(kSecond).answers(200, R"({"stored":1})");
    t.reference.call("lines", "GET", at).answers(200, R"({"lines":["a"],"parts":["p"]})");
    t.in_case().call("lines", "GET", at).answers(200, shown).passes();
    for (auto* tale : {&t.reference, &t.in_case()}) tale->last().response_bytes += 11;  // as chunks
    return t.verdicts();
  };
  EXPECT_EQ(adds(R"({"lines":["a"],"parts":["p"]})"), "");
  EXPECT_EQ(adds(R"({"lines":["a","a"],"parts":["p"]})"), "duplicate-effect likely");
  EXPECT_EQ(adds(R"({"lines":["a"],"parts":["p"]})", "/manifests"), "duplicate-effect likely") << "it lies deeper";
}

TEST(Recognition, an_amount_that_went_on_by_what_was_sent_was_added_both_times_whatever_id_both_answers_name) {
  auto added = [](const char* body, const char* first, const char* second) {
    return sent_twice(body, {200, first}, {200, second}, {}, "PATCH").verdicts();
  };
  constexpr const char* kDelta = R"({"points_delta":250})";
  EXPECT_EQ(added(kDelta, R"({"id":"m-11","points":350})", R"({"id":"m-11","points":600})"), "duplicate-effect likely");
  EXPECT_EQ(added(kDelta, R"({"id":"m-11","points":350})", R"({"id":"m-11","points":350})"), "");
  EXPECT_EQ(added(kDelta, R"({"id":"m-11","version":350})", R"({"id":"m-11","version":351})"), "");
}

TEST(Recognition, a_total_that_both_answers_tell_was_added_to_once_where_it_is_a_running_one) {
  auto moved = [](const char* second, const char* later, const char* then = R"({"count":1})") {
    Trial t;
    for (auto* tale : {&t.reference, &t.in_case()}) {
      tale->call("relay", "POST", "/movements", {{"Message-Id", "7a1c52f0"}});
      sends(*tale, R"({"sku":"cap","change":3})");
      tale == &t.reference ? tale->answers(200, R"({"count":10})")
                           : tale->is_lost(Telling::reset, 200, R"({"count":10})");
    }
    t.in_case().again(kSecond).answers(200, second);
    for (auto* tale : {&t.reference, &t.in_case()}) {
      tale->call("relay", "POST", "/movements", {{"Message-Id", "90be11d4"}});
      sends(*tale, later);
      tale->answers(200, then);
    }
    t.in_case().passes();
    return t.verdicts();
  };
  constexpr const char* kLater = R"({"sku":"cap","change":-9})";
  EXPECT_EQ(moved(R"({"count":10})", kLater), "");
  EXPECT_EQ(moved(R"({"count":10})", R"({"sku":"nut","change":-9})"), "duplicate-effect possible") << "another thing's";
  EXPECT_EQ(moved(R"({"count":10})", kLater, R"({"count":10})"), "duplicate-effect possible") << "no total";
  EXPECT_EQ(moved(R"({"count":13})", kLater, R"({"count":4})"), "duplicate-effect likely");
}

TEST(Recognition, a_service_that_knew_the_first_already_from_a_run_before_has_done_neither) {
  constexpr const char* kKnew = R"({"stored":"sku-1","duplicate":true})";
  auto t = sent_twice(R"({"amount":5})", {200, kKnew}, {200, kKnew});
  EXPECT_NE(t.verdicts(), "") << "it says so of everything";
  t.reference.answers(200, R"({"stored":"sku-1","duplicate":false})");
  EXPECT_EQ(t.verdicts(), "");
}

TEST(Recognition, what_it_said_of_the_second_holds_for_the_third) {
  auto t = sent_twice(kSent, {200, R"({"duplicate":false})"}, {200, "{}"});
  auto& tale = t.one_more();
  t.cases.pop_front();
  tale.call("put", "POST", "/orders").is_lost(Telling::reset, 200, R"({"duplicate":false})");
  for (int i = 0; i < 3; i++) tale.again(kSecond).is_lost(Telling::reset, 200, R"({"duplicate":true})");
  tale.again(kSecond).gets_error().fails({thrown("ConnectionError", "Connection reset by peer")});
  EXPECT_EQ(t.verdicts(), "");
}

TEST(Recognition, words_that_it_has_for_every_request_prove_nothing) {
  Answered says{200, R"({"repeated":true})"};
  EXPECT_EQ(sent_twice(R"({"amount":5})", says, says).verdicts(), "duplicate-effect likely");
  Answered lists{200, R"({"rows":[{"duplicate":true}]})"};
  EXPECT_EQ(sent_twice(R"({"amount":5})", {200, "{}"}, lists).verdicts(), "duplicate-effect likely");
}

TEST(Recognition, one_id_in_both_answers_is_one_effect_and_two_are_two) {
  auto verdicts = [](std::string one, std::string other) {
    return sent_twice(R"({"item":"lamp","customer_id":7})", {201, std::move(one)}, {201, std::move(other)}).verdicts();
  };
  EXPECT_EQ(verdicts(R"({"order_id":9})", R"({"order_id":9})"), "");
  EXPECT_EQ(verdicts(R"({"data":{"id":"a"}})", R"({"data":{"id":"a"}})"), "");
  EXPECT_EQ(verdicts(R"({"order_id":9})", R"({"order_id":10})"), "duplicate-effect likely");
  EXPECT_EQ(verdicts(R"({"data":{"id":"a"}})", R"({"data":{"id":"b"}})"), "duplicate-effect likely");
  // What was sent comes back from whoever did it twice, too.
  EXPECT_EQ(verdicts(R"({"customer_id":7})", R"({"customer_id":7})"), "duplicate-effect likely");
  // Another id for each request says nothing of what was done.
  EXPECT_EQ(verdicts(R"({"request_id":"r1","order_id":9})", R"({"request_id":"r2","order_id":9})"), "");
}

TEST(Recognition, what_is_called_as_its_path_is_the_result) {
  auto charged = [](const char* path, const char* first, const char* second) {
    Trial t;
    t.reference.call("charge", "POST", path).answers(201, first);
    t.in_case().call("charge", "POST", path).is_lost(Telling::reset, 201, first).again(kSecond);
    t.in_case().answers(201, second).passes();
    auto judged = t.judge();
    return judged.findings.empty() ? "" : judged.findings[0].message;
  };
  constexpr auto* kTwo = "two different results";
  EXPECT_TRUE(charged("/invoices/inv-7/charge", R"({"charge":"ch_2"})", R"({"charge":"ch_3"})").contains(kTwo));
  EXPECT_FALSE(charged("/charges", R"({"charge":"ch_2"})", R"({"charge":"ch_2"})").contains(kTwo));
  EXPECT_FALSE(charged("/checks", R"({"check":"at 9:31"})", R"({"check":"at 9:32"})").contains(kTwo));
  EXPECT_FALSE(charged("/charges", R"({"trace":"t-2"})", R"({"trace":"t-3"})").contains(kTwo));
}

TEST(Recognition, a_mutation_that_says_what_is_to_be_and_is_answered_alike_was_done_once) {
  auto again = [](const char* name, const char* second) {
    Trial t;
    for (auto* tale : {&t.reference, &t.in_case()}) {
      tale->call("mutate", "POST", "/graphql");
      tale->last().operation = std::string("POST /graphql mutation=") + name;
      sends(*tale, R"({"variables":{"cart":"c1","qty":3}})");
    }
    t.reference.answers(200, R"({"data":{"line":{"qty":3}}})");
    t.in_case().is_lost(Telling::reset, 200, R"({"data":{"line":{"qty":3}}})").again(kSecond);
    t.in_case().answers(200, second).passes();
    return t.verdicts();
  };
  EXPECT_EQ(again("setLine", R"({"data":{"line":{"qty":3}}})"), "");
  EXPECT_EQ(again("setLine", R"({"data":{"line":{"qty":4}}})"), "duplicate-effect possible");
  EXPECT_EQ(again("addLine", R"({"data":{"line":{"qty":3}}})"), "duplicate-effect likely");
}

TEST(Recognition, whoever_opens_a_session_is_given_a_token) {
  auto opened = [](const char* answer) {
    Trial t;
    t.reference.call("login", "POST", "/session").answers(200, answer);
    t.in_case().call("login", "POST", "/session").is_lost(Telling::reset, 200, answer).again(kSecond);
    t.in_case().answers(200, answer).passes();
    return t.verdicts();
  };
  EXPECT_EQ(opened(R"({"token":"[redacted]"})"), "");
  EXPECT_EQ(opened(R"({"started":true})"), "duplicate-effect likely");
}

TEST(Recognition, two_ids_are_two_effects_even_where_the_second_status_looks_like_a_repeats) {
  auto t = sent_twice(kSent, {201, R"({"id":"a"})"}, {200, R"({"id":"b"})"});
  EXPECT_EQ(t.verdicts(), "duplicate-effect likely");
  EXPECT_NE(message(t).find("The two answers name two different results"), std::string::npos) << message(t);
}

TEST(Recognition, where_the_request_names_itself_and_the_answers_tell_nothing_it_is_possible) {
  auto t = sent_twice(kSent, {200, "{}"}, {200, "{}"});
  EXPECT_EQ(t.verdicts(), "duplicate-effect possible");
  EXPECT_NE(message(t).find("Whether the service knows the second by its \"event_id\""), std::string::npos)
      << message(t);
  // A thing that is spoken of is no name of the request.
  EXPECT_EQ(sent_twice(R"({"customer_id":"c-4"})", {200, "{}"}, {200, "{}"}).verdicts(), "duplicate-effect likely");
  EXPECT_EQ(sent_twice(R"({"client_id":"app"})", {200, "{}"}, {200, "{}"}).verdicts(), "duplicate-effect likely");
}

TEST(Recognition, another_name_in_each_attempt_is_one_by_which_no_service_can_know_it) {
  auto changed = [](std::string now) {
    return sent_twice(R"({"request_id":"a1","order_ref":"o","amount":5})", {200, R"({"ok":1})"}, {200, R"({"ok":1})"},
                      std::move(now));
  };
  auto t = changed(R"({"request_id":"b2","order_ref":"o","amount":5})");
  EXPECT_EQ(t.verdicts(), "duplicate-effect likely");
  EXPECT_NE(message(t).find("Each attempt has another \"request_id\""), std::string::npos) << message(t);
  // Not where the service knew it all the same.
  EXPECT_EQ(sent_twice(R"({"request_id":"a1","n":5})", {201, R"({"id":3})"}, {201, R"({"id":3})"},
                       R"({"request_id":"b2","n":5})")
                .verdicts(),
            "");
  // Nor where another one stays.
  EXPECT_EQ(sent_twice(R"({"request_id":"a1","event_id":"e"})", {200, "{}"}, {200, "{}"},
                       R"({"request_id":"b2","event_id":"e"})")
                .verdicts(),
            "duplicate-effect possible");
}

TEST(Recognition, a_drawn_id_of_json_rpc_that_is_kept_names_the_request_and_a_counter_or_another_does_not) {
  auto verdicts = [](std::string first, std::string second, std::string method = "order.create") {
    auto body = [&](const std::string& id) {
      return R"({"jsonrpc":"2.0","method":")" + method + R"(","params":{"n":5},"id":)" + id + "}";
    };
    auto t = sent_twice(body(first), {200, "{}"}, {200, "{}"}, body(second));
    for (auto* run : {&t.reference.run(), &t.in_case().run()})
      for (auto& e : run->exchanges) e.profile = "json-rpc", e.operation = "POST /orders method=" + method;
    return t.verdicts();
  };
  const std::string uuid = R"("0f8b6c1e-5d0a-4b44-9a3e-2f6f6b0d9c11")",
                    other = R"("77a0c9f2-11d4-4b0e-8f57-0a1b2c3d4e5f")";
  EXPECT_EQ(verdicts(uuid, uuid), "duplicate-effect possible");
  EXPECT_EQ(verdicts(uuid, other), "duplicate-effect likely, changed-on-retry possible");
  EXPECT_EQ(verdicts("1", "1"), "duplicate-effect likely");
  EXPECT_EQ(verdicts("1", "1", "height"), "duplicate-effect possible") << "a noun says nothing of writing";
}

TEST(Recognition, the_reference_shows_which_members_name_calls) {
  // Each call has another invoice_number there, given by nobody.
  auto verdicts = [](std::string second_number, std::string before) {
    Trial t;
    auto post = [](Tale& tale, std::string number) -> Tale& {
      tale.call("put", "POST", "/bills");
      sends(tale, R"({"invoice_number":")" + number + R"("})");
      return tale;
    };
    if (!before.empty()) t.reference.call("get", "GET", "/next").answers(200, before);
    post(t.reference, "n-1").answers(202);
    post(t.reference, std::move(second_number)).answers(202);
    if (!before.empty()) t.in_case().call("get", "GET", "/next").answers(200, before);
    post(t.in_case(), "n-1").is_lost(Telling::reset, 202);
    t.in_case().again(kSecond);
    sends(t.in_case(), R"({"invoice_number":"n-1"})");
    t.in_case().answers(202).passes();
    return t.verdicts();
  };
  EXPECT_EQ(verdicts("n-2", ""), "duplicate-effect possible");
  EXPECT_EQ(verdicts("n-1", ""), "duplicate-effect likely") << "two calls have the same";
  EXPECT_EQ(verdicts("n-2", R"({"open":["n-1","n-2"]})"), "duplicate-effect likely") << "the service gave them";
}

TEST(Recognition, what_is_drawn_for_each_call_and_kept_names_it) {
  auto verdicts = [](std::string usual, std::string first, std::string second) {
    auto body = [](const std::string& token) { return R"({"task":"a","token":")" + token + R"("})"; };
    Trial t;
    sends(t.reference.call("push", "POST", "/jobs"), body(usual));
    t.reference.answers(202);
    sends(t.in_case().call("push", "POST", "/jobs"), body(first));
    t.in_case().is_lost(Telling::reset, 202).again(kSecond);
    sends(t.in_case(), body(second), first == second ? 77 : 78);
    t.in_case().answers(202).passes();
    return t.verdicts();
  };
  const std::string a = "0f8b6c1e-5d0a-4b44-9a3e-2f6f6b0d9c11", b = "77a0c9f2-11d4-4b0e-8f57-0a1b2c3d4e5f",
                    c = "a5e4c1d2-3b6f-4e8a-9c0d-1e2f3a4b5c6d";
  EXPECT_EQ(verdicts(a, b, b), "duplicate-effect possible");
  EXPECT_EQ(verdicts(a, b, c).substr(0, 23), "duplicate-effect likely") << "another for each attempt";
  EXPECT_EQ(verdicts(b, b, b), "duplicate-effect likely") << "always the same: who asks, perhaps";
  EXPECT_EQ(verdicts("t-1", "t-2", "t-2"), "duplicate-effect likely");
}

TEST(Recognition, what_is_drawn_and_kept_back_as_a_secret_names_it_too) {
  auto verdicts = [](std::uint64_t usual, std::uint64_t first, std::uint64_t second) {
    const auto body = R"({"task":"a","token":")" + std::string(trace::kRedacted) + R"("})";
    Trial t;
    sends(t.reference.call("push", "POST", "/jobs"), body, usual);
    t.reference.answers(202);
    sends(t.in_case().call("push", "POST", "/jobs"), body, first);
    t.in_case().is_lost(Telling::reset, 202).again(kSecond);
    sends(t.in_case(), body, second);
    t.in_case().answers(202).passes();
    return t.verdicts();
  };
  EXPECT_EQ(verdicts(1, 2, 2), "duplicate-effect possible");
  EXPECT_EQ(verdicts(1, 1, 1), "duplicate-effect likely") << "who asks";
}

TEST(Recognition, a_list_that_is_read_afterwards_shows_how_often_it_was_done) {
  auto t_of = [](std::string list, std::string target = "/orders") {
    auto t = sent_twice(R"({"item":"lamp","quantity":2})", {202, "{}"}, {202, "{}"});
    t.in_case().call("all", "GET", target).answers(200, std::move(list));
    return t;
  };
  EXPECT_EQ(t_of(R"([{"id":1,"item":"lamp","quantity":2},{"id":2,"item":"table","quantity":2}])").verdicts(), "");
  EXPECT_EQ(t_of(R"({"total":1,"orders":[{"id":1,"item":"lamp","quantity":2}]})").verdicts(), "");
  auto twice = t_of(R"({"orders":[{"item":"lamp","quantity":2},{"item":"lamp","quantity":2}]})");
  EXPECT_EQ(twice.verdicts(), "duplicate-effect likely");
  EXPECT_NE(message(twice).find("GET /orders shows it 2 times afterwards"), std::string::npos) << message(twice);
  auto summed = sent_twice(R"({"item":"lamp"})", {202, "{}"}, {202, "{}"});
  summed.in_case().call("all", "GET", "/orders").answers(200, R"([{"item":"lamp","quantity":2}])");
  EXPECT_EQ(summed.verdicts(), "duplicate-effect likely") << "one entry for both";
  // A part of it, another list, or one that does not hold it proves nothing.
  constexpr const char* kOnce = R"([{"item":"lamp","quantity":2}])";
  for (auto& [list, target] : {std::pair(kOnce, "/orders?limit=1"), std::pair(kOnce, "/offers"),
                               std::pair("[]", "/orders"), std::pair(R"({"item":"lamp","quantity":2})", "/orders"),
                               std::pair(R"([{"item":"lamp","quantity":2},{"i)", "/orders")})
    EXPECT_EQ(t_of(list, target).verdicts(), "duplicate-effect likely") << target << list;
}

TEST(Recognition, a_put_that_counts_has_an_effect_each_time) {
  auto put = [](std::string one, std::string other) {
    return sent_twice(R"({"add":5})", {200, std::move(one)}, {200, std::move(other)}, {}, "PUT");
  };
  auto t = put(R"({"balance":5})", R"({"balance":10})");
  EXPECT_EQ(t.verdicts(), "duplicate-effect likely");
  EXPECT_NE(message(t).find("\"balance\" went from 5 to 10"), std::string::npos) << message(t);
  // Set, not added to; versions and times go up by themselves.
  EXPECT_EQ(put(R"({"balance":5,"version":1})", R"({"balance":5,"version":2})").verdicts(), "");
  EXPECT_EQ(put(R"({"revision_count":1,"total_ms":3})", R"({"revision_count":2,"total_ms":4})").verdicts(), "");
}

TEST(Recognition, reads_beside_the_references_show_a_put_that_counts) {
  auto verdicts = [](std::string r0, std::string r1, std::string v0, std::string v2) {
    Trial t;
    auto run = [](Tale& tale, std::string from, std::string to, bool lost) {
      auto number = [](std::string n) { return R"({"value":)" + n + "}"; };
      tale.call("get", "GET", "/counter").answers(200, number(from));
      tale.call("put", "PUT", "/counter");
      if (lost) tale.is_lost(Telling::reset, 204).again(kSecond);
      tale.answers(204);
      tale.call("get", "GET", "/counter").answers(200, number(to)).passes();
    };
    run(t.reference, std::move(r0), std::move(r1), false);
    run(t.in_case(), std::move(v0), std::move(v2), true);
    return t.verdicts();
  };
  EXPECT_EQ(verdicts("0", "1", "1", "3"), "duplicate-effect likely");
  EXPECT_EQ(verdicts("7", "1", "3", "1"), "") << "it is set";
  EXPECT_EQ(verdicts("0", "1", "1", "2"), "") << "the service knew it again";
}

TEST(Recognition, a_count_that_is_read_and_set_again_after_a_loss_moves_twice) {
  auto verdicts = [](const char* seen_then, const char* set_then, std::string name = "stock", bool one_call = false) {
    Trial t;
    auto number = [&](std::string n) { return "{\"" + name + "\":" + n + "}"; };
    auto put = [&](Tale& tale, std::string n) -> Tale& {
      sends(tale.call("put", "PUT", "/stock/lamp"), number(n), std::hash<std::string>{}(n));
      return tale;
    };
    t.reference.call("get", "GET", "/stock/lamp").answers(200, number("100"));
    put(t.reference, "99").answers(204).passes();
    auto& tale = t.in_case();
    tale.call("get", "GET", "/stock/lamp").answers(200, number("100"));
    put(tale, "99").is_lost(Telling::reset, 204);
    tale.call("get", "GET", "/stock/lamp").answers(200, number(seen_then));
    put(tale, set_then);
    if (one_call) tale.last().call = 2, tale.last().attempt = 2;
    tale.answers(204).passes();
    return t.verdicts();
  };
  EXPECT_EQ(verdicts("99", "98"), "duplicate-effect likely");
  EXPECT_EQ(verdicts("99", "98", "stock", true), "duplicate-effect likely") << "though it may pass for its retry";
  EXPECT_EQ(verdicts("99", "98", "left"), "duplicate-effect likely") << "whatever it is called";
  EXPECT_EQ(verdicts("99", "98", "version"), "");
  EXPECT_EQ(verdicts("99", "99"), "") << "it saw that it was done";
  EXPECT_EQ(verdicts("99", "42"), "") << "somebody else's count";
}

TEST(Recognition, a_batch_whose_entries_it_calls_known_was_stored_once) {
  constexpr const char* kRows = R"({"rows":[{"id":"r-1"},{"id":"r-2"}]})";
  Answered fresh{200, R"({"results":[{"id":"r-1","result":"created"},{"id":"r-2","result":"created"}]})"};
  Answered known{200, R"({"results":[{"id":"r-1","result":"noop"},{"id":"r-2","result":"noop"}]})"};
  Answered half{200, R"({"results":[{"id":"r-1","result":"noop"},{"id":"r-2","result":"created"}]})"};
  EXPECT_EQ(sent_twice(kRows, fresh, known).verdicts(), "");
  EXPECT_NE(sent_twice(kRows, fresh, half).verdicts(), "");
  auto said = [](const char* first, const char* second) {
    return Answered{200,
                    fmt::format(R"([{{"id":"r-1","outcome":"{}"}},{{"id":"r-2","outcome":"{}"}}])", first, second)};
  };
  EXPECT_EQ(sent_twice(kRows, said("applied", "busy"), said("known", "applied")).verdicts(), "");
  EXPECT_NE(sent_twice(kRows, said("applied", "applied"), said("known", "applied")).verdicts(), "")
      << "one of them twice";
  EXPECT_NE(sent_twice(kRows, said("done", "busy"), said("done", "busy")).verdicts(), "");
  EXPECT_EQ(sent_twice(kRows, {200, "{}"}, {200, "{}"}).verdicts(), "duplicate-effect possible")
      << "the client has named each entry";
  EXPECT_EQ(sent_twice(R"({"rows":[{"sku":"a"},{"sku":"b"}]})", {200, "{}"}, {200, "{}"}).verdicts(),
            "duplicate-effect likely");
}
TEST(Recognition, what_is_said_of_each_entry_alike_is_said_once) {
  auto sent = [](const char* answer) {
    Answered done{200, answer};
    return sent_twice(R"({"rows":[{"sku":"a"},{"sku":"b"},{"sku":"c"}]})", done, done).verdicts();
  };
  EXPECT_EQ(sent(R"({"results":[{"ok":true},{"ok":true},{"ok":true}]})"), "duplicate-effect likely");
  EXPECT_EQ(sent(R"({"results":[{"says":"un"},{"says":"deux"},{"says":"trois"}]})"), "duplicate-effect possible");
}
TEST(Recognition, a_value_a_line_is_a_batch) {
  auto sent = [](const char* lines) {
    Answered done{200, "{\"success\":true}\n{\"success\":true}\n{\"success\":true}"};
    return sent_twice(lines, done, done).verdicts();
  };
  EXPECT_EQ(sent("{\"id\":\"1\",\"title\":\"a\"}\n{\"id\":\"2\",\"title\":\"b\"}\n"), "duplicate-effect possible");
  EXPECT_EQ(sent("{\"index\":{\"_id\":\"1\"}}\n{\"title\":\"a\"}\n"), "duplicate-effect possible");
  EXPECT_EQ(sent("{\"title\":\"a\"}\n{\"title\":\"b\"}\n"), "duplicate-effect likely");
  EXPECT_EQ(sent("{\"id\":\"1\"}\n{\"id\":\"2\""), "duplicate-effect likely") << "it was cut";
}
TEST(Recognition, what_is_gone_for_the_second_was_done_once) {
  EXPECT_EQ(sent_twice(R"({"lease":"l-1"})", {204, ""}, {404, R"({"error":"no such lease"})"}).verdicts(), "");
  EXPECT_EQ(sent_twice(R"({"lease":"l-1"})", {204, ""}, {410, ""}).verdicts(), "");
}
TEST(Recognition, what_was_handed_out_with_a_delivery_names_it) {
  auto settled = [](const char* given) {
    Trial t;
    for (auto* tale : {&t.reference, &t.in_case()}) {
      tale->call("take", "POST", "/queue/receive").answers(200, given);
      tale->call("put", "POST", "/queue/nack");
      sends(*tale, R"({"lease":"ab12cd34"})");
    }
    t.reference.answers(204);
    t.in_case().is_lost(Telling::reset, 204).again(kSecond);
    sends(t.in_case(), R"({"lease":"ab12cd34"})");
    t.in_case().answers(204).passes();
    return t.verdicts();
  };
  EXPECT_EQ(settled(R"({"lease":"ab12cd34","body":{}})"), "duplicate-effect possible");
  EXPECT_EQ(settled(R"({"body":{}})"), "duplicate-effect likely");
}
TEST(Recognition, numbers_of_a_client_s_own_name_what_it_sends) {
  auto sent = [](const char* name, int step) {
    Trial t;
    auto line = [&](Tale& tale, int number) -> Tale& {
      tale.call("flush", "POST", "/audit");
      sends(tale, fmt::format(R"({{"{}":{},"text":"x"}})", name, number), static_cast<std::uint64_t>(number));
      return tale;
    };
    for (int i : {1, 1 + step}) line(t.reference, i).answers(200);
    line(t.in_case(), 1).is_lost(Telling::reset, 200).again(kSecond);
    t.in_case().last().request_sample = t.in_case().run().exchanges[0].request_sample;
    t.in_case().answers(200);
    line(t.in_case(), 1 + step).answers(200).passes();
    return t.verdicts();
  };
  EXPECT_EQ(sent("n", 1), "duplicate-effect possible");
  EXPECT_EQ(sent("n", 4), "duplicate-effect likely") << "it counts something else";
  EXPECT_EQ(sent("amount", 1), "duplicate-effect likely");
}
TEST(Recognition, a_header_that_names_the_message_is_a_name_and_one_that_names_the_request_is_none) {
  auto named = [](const char* header, const char* again) {
    Trial t;
    t.reference.call("mail", "POST", "/mails", {{header, "m-1"}}).answers(202);
    t.in_case().call("mail", "POST", "/mails", {{header, "m-1"}}).is_lost(Telling::reset, 202).again(kSecond);
    t.in_case().last().request_headers = {{header, again}};
    t.in_case().answers(202).passes();
    return t.verdicts();
  };
  EXPECT_EQ(named("X-Message-Id", "m-1"), "duplicate-effect possible");
  EXPECT_EQ(named("X-Message-Id", "m-2"), "duplicate-effect likely");
  EXPECT_EQ(named("X-Request-Id", "m-1"), "duplicate-effect likely");
}

TEST(Recognition, a_later_look_at_the_same_place_that_shows_what_it_shows_else_was_done_once) {
  auto looked = [](const char* shows, const char* at = "/issues/OPS-1/watchers") {
    Trial t;
    auto add = [](Tale& tale) -> Tale& {
      tale.call("add", "POST", "/issues/OPS-1/watchers");
      sends(tale, R"("oncall")");
      return tale;
    };
    add(t.reference).answers(204);
    t.reference.call("get", "GET", at).answers(200, R"({"count":1,"watchers":[{"name":"oncall"}]})").passes();
    t.reference.last().response_bytes = t.reference.last().response_sample.size();
    add(t.in_case()).is_lost(Telling::reset, 204);
    t.in_case().again(kSecond).answers(204);
    t.in_case().call("get", "GET", at).answers(200, shows).passes();
    t.in_case().last().response_bytes = t.in_case().last().response_sample.size();
    return t.verdicts();
  };
  EXPECT_EQ(looked(R"({"count":1,"watchers":[{"name":"oncall"}]})"), "");
  EXPECT_EQ(looked(R"({"count":2,"watchers":[{"name":"oncall"},{"name":"oncall"}]})"), "duplicate-effect likely");
  EXPECT_EQ(looked(R"({"count":1,"watchers":[{"name":"oncall"}]})", "/issues"), "duplicate-effect likely")
      << "another place";
}

TEST(Recognition, what_is_set_in_a_thing_is_set_once_where_a_later_look_at_the_thing_shows_it_as_without_the_fault) {
  auto looked = [](const char* body, const char* usual, const char* shows, const char* sent_to = "/limit") {
    Trial t;
    auto set = [&](Tale& tale, const std::string& member) -> Tale& {
      tale.call("set", "POST", "/members/" + member + sent_to);
      sends(tale, body);
      return tale;
    };
    auto look = [](Tale& tale, const std::string& member, const char* told) {
      tale.call("get", "GET", "/members/" + member).answers(200, told).passes();
      tale.last().response_bytes = tale.last().response_sample.size();
    };
    set(t.reference, "m17").answers(204);
    look(t.reference, "m17", usual);
    set(t.in_case(), "m18").is_lost(Telling::reset, 204);
    t.in_case().again(kSecond).answers(204);
    sends(t.in_case(), body);
    look(t.in_case(), "m18", shows);
    return t.verdicts();
  };
  constexpr auto kUsual = R"({"name":"m17","since":"2024-05-01T10:00:00Z","limit":7})";
  constexpr auto kLimit = R"({"limit":7})";
  EXPECT_EQ(looked(kLimit, kUsual, R"({"name":"m18","since":"2024-05-01T10:00:09Z","limit":7})"), "");
  EXPECT_EQ(looked(R"({"window":"9-12"})", R"({"name":"m17","window":"9-12"})", R"({"name":"m18","window":"9-12"})"),
            "");
  EXPECT_EQ(looked(kLimit, kUsual, R"({"name":"m18","since":"2024-05-01T10:00:09Z","limit":14})"),
            "duplicate-effect likely")
      << "it was added";
  EXPECT_EQ(looked(kLimit, R"({"limit":7,"changes":1})", R"({"limit":7,"changes":2})"), "duplicate-effect likely")
      << "something counts how often";
  EXPECT_EQ(looked(R"({"text":"hi"})", R"({"notes":[{"text":"hi"}]})", R"({"notes":[{"text":"hi"}]})"),
            "duplicate-effect likely")
      << "an entry of a list is made, and not set";
  EXPECT_EQ(looked(R"({"amount":5})", R"({"paid":5})", R"({"paid":5})", "/payments"), "duplicate-effect likely")
      << "another name";
}

TEST(Recognition, an_action_without_a_body_is_possible_where_a_later_look_at_its_thing_shows_it_as_without_the_fault) {
  auto looked = [](const char* action, const char* shows) {
    Trial t;
    auto act = [&](Tale& tale) -> Tale& {
      tale.call("act", "POST", fmt::format("/parcels/p1/{}", action)).last().request_digest = 0;
      return tale;
    };
    auto look = [](Tale& tale, const char* told) {
      tale.call("get", "GET", "/parcels/p1").answers(200, told).passes();
      tale.last().response_bytes = tale.last().response_sample.size();
    };
    act(t.reference).answers(204);
    look(t.reference, R"({"state":"sent","charged":1})");
    act(t.in_case()).is_lost(Telling::reset, 204);
    t.in_case().again(kSecond).answers(204).last().request_digest = 0;
    look(t.in_case(), shows);
    return t.verdicts();
  };
  EXPECT_EQ(looked("send", R"({"state":"sent","charged":1})"), "duplicate-effect possible");
  EXPECT_EQ(looked("send", R"({"state":"sent","charged":2})"), "duplicate-effect likely");
}

TEST(Recognition, two_answers_that_are_the_same_and_tell_much_of_themselves_may_be_reads) {
  auto answered = [](const char* body) { return sent_twice(R"({"user":"u1"})", {200, body}, {200, body}).verdicts(); };
  EXPECT_EQ(answered(R"({"flags":{"dark":true,"theme":"night"},"payloads":{"theme":"red"}})"),
            "duplicate-effect possible");
  EXPECT_EQ(answered(R"({"status":"queued","queue":"main","retained":"2d"})"), "duplicate-effect likely");
  EXPECT_EQ(answered(R"({"order":{"user":"u1"}})"), "duplicate-effect likely") << "it says what was sent";
}

TEST(Recognition, a_look_that_the_client_repeats_itself_until_the_answer_is_another_may_be_a_read) {
  constexpr auto kBusy = R"({"status":"busy","left":4})";
  auto looked = [&](const char* second, const char* last, int usual = 3) {
    Trial t;
    auto look = [](Tale& tale) -> Tale& {
      tale.call("wait", "POST", "/documents/17");
      sends(tale, "document_key=k-1");
      return tale;
    };
    for (int i = 1; i < usual; i++) look(t.reference).answers(200, kBusy);
    look(t.reference).answers(200, last);
    look(t.in_case()).is_lost(Telling::reset, 200, kBusy).again(kSecond);
    sends(t.in_case(), "document_key=k-1");
    t.in_case().answers(200, second);
    look(t.in_case()).answers(200, last).passes();
    return t.verdicts();
  };
  constexpr auto kDone = R"({"status":"done"})";
  EXPECT_EQ(looked(kBusy, kDone), "duplicate-effect possible");
  EXPECT_EQ(looked(kBusy, kBusy), "duplicate-effect likely") << "nobody waits for another answer";
  EXPECT_EQ(looked(R"({"status":"busy","left":3})", kDone), "duplicate-effect likely") << "each did something else";
  EXPECT_EQ(looked(kBusy, kDone, 1), "duplicate-effect likely") << "it is asked for once";
}

TEST(Recognition, how_much_was_used_is_told_where_nothing_is_sent) {
  auto asked = [](const char* target, std::string body) {
    Trial t;
    for (auto* tale : {&t.reference, &t.in_case()}) {
      tale->call("left", "POST", target);
      sends(*tale, body, body.empty() ? 0 : 77);
    }
    t.reference.answers(200, R"({"used":5,"of":9})");
    t.in_case().is_lost(Telling::reset, 200, R"({"used":5,"of":9})").again(kSecond);
    sends(t.in_case(), body, body.empty() ? 0 : 77);
    t.in_case().answers(200, R"({"used":5,"of":9})").passes();
    return t.verdicts();
  };
  EXPECT_EQ(asked("/v2/usage", ""), "duplicate-effect possible");
  EXPECT_EQ(asked("/v2/usage", R"({"amount":2})"), "duplicate-effect likely") << "it is noted";
  EXPECT_EQ(asked("/v2/bill", ""), "duplicate-effect likely");
}

}  // namespace
}  // namespace retrial::oracles
