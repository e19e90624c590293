#include "oracles/client_words.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "oracles/service_words.h"
#include "tests/oracles/client_texts.h"
#include "tests/oracles/runs.h"

namespace retrial::oracles {
namespace {
using trace::Telling;

// A chain as the agents tell it, from one line an exception: "type: message".
std::vector<trace::Thrown> chain_of(std::string_view text) {
  std::vector<trace::Thrown> chain;
  for (auto line : split(text, '\n')) {
    auto at = line.find(": ");
    if (at == line.npos) {
      if (!chain.empty()) chain.back().message += "\n" + std::string(line);
      continue;
    }
    auto t = thrown(std::string(line.substr(0, at)), std::string(line.substr(at + 2)), "",
                    chain.empty() ? "raised" : "cause");
    chain.push_back(std::move(t));
  }
  return chain;
}
std::string verdicts(unsigned told, const std::string& runtime, std::vector<trace::Thrown> chain) {
  Trial t("P2", "lost-response(reset)");
  t.reference.call("get", "GET", "/x").answers(200);
  auto& c = t.in_case().call("get", "GET", "/x");
  if (told == kStatus)
    c.gets_error();
  else if (told == kSilent)
    c.is_held().client_leaves(kSecond);
  else
    c.is_lost(Telling::reset, 200);
  c.fails(std::move(chain));
  t.in_case().run().agents = {runtime};
  return t.verdicts();
}

TEST(ClientWords, what_real_clients_throw_is_clean_under_the_fault_that_it_speaks_of) {
  for (auto& row : kClientTexts)
    EXPECT_EQ(verdicts(row.told, row.runtime, chain_of(row.text)), "") << row.client << ": " << row.text;
}

TEST(ClientWords, the_outermost_exception_alone_is_enough_for_most_clients) {
  int alone = 0, all = 0;
  for (auto& row : kClientTexts) {
    auto chain = chain_of(row.text);
    chain.resize(1);
    all++;
    alone += verdicts(row.told, row.runtime, std::move(chain)).empty();
  }
  EXPECT_EQ(alone, all);
}

TEST(ClientWords, an_error_that_a_client_makes_of_a_body_it_cannot_read_is_not_the_fault) {
  for (auto [runtime, text] :
       {std::pair("python", "requests.exceptions.JSONDecodeError: Expecting value: line 1 column 1 (char 0)"),
        std::pair("node", "SyntaxError: Unexpected token '<', \"<html><bod\"... is not valid JSON"),
        std::pair("node",
                  "SyntaxError: Unexpected token '<', \"<html><bod\"... is not valid JSON\n  Deserialization error - "
                  "to see the raw response, "
                  "inspect the hidden field {error}.$response on this object."),
        std::pair("python", "builtins.KeyError: 'token'"),
        std::pair("python", "builtins.TypeError: 'NoneType' object is not subscriptable"),
        std::pair("python", "builtins.AttributeError: 'NoneType' object has no attribute 'json'"),
        std::pair("node", "TypeError: Cannot read properties of undefined (reading 'id')"),
        std::pair("python", "app.OrderExists: order 7 exists")})
    for (unsigned told : {kStatus, kBroken, kSilent})
      EXPECT_EQ(verdicts(told, runtime, chain_of(text)), "unrelated-exception likely") << text;
}

TEST(ClientWords, an_applications_own_words_for_a_fault_are_clean) {
  for (auto text : {"app.PartnerDown: the partner is unreachable", "app.Error: the shop is down", "app.Offline: x",
                    "app.PartnerError: partner unavailable", "app.Error: gave up after 4 attempts",
                    "app.Error: no response from the catalogue", "app.ApiException: PUT /locks/x: no answer",
                    "app.Error: no reply from the mailer", "app.Error: it did not answer",
                    "app.TransferException: cURL error 18: transfer closed with 2048 bytes remaining to read"})
    for (unsigned told : {kStatus, kBroken, kSilent}) EXPECT_EQ(verdicts(told, "python", chain_of(text)), "") << text;
}

TEST(ClientWords, a_time_limit_of_the_caller_may_end_retries_after_any_fault) {
  for (unsigned told : {kStatus, kBroken, kSilent})
    EXPECT_EQ(verdicts(told, "node", chain_of("AbortError: The operation was aborted.")), "");
}

TEST(ClientWords, belong_to_a_runtime_and_to_a_way_of_telling) {
  EXPECT_EQ(client_word_in("terminated", kBroken, {"node"}), "terminated");
  EXPECT_EQ(client_word_in("terminated", kBroken, {"python"}), "");
  EXPECT_EQ(client_word_in("terminated", kBroken, {}), "terminated");
  EXPECT_EQ(client_word_in("terminated", kStatus, {"node"}), "");
  EXPECT_EQ(client_word_in("connection reset by peer", kStatus, {"go"}), "");
  EXPECT_EQ(client_word_in("", kAny, {}), "");
}

TEST(ClientWords, end_where_words_end) {
  EXPECT_TRUE(holds_word("Get \"http://x\": EOF", "EOF"));
  EXPECT_FALSE(holds_word("a geofence", "EOF"));
  EXPECT_FALSE(holds_word("EOFs", "EOF"));
  EXPECT_TRUE(holds_word("urllib3.exceptions.ReadTimeoutError: x", "TimeoutError"));
  EXPECT_TRUE(holds_word("READ TIMEOUT", "timeout"));
  EXPECT_TRUE(holds_word("503", "503"));
  EXPECT_FALSE(holds_word("15031", "503"));
  EXPECT_TRUE(holds_word("15031 and 503.", "503"));
  EXPECT_FALSE(holds_word("", "503"));
  EXPECT_FALSE(holds_word("503", ""));
}

using Words = std::vector<std::string>;

TEST(ServiceWords, are_the_reason_and_the_services_own_code_and_message) {
  EXPECT_EQ(service_words(404, {{"X-Ms-Error-Code", "MessageNotFound"}},
                          "<?xml version=\"1.0\"?><Error><Code>MessageNotFound</Code><Message>The specified message "
                          "does not exist.\nRequestId:1</Message></Error>"),
            (Words{"Not Found", "MessageNotFound", "The specified message does not exist"}));
  EXPECT_EQ(
      service_words(
          400,
          {{"x-amzn-errortype", "com.amazonaws.sqs#QueueDoesNotExist"},
           {"x-amzn-query-error", "AWS.SimpleQueueService.NonExistentQueue;Sender"}},
          R"({"__type": "com.amazonaws.sqs#QueueDoesNotExist", "message": "The specified queue does not exist."})"),
      (Words{"Bad Request", "QueueDoesNotExist", "AWS.SimpleQueueService.NonExistentQueue", "NonExistentQueue",
             "The specified queue does not exist"}));
  EXPECT_EQ(
      service_words(404, {},
                    R"({"errors":[{"code":"MANIFEST_UNKNOWN","message":"manifest unknown","detail":{"Tag":"v1"}}]})"),
      (Words{"Not Found", "MANIFEST_UNKNOWN", "manifest unknown"}));
  EXPECT_EQ(service_words(409, {}, "order exists already"), (Words{"Conflict", "order exists already"}));
}

TEST(ServiceWords, leave_out_what_proves_nothing) {
  EXPECT_EQ(service_words(409, {}, R"({"error":"error","code":"E1","message":"failed","status":"Failure"})"),
            Words{"Conflict"});
  EXPECT_EQ(service_words(409, {}, "no"), Words{"Conflict"});
  EXPECT_EQ(service_words(409, {}, std::string(300, 'x')), Words{"Conflict"});
}

TEST(ServiceWords, a_sample_may_end_anywhere) {
  std::string xml =
      "<Error><Code>MessageNotFound</Code><Message>The specified message does not exist.</Message></Error>";
  std::string json = R"({"errors":[{"code":"MANIFEST\"UNKNOWN","message":"manifest unknown"}]})";
  for (auto& body : {xml, json})
    for (std::size_t n = 0; n <= body.size(); n++) EXPECT_LE(service_words(404, {}, body.substr(0, n)).size(), 3u);
}

TEST(ServiceWords, a_status_in_a_url_is_not_named) {
  EXPECT_EQ(without_urls("Issue with http://127.0.0.1:80/404/x: Not Found (see 'https://a/503')"),
            "Issue with  Not Found (see '')");
  EXPECT_FALSE(names("at http://h/404", 404, {}));
  EXPECT_TRUE(names("404 at http://h/", 404, {}));
  EXPECT_TRUE(names("code=MANIFEST_UNKNOWN", 404, {"MANIFEST_UNKNOWN"}));
}

}  // namespace
}  // namespace retrial::oracles
