#include <gtest/gtest.h>

#include "oracles/evidence.h"
#include "tests/oracles/runs.h"
#include "trace/fault_name.h"

namespace retrial::oracles {
namespace {
using trace::Confidence;
using trace::Phase;
using trace::Telling;

const std::vector<trace::Header> kAzure = {{"x-ms-version", "2025-11-05"}, {"x-ms-client-request-id", "11"}};

// The first response is lost, the client sends the request again and gets `status` for its own first success.
Trial answered_differently(std::vector<trace::Thrown> chain, int status = 404, std::string body = {},
                           std::vector<trace::Header> headers = {}) {
  Trial t;
  t.reference.call("put", "PUT", "/v2/dinosaur/artifact/blobs/uploads/7").answers(201);
  t.in_case().call("put", "PUT", "/v2/dinosaur/artifact/blobs/uploads/7").is_lost(Telling::close, 201);
  t.in_case()
      .again(3 * kSecond, Confidence::likely)
      .answers(status, std::move(body), std::move(headers))
      .fails(std::move(chain));
  return t;
}

TEST(UnrelatedException,
     an_error_of_the_services_own_that_the_reference_does_not_have_and_that_reaches_the_caller_is_certain) {
  auto t = answered_differently({thrown(
      "builtins.ValueError", "Issue with http://127.0.0.1:5000/v2/dinosaur/artifact/blobs/uploads/7: Not Found")});
  auto judgement = t.judge();
  ASSERT_EQ(judgement.findings.size(), 1u);
  EXPECT_EQ(t.verdicts(), "unrelated-exception certain");
  EXPECT_NE(judgement.findings[0].message.find("the second attempt was answered 404 Not Found by the service itself"),
            std::string::npos);
  EXPECT_NE(judgement.findings[0].message.find("the call had succeeded the first time"), std::string::npos);
}

TEST(UnrelatedException, the_code_may_be_the_status_the_reason_the_services_own_code_or_its_message) {
  const std::string xml =
      "<?xml version=\"1.0\"?><Error><Code>MessageNotFound</Code><Message>The specified message does not "
      "exist.\nRequestId:1</Message></Error>";
  const std::string json = R"({"errors":[{"code":"MANIFEST_UNKNOWN","message":"manifest unknown"}]})";
  EXPECT_EQ(
      answered_differently(
          {thrown("RestError", "The specified message does not exist.\nRequestId:1", "MessageNotFound")}, 404, xml)
          .verdicts(),
      "unrelated-exception certain");
  EXPECT_EQ(answered_differently({thrown("RestError", "", "MessageNotFound")}, 404, "",
                                 {{"x-ms-error-code", "MessageNotFound"}})
                .verdicts(),
            "unrelated-exception certain");
  EXPECT_EQ(answered_differently({thrown("builtins.RuntimeError",
                                         "Delete was not successful: {'errors': [{'code': 'MANIFEST_UNKNOWN'}]}")},
                                 404, json)
                .verdicts(),
            "unrelated-exception certain");
  EXPECT_EQ(answered_differently({thrown("HTTPError", "Response code 409 (Conflict)", "ERR_NON_2XX_3XX_RESPONSE")}, 409)
                .verdicts(),
            "unrelated-exception certain");
  EXPECT_EQ(answered_differently({thrown("app.Failed", "no such thing", "404")}).verdicts(),
            "unrelated-exception certain");
  EXPECT_EQ(answered_differently({thrown("builtins.ValueError", "Precondition Failed")}, 412).verdicts(),
            "unrelated-exception certain");
}

TEST(UnrelatedException, a_wrapper_speaks_through_what_it_wraps) {
  EXPECT_EQ(
      answered_differently(
          {thrown("tenacity.RetryError", "RetryError[<Future at 0x7f state=finished raised HTTPError>]"),
           thrown("requests.exceptions.HTTPError", "404 Client Error: Not Found for url: http://x/", "", "cause")})
          .verdicts(),
      "unrelated-exception certain");
  EXPECT_EQ(
      answered_differently({thrown("builtins.ExceptionGroup", "unhandled errors in a TaskGroup (1 sub-exception)"),
                            thrown("app.NotFound", "404", "", "member")})
          .verdicts(),
      "unrelated-exception certain");
}

TEST(UnrelatedException, an_exception_that_does_not_carry_the_error_itself_is_judged_by_its_text) {
  EXPECT_EQ(answered_differently(
                {thrown("app.OrderError", "order 7 was not put"), thrown("app.Gone", "404 Not Found", "", "cause")})
                .verdicts(),
            "unrelated-exception likely");
}

TEST(UnrelatedException, a_word_for_any_failure_is_none_of_the_faults_where_its_cause_is_the_first_attempts_effect) {
  auto locked = [](const char* cause) {
    return answered_differently(
               {thrown("CycleCount$LockUnavailable", "PUT lock L1"), thrown("java.io.IOException", cause, "", "cause")},
               409)
        .verdicts();
  };
  EXPECT_EQ(locked("/locks/L1 answered 409"), "unrelated-exception likely");
  EXPECT_EQ(locked("Connection reset"), "");
}

TEST(UnrelatedException, a_number_in_a_url_is_no_status) {
  auto t = answered_differently(
      {thrown("requests.exceptions.ConnectionError", "Connection reset while reading http://127.0.0.1:80/items/404")});
  EXPECT_EQ(t.verdicts(), "");
}

TEST(UnrelatedException, the_same_error_in_the_reference_is_nothing_new) {
  Trial t;
  t.reference.call("exists", "GET", "/orders/9").answers(404);
  t.in_case().call("exists", "GET", "/orders/9").is_lost(Telling::reset, 200);
  t.in_case().again(kSecond).answers(404).fails(
      {thrown("requests.exceptions.HTTPError", "404 Client Error: Not Found for url")});
  // What is left is the text, which for a lost response does not name the fault: an HTTPError is no word for a broken
  // connection.
  EXPECT_EQ(t.verdicts(), "unrelated-exception likely");
}

TEST(UnrelatedException, the_services_usual_answer_is_the_error_where_the_fault_has_used_up_the_attempts) {
  auto refused = R"({"failed":[{"item":"a","reason":"shard is full"}]})", done = R"({"failed":[]})";
  auto t_of = [&](const char* said) {
    Trial t("K1", "error(transient) x 1, then pass");
    t.reference.call("send", "POST", "/batch").answers(200, refused);
    t.reference.again(kSecond).answers(200, done);
    t.in_case().call("send", "POST", "/batch").gets_error();
    t.in_case().again(kSecond).answers(200, refused).fails({thrown("app.BatchError", said)});
    return t;
  };
  EXPECT_EQ(t_of("1 item is left: shard is full").verdicts(), "");
  EXPECT_EQ(t_of("nothing to do").verdicts(), "unrelated-exception likely");
}

TEST(UnrelatedException, a_later_call_without_counterpart_counts_and_one_with_a_counterpart_does_not) {
  for (bool counterpart : {false, true}) {
    Trial t("K1", "error(transient) x 1, then pass");
    t.reference.call("put", "PUT", "/orders/9").answers(200);
    if (counterpart) t.reference.call("find", "GET", "/index/9").answers(200);
    t.in_case().call("put", "PUT", "/orders/9").gets_error();
    t.in_case().call("find", "GET", "/index/9").answers(404).fails({thrown("app.OrderError", "404 Not Found")});
    EXPECT_EQ(t.verdicts(), counterpart ? "unrelated-exception likely" : "unrelated-exception certain");
  }
}

TEST(UnrelatedException, of_several_faulted_calls_the_one_that_the_error_answers_is_to_blame) {
  Trial t;
  t.reference.call("open", "POST", "/tickets").answers(201);
  t.reference.call("shut", "DELETE", "/tickets/1").answers(204);
  t.in_case().call("open", "POST", "/tickets", {{"idempotency-key", "k"}}).is_lost(trace::Telling::reset, 201);
  t.in_case().again(kSecond).answers(201);
  t.in_case().call("shut", "DELETE", "/tickets/1").is_lost(trace::Telling::reset, 204);
  t.in_case().again(kSecond).answers(404).fails({thrown("app.TicketError", "404 Not Found")});
  auto judgement = t.judge();
  ASSERT_EQ(judgement.findings.size(), 1u);
  EXPECT_EQ(judgement.findings[0].operation, "DELETE /tickets/{id}");
}

TEST(UnrelatedException, a_fault_told_in_full_is_clean_though_the_service_answered_an_error_too) {
  auto t = answered_differently({thrown("app.PutFailed", "503 Service Unavailable, then 404 Not Found")});
  t.in_case().run().exchanges[0].fault.telling = Telling::error;
  t.in_case().run().exchanges[0].ending = trace::Ending::answered;
  t.in_case().run().exchanges[0].client_status = 503;
  EXPECT_EQ(t.verdicts(), "");
}

TEST(UnrelatedException, a_test_that_passes_all_the_same_is_clean) {
  Trial t;
  t.reference.call("ensure", "PUT", "/acc/pictures?restype=container", kAzure, "azure-storage").answers(201);
  t.in_case()
      .call("ensure", "PUT", "/acc/pictures?restype=container", kAzure, "azure-storage")
      .is_lost(Telling::reset, 201);
  t.in_case().again(kMillisecond).answers(409).passes();
  EXPECT_EQ(t.verdicts(), "");
}

// The fault is a 503 on every attempt, and the call ends in it.
Trial ended_in_503(std::vector<trace::Thrown> chain, Phase phase = Phase::test) {
  Trial t("P3", "error(transient)");
  t.reference.call("put", "POST", "/v2/dinosaur/artifact/blobs/uploads/").answers(202);
  t.in_case().call("put", "POST", "/v2/dinosaur/artifact/blobs/uploads/").gets_error().fails(std::move(chain), phase);
  return t;
}

TEST(UnrelatedException, an_exception_that_holds_no_word_of_the_fault_is_likely) {
  auto t = ended_in_503({thrown("requests.exceptions.JSONDecodeError", "Expecting value: line 1 column 1 (char 0)")});
  EXPECT_EQ(t.verdicts(), "unrelated-exception likely");
  EXPECT_NE(t.judge().findings[0].advice.find("goes wrong itself"), std::string::npos);
  auto message = t.judge().findings[0].message;
  EXPECT_NE(message.find("JSONDecodeError: Expecting value: line 1 column 1 (char 0) at src/orders.py:40"),
            std::string::npos)
      << message;
}

TEST(UnrelatedException, of_a_call_site_that_gives_its_caller_errors_as_answers_is_its_tests_own) {
  auto t = ended_in_503({thrown("SyntaxError", "Unexpected token 'S', \"Service Un\"... is not valid JSON")});
  ASSERT_EQ(t.verdicts(), "unrelated-exception likely");
  t.row.hands_on_errors = true;
  EXPECT_EQ(t.verdicts(), "");
  EXPECT_EQ(t.judge().not_judged.size(), 1u);
}

TEST(UnrelatedException, a_fault_that_surfaces_plainly_is_clean) {
  for (auto& text : {"Issue with http://127.0.0.1:5000/v2/dinosaur/artifact/blobs/uploads/: Service Unavailable",
                     "status 503", "answered retrial-f1", "the registry is unavailable", "gave up after 4 tries"})
    EXPECT_EQ(ended_in_503({thrown("builtins.ValueError", text)}).verdicts(), "") << text;
}

TEST(UnrelatedException, the_words_of_a_fault_are_those_that_it_said) {
  auto told = [](std::string body) {
    Trial t("P3", "error(transient)");
    t.reference.call("put", "POST", "/docs").answers(202);
    t.in_case().call("put", "POST", "/docs").gets_error().saying(std::move(body));
    return t.in_case().fails({thrown("app.DocError", "SHELF_FULL")}), t.verdicts();
  };
  EXPECT_EQ(told(R"({"errors":[{"code":"SHELF_FULL"}]})"), "");
  EXPECT_EQ(told(""), "unrelated-exception likely");
}

TEST(UnrelatedException, a_cause_that_names_the_fault_is_enough_and_so_is_what_was_handled_when_the_error_was_raised) {
  auto http = [](std::string link) {
    return thrown("requests.exceptions.HTTPError", "503 Server Error: Service Unavailable for url: x", "",
                  std::move(link));
  };
  EXPECT_EQ(ended_in_503({thrown("app.OrderError", "order 7 was not put"), http("cause")}).verdicts(), "");
  EXPECT_EQ(
      ended_in_503({thrown("builtins.ExceptionGroup", "2 errors"), thrown("app.A", "a", "", "member"), http("member")})
          .verdicts(),
      "");
  EXPECT_EQ(ended_in_503({thrown("app.OrderError", "order 7 was not put"), http("context")}).verdicts(), "");
  EXPECT_EQ(ended_in_503({thrown("app.OrderError", "order 7 was not put"),
                          thrown("builtins.KeyError", "'id'", "", "context"), http("context")})
                .verdicts(),
            "unrelated-exception likely")
      << "the handling itself went wrong";
}

TEST(UnrelatedException, a_programming_error_names_no_fault_whatever_it_says) {
  auto handled =
      thrown("requests.exceptions.HTTPError", "503 Server Error: Service Unavailable for url: x", "", "context");
  struct {
    const char *type, *text;
  } errors[] = {
      {"builtins.AttributeError", "'NoneType' object has no attribute 'retry'"},
      {"builtins.KeyError", "'attempts'"},
      {"builtins.TypeError", "'NoneType' object is not subscriptable (retry)"},
      {"requests.exceptions.JSONDecodeError", "Expecting value: line 1 column 1 (char 0): retry"},
      {"TypeError", "Cannot read properties of undefined (reading 'retries')"},
      {"TypeError", "response.retry is not a function"},
      {"SyntaxError", "Unexpected token 'S', \"Service Unavailable\" is not valid JSON"},
      {"ReferenceError", "attempts is not defined"},
      {"java.lang.NullPointerException", "Cannot invoke \"Retry.next()\" because \"retry\" is null"},
      {"com.fasterxml.jackson.core.JsonParseException", "Unrecognized token 'Service': was expecting JSON (retry)"},
      {"runtime.errorString", "panic: runtime error: index out of range [0] with length 0 (attempts)"},
  };
  for (auto& [type, text] : errors)
    EXPECT_EQ(ended_in_503({thrown(type, text), handled}).verdicts(), "unrelated-exception likely") << type << text;
}

TEST(UnrelatedException, one_type_for_all_is_no_programming_error_by_itself) {
  EXPECT_EQ(ended_in_503({thrown("TypeError", "fetch failed: retry later")}).verdicts(), "");
  EXPECT_EQ(ended_in_503({thrown("SyntaxError", "the service is not available")}).verdicts(), "");
  EXPECT_EQ(ended_in_503({thrown("builtins.TypeError", "no order"),
                          thrown("requests.exceptions.HTTPError", "503 Server Error", "", "cause")})
                .verdicts(),
            "")
      << "it hands the fault on";
}

TEST(UnrelatedException, words_of_a_status_do_not_excuse_a_lost_connection) {
  Trial t("P2", "lost-response(reset)");
  t.reference.call("get", "GET", "/orders/1").answers(200);
  t.in_case()
      .call("get", "GET", "/orders/1")
      .is_lost(Telling::reset, 200)
      .fails({thrown("builtins.TypeError", "'NoneType' object is not subscriptable")});
  EXPECT_EQ(t.verdicts(), "unrelated-exception likely");
}

TEST(UnrelatedException, an_assertion_that_shows_the_services_own_error_carries_it_and_a_bare_number_does_not) {
  const std::string json =
      R"({"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException","message":"The conditional request failed"})";
  EXPECT_EQ(
      answered_differently(
          {on_a_test_line("AssertionError",
                          "expected [ConditionalCheckFailedException: The conditional request failed] to not exist")},
          400, json)
          .verdicts(),
      "unrelated-exception certain");
  EXPECT_EQ(answered_differently({assertion("assert 409 == 201")}, 409).verdicts(), "silent-wrong-result likely");
}

TEST(UnrelatedException, an_assertion_without_the_services_word_is_none) {
  EXPECT_EQ(ended_in_503({assertion("assert 0 == 1")}).verdicts(), "");
  EXPECT_EQ(
      ended_in_503({thrown("AssertionError", "The expression evaluated to a falsy value", "ERR_ASSERTION")}).verdicts(),
      "");
  EXPECT_EQ(ended_in_503({thrown("_pytest.outcomes.Failed", "DID NOT RAISE <class 'KeyError'>")}).verdicts(), "");
}

TEST(UnrelatedException, on_a_line_of_the_test_or_outside_its_body_is_not_judged) {
  auto on_line = ended_in_503({on_a_test_line("builtins.KeyError", "'id'")});
  EXPECT_EQ(on_line.verdicts(), "");
  EXPECT_EQ(on_line.why_not(), "the test failed on a line of its own: KeyError: 'id'");
  auto after = ended_in_503({thrown("builtins.KeyError", "'id'")}, Phase::teardown);
  EXPECT_EQ(after.verdicts(), "");
  EXPECT_EQ(after.why_not(), "the test failed in its teardown: KeyError: 'id'");
}

TEST(UnrelatedException, a_runners_own_time_limit_is_not_judged) {
  for (auto& text : {"Timeout (>10.0s) from pytest-timeout.", "test timed out after 1000ms"}) {
    auto t = ended_in_503({thrown("Failed", text)});
    EXPECT_EQ(t.verdicts(), "");
    EXPECT_NE(t.why_not().find("the runner's own time limit"), std::string::npos) << t.why_not();
  }
}

TEST(UnrelatedException, a_clients_exception_without_a_word_is_the_fault_where_the_call_ended_in_it) {
  auto t = ended_in_503({thrown("RestError", "")});  // what Azure's client says of a 503 to HEAD
  EXPECT_EQ(t.verdicts(), "");
  EXPECT_EQ(t.why_not(), "");
}

TEST(UnrelatedException, the_exit_status_of_a_program_that_met_the_fault_itself_is_not_judged) {
  auto told = [](std::int32_t sender, const char* type, const char* message) {
    Trial t;
    t.reference.call("put", "PUT", "/keys/a").answers(200);
    t.in_case().call("put", "PUT", "/keys/a").is_lost(Telling::close, 200);
    t.in_case().last().pid = sender;
    t.in_case().fails({thrown(type, message)}).run().stages = {{kTest, Phase::test, 100, true}};
    return t.verdicts();
  };
  constexpr auto kStatus = "Command '['etcdctl', 'put', 'a', 'b']' returned non-zero exit status 1.";
  EXPECT_EQ(told(101, "subprocess.CalledProcessError", kStatus), "");
  EXPECT_EQ(told(101, "Error", "Command failed: etcdctl put a b"), "");
  EXPECT_EQ(told(100, "subprocess.CalledProcessError", kStatus), "unrelated-exception likely")
      << "the test's own process sent it";
  EXPECT_EQ(told(101, "app.Conflict", "a is there already"), "unrelated-exception likely");
}

TEST(UnrelatedException, a_test_that_fails_in_the_reference_too_says_nothing) {
  auto t = ended_in_503({thrown("builtins.KeyError", "'id'")});
  t.reference.fails({thrown("builtins.KeyError", "'id'")});
  EXPECT_EQ(t.verdicts(), "");
}

TEST(UnrelatedException, a_run_that_was_ended_by_us_has_no_word_of_its_own) {
  auto t = ended_in_503({thrown("builtins.KeyError", "'id'")});
  t.in_case().stops(trace::Stop::deadline);
  EXPECT_EQ(t.verdicts(), "");
}

// The test speaks to an application over HTTP, and the fault is between the application and its service.
Trial one_hop_away(int status, std::string text) {
  Trial t("P3", "error(transient)");
  for (auto* tale : {&t.reference, &t.in_case()}) {
    tale->call("", "GET", "/app/orders/1");
    tale->call("load", "GET", "/orders/1");
    if (tale == &t.reference)
      tale->answers(200);
    else
      tale->gets_error();
    auto& outer = tale->run().exchanges[0];
    outer.service = outer.host = "127.0.0.1:8000";
    outer.service_status = outer.client_status = tale == &t.reference ? 200 : status;
    outer.ending = trace::Ending::answered;
    outer.told = tale->last().told + kMillisecond;
  }
  t.in_case().fails({thrown("app.LoadFailed", std::move(text))});
  return t;
}

TEST(UnrelatedException, a_status_5xx_of_the_application_hands_the_fault_on_and_a_status_4xx_does_not) {
  EXPECT_EQ(one_hop_away(500, "Server error '500 Internal Server Error' for url 'http://127.0.0.1:8000/app/orders/1'")
                .verdicts(),
            "");
  EXPECT_EQ(one_hop_away(404, "order gone: 404 Not Found").verdicts(), "unrelated-exception likely");
}

// The test asks the application twice; each time the application meets the fault and answers `status`.
std::string asked_twice(int status, std::string text) {
  Trial t("P3", "error(transient)");
  t.reference.call("", "GET", "/app/orders/1").answers(200);
  t.reference.call("load", "GET", "/orders/1").answers(200);
  for (int i = 0; i < 2; i++) {
    t.in_case().call("", "GET", "/app/orders/1");
    t.in_case().call("load", "GET", "/orders/1").gets_error();
    auto& outer = t.in_case().run().exchanges[static_cast<std::size_t>(2 * i)];
    outer.service_status = outer.client_status = status;
    outer.ending = trace::Ending::answered;
    t.in_case().waits(kMillisecond);
    outer.told = t.in_case().last().told + kMillisecond / 2;
  }
  t.in_case().fails({thrown("app.LoadFailed", std::move(text))});
  return t.verdicts();
}

TEST(UnrelatedException, a_repeated_call_of_the_test_that_met_the_fault_again_is_no_error_of_the_services) {
  EXPECT_EQ(asked_twice(500, "500 Internal Server Error"), "");
  EXPECT_EQ(asked_twice(404, "404 Not Found"), "unrelated-exception likely");
}

TEST(UnrelatedException, a_parsers_error_names_a_fault_that_has_cut_what_it_reads_and_no_other) {
  auto parsed = [](const char* fault) {
    Trial t("D", fault);
    t.reference.call("get", "GET", "/stock/lamp").answers(200);
    t.in_case().call("get", "GET", "/stock/lamp");
    if (std::string_view(fault) == "truncate") {
      t.in_case().answers(200);
      t.in_case().last().fault.name = trace::fault_row("truncate")->fault;
      t.in_case().last().fired = true;
    } else {
      t.in_case().gets_error();
    }
    t.in_case().fails(
        {thrown("json.decoder.JSONDecodeError", "Expecting ',' delimiter: line 1 column 551 (char 550)")});
    return t.verdicts();
  };
  EXPECT_EQ(parsed("truncate"), "");
  EXPECT_EQ(parsed("error(503)"), "unrelated-exception likely");
}

TEST(UnrelatedException, a_domains_own_error_may_say_it_by_the_name_of_what_was_called) {
  auto ended = [](const char* function) {
    Trial t("P3", "error(transient)");
    t.reference.call(function, "PUT", "/runners/r1").answers(200);
    t.in_case().call(function, "PUT", "/runners/r1").gets_error();
    t.in_case().fails({thrown("forge.ForgeError", "cannot register it")});
    return t.verdicts();
  };
  EXPECT_EQ(ended("Runners.register"), "unrelated-exception possible");
  EXPECT_EQ(ended("Runners.remove"), "unrelated-exception likely");
}

TEST(UnrelatedException, who_looked_several_times_in_vain_may_say_so_in_words_of_its_own) {
  auto looked = [](int times, const char* type = "lab.NotReady", const char* message = "r-1") {
    Trial t("P3", "error(transient)");
    t.reference.call("await", "GET", "/reports/r-1").answers(200);
    for (int i = 0; i < times; i++) t.in_case().call("await", "GET", "/reports/r-1").gets_error().waits(kSecond);
    t.in_case().fails({thrown(type, message)});
    return t;
  };
  EXPECT_EQ(looked(1).verdicts(), "unrelated-exception likely");
  EXPECT_EQ(looked(4).verdicts(), "unrelated-exception possible");
  EXPECT_NE(looked(4).judge().findings[0].message.find("the same was asked 4 times in all, each in vain"),
            std::string::npos);
  EXPECT_EQ(looked(4, "builtins.KeyError", "'state'").verdicts(), "unrelated-exception likely");
  EXPECT_EQ(looked(4, "lab.NoReport", "no such report: r-1").verdicts(), "unrelated-exception likely");
}

TEST(UnrelatedException, a_domains_own_error_that_says_what_was_not_done_is_possible) {
  auto ended = [](const char* type, const char* message, const char* by_type = "", const char* by = "") {
    Trial t("P3", "error(transient)");
    t.reference.call("start", "PUT", "/exports/monthly").answers(200);
    t.in_case().call("start", "PUT", "/exports/monthly").gets_error().again(kSecond).gets_error();
    std::vector<trace::Thrown> chain{thrown(type, message)};
    if (*by_type) chain.push_back(thrown(by_type, by, "", "cause"));
    t.in_case().fails(chain);
    return t.verdicts();
  };
  EXPECT_EQ(ended("ledger.LedgerError", "export monthly-j1 not started"), "unrelated-exception possible");
  EXPECT_EQ(ended("ledger.LedgerError", "could not start the exports"), "unrelated-exception possible");
  EXPECT_EQ(ended("ledger.LedgerError", "no rate for USD"), "unrelated-exception likely");
  EXPECT_EQ(ended("ledger.LedgerError", "done 2, not monthly"), "unrelated-exception possible") << "it is named";
  EXPECT_EQ(ended("ledger.LedgerError", "export not found"), "unrelated-exception likely");
  EXPECT_EQ(ended("ledger.LedgerError", "export monthly-j1"), "unrelated-exception possible") << "after two attempts";
  EXPECT_EQ(ended("builtins.AttributeError", "'NoneType' object has no attribute 'export', not even one"),
            "unrelated-exception likely");
  auto spent = "Response body object should not be disturbed or locked";
  EXPECT_EQ(ended("ExportError", "export monthly: Response body object should not be disturbed or locked", "TypeError",
                  spent),
            "unrelated-exception likely")
      << "the words are those of a body that was sent before";
}

// A command's second attempt meets what the first has done.
Trial own_refusal(int exit_code = 1, bool looks = false) {
  Trial t;
  t.reference.call("place", "POST", "/orders").answers(201);
  t.in_case().call("place", "POST", "/orders").is_lost(Telling::close, 201).again(kSecond).answers(409);
  if (looks) t.in_case().call("look", "GET", "/orders/o-1").answers(200);
  t.reference.stops(trace::Stop::exited, 0);
  t.in_case().stops(trace::Stop::exited, exit_code);
  t.row.test.clear();
  return t;
}

TEST(UnrelatedException, a_command_that_takes_its_own_effect_for_a_failure_says_so_by_its_status) {
  auto t = own_refusal();
  EXPECT_EQ(t.verdicts(), "unrelated-exception likely");
  auto message = t.judge().findings.at(0).message;
  EXPECT_NE(message.find("the second attempt was answered 409 Conflict by the service itself, and the command ended "
                         "with status 1. The call had succeeded the first time"),
            std::string::npos)
      << message;
  EXPECT_EQ(own_refusal(0).verdicts(), "") << "it knew its own";
  EXPECT_EQ(own_refusal(1, true).verdicts(), "") << "it looked";
  auto refused = own_refusal();
  refused.in_case().run().exchanges[0].service_status = 500;
  EXPECT_EQ(refused.verdicts(), "") << "nothing had been done";
}

TEST(UnrelatedException, a_status_may_speak_of_another_call_that_failed) {
  auto ends = [](bool paid) {
    Trial t;
    t.reference.call("pay", "POST", "/payments").answers(201);
    t.reference.call("place", "POST", "/orders").answers(201);
    t.in_case().call("pay", "POST", "/payments").is_lost(Telling::reset, 201).again(kSecond);
    paid ? t.in_case().answers(200) : t.in_case().gets_error();
    t.in_case().call("place", "POST", "/orders").is_lost(Telling::close, 201).again(kSecond).answers(409);
    t.reference.stops(trace::Stop::exited, 0);
    t.in_case().stops(trace::Stop::exited, 1);
    t.row.test.clear();
    return t.verdicts().contains("unrelated-exception");
  };
  EXPECT_TRUE(ends(true));
  EXPECT_FALSE(ends(false));
}

// A worker whose message was gone when it removed it once more, and which has not come to the last one by its end.
TEST(UnrelatedException, who_goes_on_to_the_next_turn_and_has_left_work_undone_may_say_that_by_its_status) {
  auto ends = [](bool goes_on, bool all_done) {
    Trial t;
    auto turn = [](Tale& tale, const char* id) -> Tale& {
      tale.call("turn", "POST", "/queue/receive").answers(200);
      return tale.call("ack", "DELETE", std::string("/queue/messages/") + id);
    };
    for (auto* id : {"m-1", "m-2"}) turn(t.reference, id).answers(204);
    turn(t.in_case(), "m-1").is_lost(Telling::reset, 204).again(kSecond).answers(404);
    if (goes_on) t.in_case().call("turn", "POST", "/queue/receive").answers(200);
    if (all_done) t.in_case().call("ack", "DELETE", "/queue/messages/m-2").answers(204);
    t.reference.stops(trace::Stop::exited, 0);
    t.in_case().stops(trace::Stop::exited, 1);
    t.row.test.clear();
    return t.verdicts();
  };
  EXPECT_EQ(ends(true, false), "");
  EXPECT_EQ(ends(false, false), "unrelated-exception likely") << "it ended by that";
  EXPECT_EQ(ends(true, true), "unrelated-exception likely") << "nothing else is left undone";
}

TEST(UnrelatedException, a_client_without_a_connection_has_kept_those_that_were_answered) {
  auto ends = [](const char* type, bool silent = false) {
    Trial t("P3", "error(503)");
    t.reference.call("rate", "GET", "/rates/a").answers(200);
    t.in_case().call("rate", "GET", "/rates/a");
    silent ? t.in_case().is_held() : t.in_case().gets_error().again(kSecond).gets_error();
    t.in_case().fails({thrown(type, "Timeout deadline: 2000 MILLISECONDS")});
    return t.verdicts();
  };
  constexpr auto kPool = "org.apache.hc.core5.http.ConnectionRequestTimeoutException";
  EXPECT_EQ(ends(kPool), "unrelated-exception likely");
  EXPECT_EQ(ends("java.net.SocketTimeoutException"), "");
  EXPECT_EQ(ends(kPool, true).find("unrelated-exception"), std::string::npos) << "one was kept by a silent service";
}

TEST(UnrelatedException, a_grant_that_its_own_first_attempt_has_used_up_and_a_look_of_ours) {
  auto t = own_refusal();
  for (auto* run : {&t.reference.run(), &t.in_case().run()})
    for (auto& e : run->exchanges) e.target = "/oauth/token", e.operation = "POST /oauth/token";
  t.in_case().run().exchanges[1].service_status = t.in_case().run().exchanges[1].client_status = 400;
  EXPECT_EQ(t.verdicts(), "unrelated-exception likely");
  t.in_case().run().exchanges[1].request_digest = 78;
  EXPECT_EQ(t.verdicts(), "") << "another request may be a bad one";
  auto looked = own_refusal(1, true);
  looked.in_case().last().tag.site = trace::CallSite{std::string(trace::kLookSite), 1, std::string(trace::kLookSite)};
  EXPECT_EQ(looked.verdicts(), "unrelated-exception likely") << "it was not the command that looked";
}

// Refused with what it had used up, it asks in another way, and gets it; that it fails later lies at something else.
TEST(UnrelatedException, who_gets_it_in_another_way_was_told_of_no_failure) {
  auto granted = [](std::uint64_t digest, int status) {
    auto t = own_refusal();
    for (auto* run : {&t.reference.run(), &t.in_case().run()})
      for (auto& e : run->exchanges) e.target = "/oauth/token", e.operation = "POST /oauth/token", e.request_digest = 7;
    t.in_case().run().exchanges[1].service_status = t.in_case().run().exchanges[1].client_status = 400;
    t.in_case().call("place", "POST", "/oauth/token").last().request_digest = digest;
    t.in_case().answers(status);
    return t.verdicts();
  };
  EXPECT_EQ(granted(8, 200), "");
  EXPECT_EQ(granted(8, 400), "unrelated-exception likely") << "in vain";
}

TEST(UnrelatedException, of_several_calls_of_one_function_the_last_is_what_ended_it) {
  Trial t("P3", "error(503)");
  for (auto* tale : {&t.reference, &t.in_case()}) {
    tale->call("flags", "GET", "/flags").last().tag.site->callers = "src/orders.py:32:put";
    tale == &t.reference ? tale->answers(200) : tale->gets_error();
    tale->call("put", "PUT", "/orders/b-1");
    tale == &t.reference ? tale->answers(200) : tale->gets_error().again(kSecond).gets_error();
  }
  t.in_case().fails({thrown("builtins.RuntimeError", "order b-1 could not be placed")});
  auto judgement = t.judge();
  ASSERT_EQ(t.verdicts(), "unrelated-exception possible") << "it had tried twice";
  EXPECT_EQ(judgement.findings.at(0).operation, "PUT /orders/{id}");
}

TEST(UnrelatedException, a_parser_names_an_answer_that_was_cut_in_its_body) {
  auto cut = [](trace::Point point) {
    Trial t("B1", "close(in-body)");
    t.reference.call("read", "GET", "/orders").answers(200, R"({"id": 1})");
    t.in_case().call("read", "GET", "/orders").is_lost(Telling::close, 200);
    t.in_case().last().fault = {.name = trace::FaultName::close, .point = point};
    t.in_case().fails({thrown("ParserError", "859: unexpected token at '{\"id\": '")});
    return t.verdicts();
  };
  EXPECT_EQ(cut(trace::Point::in_body), "");
  EXPECT_EQ(cut(trace::Point::after_request), "unrelated-exception likely");
}

TEST(UnrelatedException, a_go_test_goes_on_after_an_error_that_it_does_not_look_at) {
  auto emptied = [](const char* agent, bool one_function) {
    Trial t("P3", "error(503)");
    t.in_case().run().agents = {agent};
    for (auto* tale : {&t.reference, &t.in_case()}) tale->call("DeleteObject", "DELETE", "/boxes/b/one");
    t.reference.answers(204);
    t.in_case().gets_error();
    for (auto* tale : {&t.reference, &t.in_case()})
      tale->call(one_function ? "DeleteObject" : "DeleteBox", "DELETE", "/boxes/b").last().tag.site->line = 13;
    t.reference.answers(204);
    t.in_case().answers(409, "Conflict");
    t.in_case().fails({thrown("*swift.Error", "box not empty")});
    return t.verdicts();
  };
  EXPECT_EQ(emptied("go", false), "unrelated-exception possible");
  EXPECT_EQ(emptied("go", true), "unrelated-exception likely");
  EXPECT_EQ(emptied("python", false), "unrelated-exception likely");
}

TEST(UnrelatedException, is_open_where_a_part_of_the_text_was_taken_for_a_secret) {
  auto t = ended_in_503({thrown("errors.errorString", "Key.GetByName failed: ***")});
  EXPECT_EQ(t.verdicts(), "");
  EXPECT_NE(t.why_not().find("taken for a secret"), std::string::npos) << t.why_not();
}

}  // namespace
}  // namespace retrial::oracles
