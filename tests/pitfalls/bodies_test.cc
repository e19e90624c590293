// The error's body decides: what shape a service gives its errors, which of them mean "try again", and what the same
// error looks like to a client that parses it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/trace/traffic.h"

namespace retrial::trace {
namespace {

constexpr std::string_view kS3 = "GET /b/k HTTP/1.1\r\nHost: h\r\nx-amz-content-sha256: x\r\n\r\n";
constexpr std::string_view kSqs =
    "POST / HTTP/1.1\r\nHost: h\r\nX-Amz-Target: AmazonSQS.SendMessage\r\nContent-Type: "
    "application/x-amz-json-1.0\r\n\r\n{}";
constexpr std::string_view kSqsForm =
    "POST / HTTP/1.1\r\nHost: h\r\nX-Amz-Date: x\r\nContent-Type: "
    "application/x-www-form-urlencoded\r\n\r\nAction=SendMessage";
constexpr std::string_view kGoogle = "GET /storage/v1/b/shelf HTTP/1.1\r\nHost: h\r\n\r\n";
constexpr std::string_view kBlob =
    "GET /acct/c/b HTTP/1.1\r\nHost: h\r\nx-ms-version: 2024-08-04\r\nx-ms-date: x\r\n\r\n";
constexpr std::string_view kTable =
    "GET /acct/T HTTP/1.1\r\nHost: h\r\nx-ms-version: 2019-02-02\r\nx-ms-date: x\r\nDataServiceVersion: 3.0\r\n\r\n";
constexpr std::string_view kRegistry = "GET /v2/app/manifests/latest HTTP/1.1\r\nHost: h\r\n\r\n";

Answer error_of(std::string_view raw, int status) {
  auto e = wire::request(raw);
  return profile_of(e).error(e, status, "retrial-7");
}

// "" if every element is closed where it should be.
std::string unbalanced(std::string_view xml) {
  std::vector<std::string> open;
  for (auto at = xml.find('<'); at != xml.npos; at = xml.find('<', at + 1)) {
    auto tag = xml.substr(at + 1, xml.find('>', at) - at - 1);
    auto name = std::string(tag.substr(tag.starts_with('/'), tag.find_first_of(" /", 1) - tag.starts_with('/')));
    if (tag.starts_with('?') || tag.ends_with('/')) continue;
    if (!tag.starts_with('/'))
      open.push_back(name);
    else if (open.empty() || open.back() != name)
      return "</" + name + ">";
    else
      open.pop_back();
  }
  return open.empty() ? "" : "<" + open.back() + ">";
}

TEST(ErrorBodies, can_be_parsed_since_one_that_cannot_turns_retrying_off) {
  for (auto raw : {kS3, kSqs, kSqsForm, kGoogle, kBlob, kTable, kRegistry})
    for (int status : {400, 401, 403, 404, 409, 429, 500, 503}) {
      auto answer = error_of(raw, status);
      auto type = find(answer.headers, "content-type");
      if (icontains(type, "json"))
        EXPECT_TRUE(nlohmann::json::accept(answer.body)) << answer.body;
      else if (icontains(type, "xml"))
        EXPECT_EQ(unbalanced(answer.body), "") << answer.body;
      else
        EXPECT_EQ(type, "text/html") << "what stands before the service says it: " << raw;
    }
}

TEST(ErrorBodies, give_their_code_in_the_services_own_type) {
  auto sqs = nlohmann::json::parse(error_of(kSqs, 503).body);
  EXPECT_TRUE(sqs["__type"].is_string());
  auto google = nlohmann::json::parse(error_of(kGoogle, 503).body);
  EXPECT_TRUE(google["error"]["code"].is_number_integer());
  EXPECT_EQ(google["error"]["code"], 503);
  EXPECT_TRUE(google["error"]["errors"][0]["reason"].is_string());
  auto table = nlohmann::json::parse(error_of(kTable, 503).body);
  EXPECT_TRUE(table["odata.error"]["code"].is_string());
}

TEST(ErrorBodies, of_one_family_differ_by_status_since_its_clients_do) {
  EXPECT_NE(error_of(kS3, 503).body.find("<Code>SlowDown</Code>"), std::string::npos);
  EXPECT_NE(error_of(kS3, 500).body.find("<Code>InternalError</Code>"), std::string::npos);
}

TEST(TransientClientErrors, are_known_by_the_services_own_code_and_their_call_goes_on) {
  struct Case {
    std::string_view request;
    int status;
    std::string body;
    bool goes_on;
  };
  for (auto& [raw, status, body, goes_on] :
       std::vector<Case>{{kSqs, 400, R"({"__type":"com.amazonaws.sqs#RequestThrottled"})", true},
                         {kSqs, 400, R"({"__type":"com.amazonaws.dynamodb.v20120810#ThrottlingException"})", true},
                         {kS3, 400, "<Error><Code>RequestTimeout</Code></Error>", true},
                         {kS3, 403, "<Error><Code>RequestTimeTooSkewed</Code></Error>", true},
                         {kSqs, 400, R"({"__type":"com.amazonaws.sqs#ValidationException"})", false},
                         {kS3, 403, "<Error><Code>AccessDenied</Code></Error>", false}}) {
    Traffic t;
    auto first = t.begin(raw);
    first.response_sample = body;
    t.serve(first, status);
    EXPECT_EQ(t.begin(raw).call == first.call, goes_on) << body;
  }
}

TEST(Challenges, that_are_met_by_a_token_or_by_credentials_are_answered_and_not_retried) {
  constexpr std::string_view plain = "GET /orders/7 HTTP/1.1\r\nHost: h\r\n\r\n";
  constexpr std::string_view old = "GET /orders/7 HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ***\r\n\r\n";
  Traffic::From library{.call_id = "100-1"};
  Traffic t;
  auto first = t.begin(plain, library);
  t.inject(first, 401);
  EXPECT_OWN_CALL(t.begin(old, library));  // it had no credentials before

  Traffic renewed;
  first = renewed.begin(old, library);
  renewed.inject(first, 401);
  auto token = renewed.begin("POST /token HTTP/1.1\r\nHost: h\r\n\r\n", library);
  EXPECT_OWN_CALL(token);
  renewed.serve(token, 200);
  EXPECT_OWN_CALL(renewed.begin(old, library));

  Traffic own;
  first = own.begin(old, library);
  own.serve(first, 401);
  EXPECT_OWN_CALL(own.begin(old, library));  // the service asked for other ones, and these may be

  Traffic stubborn;
  first = stubborn.begin(old, library);
  stubborn.inject(first, 401);
  EXPECT_ATTEMPT((stubborn.begin(old, library)), first, 2, certain);
}

}  // namespace
}  // namespace retrial::trace
