#include <fmt/format.h>
#include <gtest/gtest.h>

#include "oracles/guards.h"
#include "tests/oracles/runs.h"
#include "trace/fault_name.h"

namespace retrial::oracles {
namespace {
using trace::Confidence;
using trace::Telling;

TEST(SilentWrongResult, a_call_that_recovered_and_a_failed_assertion_are_likely_one) {
  Trial t;
  t.reference.call("put", "PUT", "/stock/lamp").answers(200);
  t.in_case().call("put", "PUT", "/stock/lamp").is_lost(Telling::reset, 200);
  t.in_case().again(kSecond).answers(200).fails({assertion("assert 6 == 8")});
  EXPECT_EQ(t.verdicts(), "silent-wrong-result likely");
  auto message = t.judge().findings[0].message;
  EXPECT_NE(message.find("attempt 2 was answered 200 and delivered, and an assertion of the test failed at "
                         "tests/test_orders.py:9: AssertionError: assert 6 == 8"),
            std::string::npos)
      << message;
}

TEST(SilentWrongResult, an_assertion_that_shows_the_fault_was_told_though_the_same_went_well_afterwards) {
  auto verdicts = [](const char* text) {
    Trial t("K1", "error(transient) x 1, then pass");
    t.reference.call("put", "PUT", "/stock/lamp").answers(200);
    t.in_case().call("put", "PUT", "/stock/lamp").gets_error();
    t.in_case().again(kSecond).answers(200).fails({assertion(text)});
    return t.verdicts();
  };
  EXPECT_EQ(verdicts("Expected [200], got [503]"), "");
  EXPECT_EQ(verdicts("Expected [8], got [6]"), "silent-wrong-result likely");
}

TEST(SilentWrongResult, a_test_that_may_count_requests_at_its_own_service_is_possible_at_most) {
  auto verdicts = [](const char* text, const char* method = "PUT", const char* target = "/notices/ann") {
    Trial t;
    t.reference.call("put", method, target).answers(200);
    t.in_case().call("put", method, target).is_lost(Telling::reset, 200);
    t.in_case().again(kSecond).answers(200).fails({assertion(text)});
    return t.verdicts();
  };
  EXPECT_EQ(verdicts("assert 2 == 1"), "silent-wrong-result possible");
  EXPECT_EQ(verdicts("assert [{'to': 'ann'}, ...] == [{'to': 'ann'}] Left contains one more item: {'to': 'ann'}"),
            "silent-wrong-result possible");
  EXPECT_EQ(verdicts("assert 6 == 8"), "silent-wrong-result likely");
  EXPECT_EQ(verdicts("assert 2 == 1", "POST"), "duplicate-effect likely");
  EXPECT_EQ(verdicts("assert 2 == 1", "POST", "/tokens"), "silent-wrong-result possible") << "one more takes nothing";
  EXPECT_EQ(verdicts("assert 'tok2' == 'tok1'", "POST", "/tokens"), "silent-wrong-result possible");
}

TEST(SilentWrongResult, runners_have_assertions_of_their_own) {
  for (auto& what :
       {on_a_test_line("AssertionError", "Expected values to be strictly equal"),
        on_a_test_line("_pytest.outcomes.Failed", "DID NOT RAISE"),
        on_a_test_line("RSpec::Expectations::ExpectationNotMetError", "expected: 1190\n     got: 1000"),
        on_a_test_line("Minitest::Assertion", "Expected: 3\n  Actual: 1"),
        on_a_test_line("PHPUnit\\Framework\\ExpectationFailedException", "Failed asserting that 1 is 3")}) {
    Trial t("K1", "error(transient) x 1, then pass");
    t.reference.call("get", "GET", "/stock/lamp").answers(200);
    t.in_case().call("get", "GET", "/stock/lamp").gets_error();
    t.in_case().again(kSecond).answers(200).fails({what});
    EXPECT_EQ(t.verdicts(), "silent-wrong-result likely");
  }
}

TEST(SilentWrongResult, a_service_that_refuses_the_repeat_and_an_application_that_takes_it_for_others_is_likely) {
  Trial t;
  t.reference.call("claim", "PUT", "/reports/day.claim", {{"If-None-Match", "*"}}).answers(201);
  t.in_case().call("claim", "PUT", "/reports/day.claim", {{"If-None-Match", "*"}}).is_lost(Telling::reset, 201);
  t.in_case().again(kMillisecond).answers(409).fails({assertion("false !== true")});
  EXPECT_EQ(t.verdicts(), "silent-wrong-result likely");
  EXPECT_NE(t.judge().findings[0].message.find("answered 409 Conflict by the service itself"), std::string::npos);
}

// The call ends in the fault; `after` more calls follow in the reference, and in the case or not.
Trial ended_in_the_fault(std::string text, bool follows_in_reference, bool follows_in_case) {
  Trial t("P3", "error(transient)");
  t.reference.call("put", "PUT", "/stock/lamp").answers(200);
  if (follows_in_reference) t.reference.call("tell", "POST", "/hooks").answers(202);
  t.in_case().call("put", "PUT", "/stock/lamp").gets_error();
  t.in_case().again(kSecond).gets_error();
  if (follows_in_case) t.in_case().call("tell", "POST", "/hooks").answers(202);
  t.in_case().fails({assertion(std::move(text))});
  return t;
}

TEST(SilentWrongResult, a_test_that_fails_plainly_with_the_fault_is_clean) {
  for (auto& text : {"assert 503 == 200", "assert 'Service Unavailable' == 'ok'", "assert <Response [503]>.ok"}) {
    auto t = ended_in_the_fault(text, true, true);
    EXPECT_EQ(t.verdicts(), "") << text;
    EXPECT_EQ(t.why_not(), "") << text;
  }
}

TEST(SilentWrongResult,
     a_call_that_ended_in_the_fault_is_possible_only_where_the_application_went_on_as_if_nothing_had_been) {
  EXPECT_EQ(ended_in_the_fault("assert {} == {'lamp': 8}", true, true).verdicts(), "silent-wrong-result possible");
  for (auto [reference, in_case] : {std::pair(true, false), std::pair(false, false)}) {
    auto t = ended_in_the_fault("assert {} == {'lamp': 8}", reference, in_case);
    EXPECT_EQ(t.verdicts(), "");
    EXPECT_NE(t.why_not().find("whether the caller was told cannot be seen"), std::string::npos) << t.why_not();
  }
}

// GET /guests fails, and is taken for "there is none": the guest is made once more.
Trial found_or_made(const char* text, const char* body = R"({"name":"ann"})", int refused = 503,
                    const char* file = "src/guests.py") {
  Trial t("P3", "error(transient)");
  t.reference.call("find", "GET", "/guests?name=ann").answers(200, R"([{"id":"g1","name":"ann"}])");
  t.in_case().call("find", "GET", "/guests?name=ann").gets_error(refused);
  t.in_case().call("make", "POST", "/guests");
  t.in_case().last().request_sample = body;
  t.in_case().last().tag.site->file = file;
  t.in_case().answers(201, R"({"id":"g2"})").fails({assertion(text)});
  return t;
}

TEST(SilentWrongResult, a_failed_read_after_which_something_is_made_that_is_not_made_else_is_likely) {
  auto t = found_or_made("assert True is False");
  EXPECT_EQ(t.verdicts(), "silent-wrong-result likely");
  EXPECT_NE(
      t.judge().findings.at(0).message.find("POST /guests was then made, which the same test does not make without"),
      std::string::npos);
  EXPECT_EQ(found_or_made("assert 'told: 503' is None").verdicts(), "") << "it was told";
  EXPECT_EQ(found_or_made("assert True is False", R"({"event":"failed"})").verdicts(), "") << "somebody else was";
  EXPECT_EQ(found_or_made("assert True is False", R"({"name":"ann"})", 404).verdicts(), "") << "there is none";
  EXPECT_EQ(found_or_made("assert True is False", R"({"name":"ann"})", 503, "tests/test_orders.py").verdicts(), "")
      << "the test did";
}

TEST(SilentWrongResult, who_looks_for_a_thing_that_is_named_by_two_characters_makes_it_anew) {
  auto verdicts = [](const char* name) {
    Trial t("P3", "error(transient)");
    t.reference.call("find", "GET", fmt::format("/mandates/{}", name)).answers(200, R"({"id":"x1"})");
    t.in_case().call("find", "GET", fmt::format("/mandates/{}", name)).gets_error();
    t.in_case().call("make", "POST", "/mandates");
    t.in_case().last().request_sample = fmt::format(R"({{"member":"{}"}})", name);
    t.in_case().answers(201, R"({"id":"x2"})").passes();
    return t.verdicts();
  };
  EXPECT_EQ(verdicts("m7"), "silent-wrong-result likely");
  EXPECT_EQ(verdicts("77"), "") << "a number of two digits is many things'";
}

TEST(SilentWrongResult, what_is_sent_once_more_later_was_kept_and_not_forgotten) {
  Trial t("P3", "error(transient)");
  t.reference.call("put", "PUT", "/notices/1").answers(200);
  t.reference.call("tell", "POST", "/hooks").answers(202);
  t.in_case().call("put", "PUT", "/notices/1").gets_error();
  t.in_case().call("tell", "POST", "/hooks").answers(202);
  t.in_case().call("put", "PUT", "/notices/1").gets_error().fails({assertion("assert 1 == 2")});
  EXPECT_EQ(t.verdicts(), "");
}

TEST(SilentWrongResult, two_numbers_that_are_not_near_each_other_are_compared_and_no_failure_is_told) {
  auto rate = [](const char* text) {
    Trial t("P3", "error(transient)");
    t.reference.call("get", "GET", "/rates/GBP").answers(200, R"({"rate":1.4})");
    t.in_case().call("get", "GET", "/rates/GBP").gets_error().fails({assertion(text)});
    return t.verdicts();
  };
  EXPECT_EQ(rate("assert 13 == 14"), "silent-wrong-result possible");
  EXPECT_EQ(rate("assert 1.3 == 1.4 ± 1.4e-06\n  comparison failed\n  Obtained: 1.3\n  Expected: 1.4 ± 1.4e-06"),
            "silent-wrong-result possible");
  EXPECT_EQ(rate("assert 'failed' == 14"), "");
}

TEST(SilentWrongResult, a_list_of_what_failed_tells_of_it) {
  auto returned = [](const char* text, const char* target = "/days/2024-02-01") {
    Trial t("P3", "error(transient)");
    t.reference.call("push", "PUT", target).answers(200);
    t.in_case().call("push", "PUT", target).gets_error().fails({assertion(text)});
    return t.verdicts();
  };
  EXPECT_EQ(returned("assert ['2024-02-01'] == []"), "");
  EXPECT_EQ(returned("expected { sent: [], failed: [ 'a' ] } to equal { sent: [ 'a' ], failed: [] }"), "");
  EXPECT_EQ(returned("assert ['2024-03-01'] == []"), "silent-wrong-result possible");
  EXPECT_EQ(returned("assert set() == {'Dune', 'Emma'}"), "silent-wrong-result possible");
  EXPECT_EQ(returned("Set(0) {} deepEqual Set(2) { 'Dune', 'Emma' }"), "silent-wrong-result possible");
  EXPECT_EQ(returned("Tuples differ: (['a', 'c'], ['b']) != (['a', 'b', 'c'], [])", "/skus/b"), "");
  EXPECT_EQ(returned("Failed: [m-1]", "/meters/m-1/switch"), "");
  EXPECT_EQ(returned("Lists differ: ['a', 'c'] != ['a', 'b', 'c']", "/skus/b"), "silent-wrong-result possible");
}

TEST(SilentWrongResult, an_exceptions_text_that_the_test_has_a_pattern_for_is_no_data) {
  for (auto* form :
       {"Regex pattern did not match.\n  Expected regex: 'not zero'\n  Actual message: '%s'",
        "Expected substring: \"not zero\"\nReceived message: \"%s\"",
        "expected [Function] to throw error including 'not zero' but got '%s'", "\"not zero\" does not match \"%s\""}) {
    Trial t("P3", "error(transient)");
    t.reference.call("get", "GET", "/balances/7").answers(200);
    t.in_case().call("get", "GET", "/balances/7").gets_error();
    auto said = "503: Service Unavailable (retrial-" + t.in_case().last().fault_id + ")";
    std::string text = form;
    text.replace(text.find("%s"), 2, said);
    t.in_case().fails({assertion(text)});
    EXPECT_EQ(t.verdicts(), "") << text;
    EXPECT_EQ(t.why_not(), "") << text;
  }
}

TEST(SilentWrongResult, another_content_without_a_word_of_the_fault_is_possible_and_a_truth_value_is_not_judged) {
  for (auto* text : {"assert 4 == 6", "expected [] to deeply equal [ 'a', 'b', 'c' ]"})
    EXPECT_EQ(ended_in_the_fault(text, true, false).verdicts(), "silent-wrong-result possible") << text;
  for (auto* text :
       {"assert False == True", "assert 1 == 0", "expected undefined to be 'blue'", "assert None == [1]"}) {
    auto t = ended_in_the_fault(text, true, false);
    EXPECT_EQ(t.verdicts(), "") << text;
    EXPECT_NE(t.why_not(), "") << text;
  }
}

TEST(SilentWrongResult, a_service_that_gives_the_very_error_that_was_injected_is_not_told_apart_from_the_fault) {
  Trial t("K1", "error(transient) x 1, then pass");
  t.reference.call("get", "GET", "/stock/lamp").answers(200);
  t.in_case().call("get", "GET", "/stock/lamp").gets_error();
  t.in_case().again(kSecond).answers(503).fails({assertion("assert None == 8")});
  EXPECT_EQ(t.verdicts(), "");
  EXPECT_NE(t.why_not(), "");
}

Trial wrote(const char* before, const char* now, const char* text = "assert 0 == 2") {
  Trial t("P3", "error(transient)");
  t.reference.call("cities", "GET", "/cities").answers(200);
  t.reference.call("forecast", "GET", "/forecast/oslo").answers(200);
  t.reference.call("send", "POST", "/digests");
  t.reference.last().request_sample = before;
  t.reference.answers(201);
  t.in_case().call("cities", "GET", "/cities").gets_error();
  t.in_case().call("send", "POST", "/digests");
  t.in_case().last().request_sample = now;
  t.in_case().answers(201).fails({assertion(text)});
  return t;
}

// Nobody noticed: the test passed.
std::string kept(const char* before, const char* now, int writes = 1, int status = 503, bool asks_again = false) {
  Trial t("K1", "error(transient) x 1, then pass");
  t.reference.call("rates", "GET", "/rates").answers(200);
  t.in_case().call("rates", "GET", "/rates").gets_error(status);
  for (auto* tale : {&t.reference, &t.in_case()}) {
    for (int i = 0; i < writes; i++) {
      tale->call("quote", "PUT", "/quotes/7");
      tale->last().request_sample = tale == &t.reference ? before : now;
      tale->answers(200);
    }
    if (asks_again) tale->call("rates", "GET", "/rates").answers(200);
    tale->passes();
  }
  return t.verdicts();
}

TEST(SilentWrongResult, a_failure_that_is_kept_as_an_answer_and_written_on_is_likely_though_all_ends_well) {
  constexpr const char* kAll = R"({"day":"d1","items":[{"cents":5}],"total":5})";
  EXPECT_EQ(kept(kAll, R"({"day":"d1","items":[],"total":0})"), "silent-wrong-result likely");
  EXPECT_EQ(kept(kAll, R"({"day":"d1","items":[{"cents":5}],"total":0})"), "") << "a part is left out";
  EXPECT_EQ(kept(kAll, R"({"day":"d1","items":[{"cents":5}],"total":0})", 3), "silent-wrong-result likely");
  EXPECT_EQ(kept(kAll, R"({"day":"d1","items":[],"total":0})", 3, 503, true), "") << "it is looked for again";
  EXPECT_EQ(kept(kAll, R"({"day":"d1","items":[],"total":0})", 3, 404), "") << "there is nothing";
  EXPECT_EQ(kept(kAll, R"({"day":"d1","status":"unknown"})", 3), "");
}

TEST(SilentWrongResult, a_failure_that_is_taken_for_nothing_and_written_on_is_likely) {
  auto t = wrote(R"({"at":17,"lines":["oslo: 14","rome: 20"]})", R"({"at":18,"lines":[]})");
  EXPECT_EQ(t.verdicts(), "silent-wrong-result likely");
  EXPECT_NE(t.judge().findings.at(0).message.find("POST /digests was then made without data that it has else"),
            std::string::npos);
  EXPECT_EQ(wrote(R"({"count":3})", R"({"count":0})").verdicts(), "silent-wrong-result likely");
  EXPECT_EQ(wrote(R"({"line":["a"],"lines":[{"id":1}]})", R"({"line":[],"lines":[{"id":1}]})").verdicts(),
            "silent-wrong-result likely");
  EXPECT_EQ(wrote(R"({"items":[{"id":1}]})", R"({"items":[]})").verdicts(), "silent-wrong-result likely");
}

TEST(SilentWrongResult, a_write_that_holds_as_much_or_tells_of_the_failure_proves_nothing) {
  EXPECT_EQ(wrote(R"({"at":17,"lines":["a"]})", R"({"at":18,"lines":["b"]})").verdicts(), "");
  EXPECT_EQ(wrote(R"({"items":[{"id":1}]})", R"({"items":[{"id":7}]})").verdicts(), "");
  EXPECT_EQ(wrote(R"({"count":3})", R"({"status":"failed"})").verdicts(), "");
  EXPECT_EQ(wrote(R"({"count":3})", R"({"count":0})", "assert 503 == 200").verdicts(), "") << "the test was told";
}

// A price is read, and written on; the read is given up.
Trial priced(std::string writes, const char* target = "/prices/lamp") {
  Trial t("K1", "error(transient) x 1, then pass");
  t.reference.call("get", "GET", target).answers(200, R"({"price":42})");
  t.reference.call("put", "PUT", "/offers/lamp").last().request_sample = R"({"sku":"lamp","price":42})";
  t.reference.answers(200);
  t.in_case().call("get", "GET", target).gets_error();
  t.in_case().call("put", "PUT", "/offers/lamp").last().request_sample = std::move(writes);
  t.in_case().answers(200).passes();
  return t;
}

TEST(SilentWrongResult, a_value_from_elsewhere_that_is_written_where_it_is_read_else_is_likely) {
  EXPECT_EQ(priced(R"({"sku":"lamp","price":39})").verdicts(), "silent-wrong-result likely");
  EXPECT_EQ(priced(R"({"sku":"lamp","price":42})").verdicts(), "");
  EXPECT_EQ(priced(R"({"sku":"lamp","price":39,"stale":true})").verdicts(), "") << "it is said";
  EXPECT_EQ(priced(R"({"sku":"desk","price":39})").verdicts(), "") << "it is of something else";
}

TEST(SilentWrongResult, a_failure_of_the_services_is_no_answer_whether_it_passes_or_not) {
  for (auto [status, said] : {std::pair(500, "silent-wrong-result likely"), std::pair(404, "")}) {
    auto t = priced(R"({"sku":"lamp","price":39})");
    t.in_case().run().exchanges[0].fault.status = t.in_case().run().exchanges[0].client_status = status;
    EXPECT_EQ(t.verdicts(), said);
  }
}

TEST(SilentWrongResult, a_default_or_a_sum_without_what_was_read_is_a_value_from_elsewhere_too) {
  auto wrote = [](std::string usual, const char* now, const char* read) {
    auto t = priced(now);
    t.reference.run().exchanges[0].response_sample = read;
    t.reference.run().exchanges[1].request_sample = std::move(usual);
    return t.verdicts();
  };
  EXPECT_EQ(wrote(R"({"sku":"lamp","stock":7,"at":3})", R"({"sku":"lamp","stock":0,"at":3})", R"({"total":7})"),
            "silent-wrong-result likely");
  EXPECT_EQ(wrote(R"({"sku":"lamp","stock":7,"at":3})", R"({"sku":"lamp","stock":9,"at":3})", R"({"total":7})"), "");
  EXPECT_EQ(wrote(R"({"sku":"lamp","cents":5500})", R"({"sku":"lamp","cents":4000})", R"({"surcharge":1500})"),
            "silent-wrong-result likely");
  EXPECT_EQ(wrote(R"({"sku":"lamp","km":505.5})", R"({"sku":"lamp","km":410})", R"({"km":95.5})"),
            "silent-wrong-result likely");
  EXPECT_EQ(wrote(R"({"sku":"lamp","km":505.5})", R"({"sku":"lamp","km":411})", R"({"km":95.5})"), "");
  EXPECT_EQ(wrote(R"({"sku":"lamp","cents":60000})", R"({"sku":"lamp","cents":50000})", R"({"factor":1.2})"),
            "silent-wrong-result likely");
  EXPECT_EQ(wrote(R"({"sku":"lamp","cents":60000})", R"({"sku":"lamp","cents":51000})", R"({"factor":1.2})"), "");
  EXPECT_EQ(wrote(R"({"sku":"lamp","cents":100})", R"({"sku":"lamp","cents":10})", R"({"rate":30})"), "")
      << "it is no multiple";
  EXPECT_EQ(wrote(R"({"sku":"lamp","at":5500})", R"({"sku":"lamp","at":4000})", R"({"surcharge":1500})"), "")
      << "times are others in each run";
  EXPECT_EQ(wrote(R"({"sku":"lamp","cents":28})", R"({"sku":"lamp","cents":25})", R"({"surcharge":3})"),
            "silent-wrong-result likely");
  EXPECT_EQ(wrote(R"({"sku":"lamp","cents":4100})", R"({"sku":"lamp","cents":3000})", R"({"rate":41})"),
            "silent-wrong-result likely");
  EXPECT_EQ(wrote(R"({"sku":"lamp","cents":4100})", R"({"sku":"lamp","cents":3001})", R"({"rate":41})"), "");
  constexpr const char* kLeast = R"({"sku":"lamp","cents":-9223372036854775808})";
  for (auto* read : {R"({"rate":-1})", R"({"rate":9223372036854775807})", R"({"rate":0})"})
    EXPECT_EQ(wrote(kLeast, R"({"sku":"lamp","cents":9223372036854775807})", read), "") << read;
}

TEST(SilentWrongResult, a_text_without_what_was_read_is_made_of_the_failure) {
  auto wrote = [](const char* label) {
    auto t = priced(label);
    t.reference.run().exchanges[0].response_sample = R"({"crop":"tomato"})";
    t.reference.run().exchanges[1].request_sample = R"({"sku":"lamp","label":"tomato / bed 3"})";
    return t.verdicts();
  };
  for (auto* label : {" / bed 3", "unknown / bed 3", "bed 3"})
    EXPECT_EQ(wrote((R"({"sku":"lamp","label":")" + std::string(label) + "\"}").c_str()), "silent-wrong-result likely")
        << label;
  for (auto* label : {"tomato / bed 3", "tomato / bed 4", "carrot / bed 4"})
    EXPECT_EQ(wrote((R"({"sku":"lamp","label":")" + std::string(label) + "\"}").c_str()), "") << label;
}

TEST(SilentWrongResult, so_is_what_an_rpc_writes_of_one_that_could_not_be_read) {
  auto message = [](std::string fields) {
    return std::string("\0\0\0\0", 4) + static_cast<char>(fields.size()) + fields;
  };
  const std::string lamp("\x0a\x04lamp", 6), tons("\x10\x90\x4e", 3), others("\x10\x64", 2);
  auto put = [&](const std::string& fields, const char* read = "/harbour.Dues/GetTonnage") {
    Trial t("P3", "error(503)");
    for (auto* tale : {&t.reference, &t.in_case()}) {
      tale->rpc("get", read);
      if (tale == &t.in_case())
        tale->gets_error();
      else
        tale->answers(200, message(tons));
      tale->rpc("put", "/harbour.Dues/PutDues").last().request_sample =
          message(tale == &t.in_case() ? fields : lamp + tons);
      tale->answers(200, message(""));
    }
    t.in_case().passes();
    return t.verdicts();
  };
  EXPECT_EQ(put(lamp), "silent-wrong-result likely") << "0 is left out";
  EXPECT_EQ(put(lamp + others), "silent-wrong-result likely");
  EXPECT_EQ(put(lamp + tons), "");
  EXPECT_EQ(put("\x0a\x04"
                "desk" +
                others),
            "")
      << "it is of something else";
  EXPECT_EQ(put(lamp, "/harbour.Dues/BookTonnage").find("silent"), std::string::npos) << "nothing was read";
}

TEST(SilentWrongResult, what_is_written_of_a_list_and_of_one_that_could_not_be_read_not_at_all_is_possible) {
  auto purged = [](const char* list, bool makes_one, bool makes_another, const char* first = "/retention/a-1001",
                   const char* second = "/retention/a-1002") {
    Trial t("P3", "error(503)");
    t.reference.call("list", "GET", "/expired").answers(200, list);
    t.in_case().call("list", "GET", "/expired").gets_error();
    for (auto* target : {first, second}) {
      t.reference.call("purge", "DELETE", target).answers(204);
      if (makes_one) t.in_case().call("purge", "DELETE", target).answers(204);
      makes_one = false;
    }
    if (makes_another) t.in_case().call("report", "POST", "/alerts").answers(201, R"({"id":"x-7001"})");
    t.in_case().passes();
    return t.verdicts();
  };
  constexpr const char* kList = R"({"items":["a-1001","a-1002"]})";
  EXPECT_EQ(purged(kList, false, false), "silent-wrong-result possible");
  EXPECT_EQ(purged(kList, true, false), "");
  EXPECT_EQ(purged(kList, false, true), "");
  EXPECT_EQ(purged(R"({"items":["b-1001","b-1002"]})", false, false), "") << "nothing of it is handed on";
  EXPECT_EQ(purged(R"({"items":[7,8]})", false, false, "/held/7", "/held/8"), "silent-wrong-result possible");
  EXPECT_EQ(purged(R"({"items":[7,8]})", false, false, "/held/7", "/held/9"), "") << "one short value";
}

TEST(SilentWrongResult, the_first_part_of_what_is_written_else_after_a_read_that_was_cut_is_likely) {
  for (const char* body : {"name,total\nlamp,", "name,total\ndesk,", "name,total\nlamp,42\n"}) {
    auto t = priced(body);
    t.reference.run().exchanges[1].request_sample = "name,total\nlamp,42\n";
    t.in_case().run().exchanges[0].fault.point = trace::Point::in_body;
    for (auto* run : {&t.reference.run(), &t.in_case().run()})
      run->exchanges[1].request_bytes = run->exchanges[1].request_sample.size();
    bool part = std::string_view(body).ends_with("lamp,");
    EXPECT_EQ(t.verdicts(), part ? "silent-wrong-result likely" : "") << body;
  }
}

// A summary that a model streams; the next ticket's is asked for at the same path.
TEST(SilentWrongResult, the_first_part_of_what_a_post_was_answered_is_likely_if_it_only_reads) {
  auto filed = [](const char* path, std::uint64_t next) {
    Trial t("observe", "close(in-body)");
    for (auto* tale : {&t.reference, &t.in_case()}) {
      tale->call("digest", "POST", path).last().request_digest = 1;
      tale == &t.reference ? tale->answers(200, "data: It\n\ndata: was paid\n\n") : tale->is_lost(Telling::close, 200);
      if (tale != &t.reference) tale->last().fault = {.name = trace::FaultName::close, .point = trace::Point::in_body};
      tale->call("file", "PUT", "/documents/t-1");
      tale->last().request_sample = tale == &t.reference ? R"({"summary":"It was paid"})" : R"({"summary":"It"})";
      tale->answers(200);
      tale->call("digest", "POST", path).last().request_digest = next;
      tale->answers(200).passes();
    }
    return t.verdicts();
  };
  EXPECT_EQ(filed("/v1/chat/completions", 2), "silent-wrong-result likely");
  EXPECT_EQ(filed("/v1/chat/completions", 1), "") << "it was asked for again";
  EXPECT_EQ(filed("/v1/tickets", 2), "") << "it may be a write";
}

TEST(SilentWrongResult, a_test_that_passes_on_the_first_part_of_a_file_is_likely) {
  auto cut = [](const char* type, bool again, bool passes, const char* said = "assert 12 == 40") {
    Trial t("B1", "close(in-body) x 1, then pass");
    t.reference.call("get", "GET", "/report")
        .answers(200, "name,total", {{"content-type", type}, {"content-length", "40"}});
    t.reference.last().response_bytes = 40;
    t.in_case().call("get", "GET", "/report").is_lost(Telling::close, 200);
    t.in_case().last().fault.point = trace::Point::in_body;
    if (again) t.in_case().again(kSecond).answers(200);
    passes ? void(t.in_case().passes()) : void(t.in_case().fails({assertion(said)}));
    return t.verdicts();
  };
  EXPECT_EQ(cut("text/csv", false, true), "silent-wrong-result likely");
  EXPECT_EQ(cut("text/csv", true, true), "");
  EXPECT_EQ(cut("application/json", false, true), "") << "it cannot be read";
  EXPECT_EQ(cut("text/csv", false, false), "silent-wrong-result likely");
  EXPECT_EQ(cut("text/csv", false, false, "assert 'unexpected EOF' is None"), "");
}

TEST(SilentWrongResult, another_text_in_place_of_what_the_answer_tells_is_possible) {
  auto given = [](const char* text, const char* method = "GET") {
    Trial t("P3", "error(503)");
    t.reference.call("track", method, "/track/p-1").answers(200, R"({"status":"in_transit"})");
    t.in_case().call("track", method, "/track/p-1").gets_error();
    t.in_case().fails({assertion(text)});
    return t.verdicts();
  };
  EXPECT_EQ(given("AssertionError: assert 'unknown' == 'in_transit'"), "silent-wrong-result possible");
  EXPECT_EQ(given("AssertionError: assert 'unavailable' == 'in_transit'"), "") << "it was told";
  EXPECT_EQ(given("AssertionError: assert 'unknown' == 'delivered'"), "") << "nothing that was read";
  EXPECT_EQ(given("AssertionError: assert 'unknown' == 'in_transit'", "POST"), "");
}

TEST(SilentWrongResult, what_a_failed_read_would_have_forbidden_is_likely) {
  for (auto& [target, verdict] : {std::pair("/payments", "silent-wrong-result likely"), std::pair("/reviews", "")}) {
    Trial t("K1", "error(transient) x 1, then pass");
    auto pay = [&](Tale& run, const char* who) {
      run.call("get", "GET", std::string("/risk/") + who);
      std::string(who) == "mallory" && &run == &t.in_case() ? run.gets_error() : run.answers(200);
      if (std::string(who) == "mallory" && &run == &t.reference) return;
      run.call("pay", "POST", target).last().request_sample = std::string(R"({"who":")") + who + R"("})";
      run.last().request_digest = static_cast<std::uint64_t>(*who);
      run.answers(201);
    };
    for (auto* run : {&t.reference, &t.in_case()})
      for (auto* who : {"alice", "mallory"}) pay(*run, who);
    t.in_case().passes();
    EXPECT_EQ(t.verdicts(), verdict) << target;
  }
}

TEST(SilentWrongResult, what_only_another_test_writes_after_such_a_look_is_forbidden_by_it) {
  for (auto& [site, method, verdict] : {std::tuple("settle", "POST", "silent-wrong-result likely"),
                                        std::tuple("audit", "POST", ""), std::tuple("settle", "PUT", "")}) {
    Trial t("K1", "error(transient) x 1, then pass");
    Tale other(trace::RunKind::alone);
    auto settle = [&](Tale& run, const char* at) {
      run.call(at, method, "/ledger/entries").last().request_sample = R"({"invoice":"inv-17"})";
      run.answers(201);
    };
    other.call("look", "GET", "/settled/inv-17").answers(404);
    settle(other, "settle");
    Guards guards;
    guards.learn(other.run());
    t.reference.call("look", "GET", "/settled/inv-17").answers(200, R"({"done":true})");
    t.row.guards = guards.kept_by(t.reference.last());
    t.in_case().call("look", "GET", "/settled/inv-17").gets_error();
    settle(t.in_case(), site);
    t.in_case().passes();
    EXPECT_EQ(t.verdicts(), verdict) << site << method;
  }
}

TEST(SilentWrongResult, a_thing_that_is_made_once_more_where_it_could_not_be_looked_for_is_likely) {
  auto made = [](const char* target, const char* body) {
    Trial t("P3", "error(transient)");
    t.reference.call("find", "GET", "/vessels/9000001").answers(200, R"({"imo":"9000001","name":"Skagen"})");
    t.in_case().call("find", "GET", "/vessels/9000001").gets_error();
    t.in_case().call("make", "POST", target).last().request_sample = body;
    t.in_case().answers(201).passes();
    return t.verdicts();
  };
  EXPECT_EQ(made("/vessels", R"({"imo":"9000001","name":"Skagen"})"), "silent-wrong-result likely");
  EXPECT_EQ(made("/vessels", R"({"imo":"9000002","name":"Skagen"})"), "") << "another";
  EXPECT_EQ(made("/reviews", R"({"imo":"9000001"})"), "") << "it is told to somebody";
  for (auto* mail : {"eva@lift", "ada@lift"}) {
    Trial t("P3", "error(transient)");
    t.reference.call("find", "GET", "/skiers?mail=eva%40lift").answers(200, R"([{"id":7}])");
    t.in_case().call("find", "GET", "/skiers?mail=eva%40lift").gets_error();
    t.reference.call("make", "POST", "/skiers").last().request_sample = R"({"mail":"new@lift"})";
    t.reference.answers(201);
    t.in_case().call("make", "POST", "/skiers").last().request_sample = fmt::format(R"({{"mail":"{}"}})", mail);
    t.in_case().answers(201).passes();
    EXPECT_EQ(t.verdicts(), std::string_view(mail).starts_with("eva") ? "silent-wrong-result likely" : "");
  }
}

TEST(SilentWrongResult, what_is_looked_for_by_several_names_or_by_a_named_one_is_made_once_more_too) {
  auto made = [](const char* read, const char* body, const char* answer = R"({"id":"p-2"})") {
    Trial t("P3", "error(transient)");
    t.reference.call("find", "GET", read).answers(200, R"({"id":"p-1","name":"ada","born":"1815-12-10"})");
    t.in_case().call("find", "GET", read).gets_error();
    t.in_case().call("make", "POST", "/patients").last().request_sample = body;
    t.in_case().answers(201, answer).passes();
    return t.verdicts();
  };
  constexpr auto kAda = R"({"name":"ada","born":"1815-12-10"})", kFound = "silent-wrong-result likely";
  EXPECT_EQ(made("/patients/ada/1815-12-10", kAda), kFound);
  EXPECT_EQ(made("/patients/alan/1815-12-10", kAda), "") << "another, born on that day";
  EXPECT_EQ(made("/patients/by-born/1815-12-10", kAda), kFound);
  EXPECT_EQ(made("/patients/born/1815-12-10", kAda), kFound);
  EXPECT_EQ(made("/patients/search?name=ada&born=1815-12-10", kAda), kFound);
  EXPECT_EQ(made("/patients?born=1815-12-10&limit=1", kAda), kFound);
  EXPECT_EQ(made("/patients?born=1815-12-10&name=alan", kAda), "") << "not what was looked for";
  EXPECT_EQ(made("/patients/ward-3/1815-12-10", kAda), "") << "below something else";
  EXPECT_EQ(made("/patients/ada/1815-12-10", kAda, R"({"id":"p-1"})"), "") << "its service knew it";
  Trial t("P3", "error(transient)");
  t.reference.call("find", "GET", "/cache/entries/page-104").answers(200, R"({"key":"page-104","html":"x"})");
  t.in_case().call("find", "GET", "/cache/entries/page-104").gets_error();
  t.in_case().call("keep", "POST", "/cache/entries").last().request_sample = R"({"key":"page-104","html":"x"})";
  t.in_case().answers(201).passes();
  EXPECT_EQ(t.verdicts(), "") << "kept once more";
}

TEST(SilentWrongResult, a_document_that_is_written_over_without_what_could_not_be_read_is_likely) {
  auto wrote = [](const char* method, const char* credits) {
    Trial t("P3", "error(transient)");
    for (auto* tale : {&t.reference, &t.in_case()}) {
      tale->call("credits", "GET", "/credits/f1");
      tale == &t.reference ? tale->answers(200, credits) : tale->gets_error();
      tale->call("put", method, "/dossiers/f1").last().request_sample =
          tale == &t.reference ? R"({"title":"Sun","year":1927,"director":"Murnau","camera":"Struss"})"
                               : R"({"title":"Sun","year":1927})";
      tale->answers(200);
    }
    t.in_case().passes();
    return t.verdicts();
  };
  constexpr const char* kCredits = R"({"director":"Murnau","camera":"Struss"})";
  EXPECT_EQ(wrote("PUT", kCredits), "silent-wrong-result likely");
  EXPECT_EQ(wrote("POST", kCredits), "") << "a part may be left out of what is new";
  EXPECT_EQ(wrote("PUT", R"({"director":"Murnau"})"), "") << "another knew the rest";
}

constexpr const char* kError =
    R"x({"error":{"code":"ServiceUnavailable","message":"try again (retrial-f1)","status":503}})x";

Trial read_as_data(std::string said, const char* site = "get") {
  Trial t("P3", "error(transient)");
  t.reference.call(site, "GET", "/stock/lamp").answers(200);
  t.in_case().call(site, "GET", "/stock/lamp").gets_error().saying(kError);
  t.in_case().fails({assertion(std::move(said))});
  return t;
}

TEST(SilentWrongResult, an_errors_body_that_the_test_finds_where_the_data_should_be_is_likely) {
  const std::string python =
      "assert {'error': {'code': 'ServiceUnavailable', 'message': 'try again (retrial-f1)', 'status': 503}} == ";
  const std::string node =
      "Expected values to be strictly deep-equal:\n+ { error: { code: 'ServiceUnavailable', message: 'try again "
      "(retrial-f1)', status: 503 } }\n- { lamp: 8 }";
  for (auto& said : {python + "{'lamp': 8}", node}) {
    auto t = read_as_data(said);
    EXPECT_EQ(t.verdicts(), "silent-wrong-result likely") << said;
    auto message = t.judge().findings.at(0).message;
    EXPECT_NE(message.find("It found the body of that 503 Service Unavailable where the data should be"),
              std::string::npos)
        << message;
  }
  EXPECT_EQ(read_as_data(python + "8", "").verdicts(), "silent-wrong-result possible")
      << "the test itself may have read it";
}

TEST(SilentWrongResult, an_errors_body_that_a_shared_client_gave_to_the_test_itself_is_possible) {
  auto t = read_as_data(std::string("assert '") + kError + "' == '[1]'", "get");
  for (auto* tale : {&t.reference, &t.in_case()}) {
    tale->call("send", "POST", "/stock").answers(201);
    tale->last().tag.site->callers = "src/shop.py:3:sell";
  }
  EXPECT_EQ(t.verdicts(), "silent-wrong-result possible");
}

TEST(SilentWrongResult, an_errors_body_that_is_written_where_the_data_should_be_is_likely) {
  auto written = [](const std::string& body) {
    Trial t("P3", "error(transient)");
    t.reference.call("read", "GET", "/forecast").answers(200);
    auto post = [](Tale& tale, std::string text) -> Tale& {
      tale.call("post", "PUT", "/board").last().request_sample = std::move(text);
      return tale.answers(200);
    };
    post(t.reference, R"({"text":"dry and mild"})");
    t.in_case().call("read", "GET", "/forecast").gets_error().saying(kError);
    post(t.in_case(), body).passes();
    return t.verdicts();
  };
  std::string inner(kError);
  for (std::size_t at = 0; (at = inner.find('"', at)) != inner.npos; at += 2) inner.insert(at, 1, '\\');
  EXPECT_EQ(written("{\"text\":\"" + inner + "\"}"), "silent-wrong-result likely");
  EXPECT_EQ(written(R"x({"text":"failed: 503 try again (retrial-f1)"})x"), "");
}

TEST(SilentWrongResult, the_test_of_a_call_site_that_gives_its_caller_errors_as_answers_has_read_it_itself) {
  auto t = read_as_data(
      "{'error': {'code': 'ServiceUnavailable', 'message': 'try again (retrial-f1)', 'status': 503}} == 8");
  ASSERT_EQ(t.verdicts(), "silent-wrong-result likely");
  t.row.hands_on_errors = true;
  EXPECT_EQ(t.verdicts(), "");
  EXPECT_EQ(t.judge().not_judged.size(), 1u);
}

TEST(SilentWrongResult, an_assertion_that_shows_the_error_beside_its_body_was_told) {
  const std::string body =
      "{'error': {'code': 'ServiceUnavailable', 'message': 'try again (retrial-f1)', 'status': 503}}";
  for (auto& said :
       {body + "\nassert 503 == 200", "unexpected status: " + body, "expected Error: " + body + " to not exist",
        "get: err = " + body, std::string("assert 'try again (retrial-f1)' == 8")})
    EXPECT_EQ(read_as_data(said).verdicts(), "") << said;
}

TEST(SilentWrongResult, a_delay_alone_is_possible_at_most) {
  Trial t("D", "delay(20ms)");
  t.reference.call("put", "PUT", "/stock/lamp").answers(200);
  t.in_case().call("put", "PUT", "/stock/lamp").is_delayed().answers(200).fails({assertion("assert 1.02 < 1")});
  EXPECT_EQ(t.verdicts(), "silent-wrong-result possible");
}

TEST(SilentWrongResult, an_assertion_of_the_application_or_outside_the_tests_body_is_not_judged) {
  for (bool own : {true, false}) {
    Trial t("K1", "error(transient) x 1, then pass");
    t.reference.call("get", "GET", "/stock/lamp").answers(200);
    t.in_case().call("get", "GET", "/stock/lamp").gets_error();
    t.in_case().again(kSecond).answers(200);
    own ? t.in_case().fails({thrown("builtins.AssertionError", "assert stock")})
        : t.in_case().fails({assertion("assert 0")}, trace::Phase::teardown);
    EXPECT_EQ(t.verdicts(), "");
    EXPECT_NE(t.why_not(), "");
  }
}

TEST(SilentWrongResult, a_right_retry_is_clean) {
  Trial t("K1", "error(transient) x 1, then pass");
  t.reference.call("get", "GET", "/stock/lamp").answers(200);
  t.in_case().call("get", "GET", "/stock/lamp").gets_error();
  t.in_case().again(kSecond).answers(200).passes();
  EXPECT_EQ(t.verdicts(), "");
  EXPECT_EQ(t.why_not(), "");
}

TEST(SilentWrongResult, is_never_surer_than_the_correlation) {
  Trial t;
  t.reference.call("put", "PUT", "/stock/lamp").answers(200);
  t.in_case().call("put", "PUT", "/stock/lamp").is_lost(Telling::reset, 200);
  t.in_case().again(kSecond, Confidence::possible).answers(200).fails({assertion("assert 6 == 8")});
  EXPECT_EQ(t.verdicts(), "silent-wrong-result possible");
}

TEST(SilentWrongResult, as_many_bytes_as_the_errors_body_has_are_that_body) {
  for (auto [text, verdict] :
       {std::pair("Expected values to be strictly equal: 147 !== 20000", "silent-wrong-result likely"),
        {"Expected values to be strictly equal: 146 !== 20000", "silent-wrong-result possible"}}) {
    Trial t("P3", "error(503)");
    t.reference.call("get", "GET", "/files/f1/content").answers(200, std::string(20000, 'x'));
    t.in_case().call("get", "GET", "/files/f1/content").gets_error().saying(std::string(147, 'e'));
    t.in_case().fails({assertion(text)});
    EXPECT_EQ(t.verdicts(), verdict);
  }
}

TEST(SilentWrongResult, how_long_something_took_is_what_the_fault_did) {
  for (auto [text, verdict] : {std::pair("Time is wrong: dt=1m0.4s", "silent-wrong-result possible"),
                               {"contents are wrong", "silent-wrong-result likely"}}) {
    Trial t("P1", "lost-response(stall) x 1, then pass");
    t.reference.call("head", "HEAD", "/files/f1").answers(200);
    t.in_case().call("head", "HEAD", "/files/f1").is_lost(Telling::stall, 200).client_leaves(60 * kSecond);
    t.in_case().again(kMillisecond).answers(200).fails({assertion(text)});
    EXPECT_EQ(t.verdicts(), verdict);
  }
}

TEST(SilentWrongResult, an_exception_that_nobody_looked_at_is_likely_where_the_test_finds_something_else) {
  auto left = [](const char* unheard, const char* link = "unheard", const char* type = "HTTPStatusError") {
    Trial t("P3", "error(503)");
    t.reference.call("claim", "POST", "/claims").answers(201);
    t.in_case().call("claim", "POST", "/claims").gets_error();
    t.in_case().fails({assertion("assert [] == ['R-9']"), {.type = type, .message = unheard, .link = link}});
    return t.verdicts();
  };
  EXPECT_EQ(left("503 Service Unavailable"), "silent-wrong-result likely");
  EXPECT_EQ(left("no such claim", "unheard", "KeyError"), "silent-wrong-result possible") << "of something else";

  EXPECT_EQ(left("503 Service Unavailable", "expected"), "") << "the test was told";
}

}  // namespace
}  // namespace retrial::oracles
