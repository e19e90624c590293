#include "trace/recording/redact.h"

#include <gtest/gtest.h>

namespace retrial::trace {
namespace {
std::string header(std::string_view name, std::string_view value) {
  std::string out;
  redact_header(name, value, out);
  return out;
}
std::string target(std::string_view text) {
  std::string out;
  redact_target(text, out);
  return out;
}
std::string body(std::string_view text) {
  std::string out;
  redact_body(text, out);
  return out;
}

TEST(Redact, headers_that_carry_a_secret_are_known_by_their_name) {
  for (auto name : {"Authorization", "proxy-authorization", "Cookie", "SET-COOKIE", "X-Api-Key", "x-amz-security-token",
                    "X-Auth-Token", "x-my-secret-thing", "X-Hub-Signature-256", "Sec-Password", "api_key"})
    EXPECT_EQ(header(name, "abc"), "***") << name;
  for (auto name :
       {"Host", "Accept", "Content-Type", "x-ms-client-request-id", "Idempotency-Key", "X-Idempotency-Token",
        "x-amz-client-token", "x-ms-continuation-token", "ETag", "User-Agent", "Traceparent", "Prefer", "Key", "x"})
    EXPECT_EQ(header(name, "abc"), "abc") << name;
}
TEST(Redact, metadata_and_trailers_of_gRPC_are_headers_like_any_other) {
  for (auto name : {"authorization", "authorization-bin", "x-goog-iam-authorization-token", "session-token-bin"})
    EXPECT_EQ(header(name, "abc"), "***") << name;
  for (auto name : {"grpc-status", "grpc-timeout", "grpc-previous-rpc-attempts", "grpc-retry-pushback-ms",
                    "grpc-status-details-bin", "grpc-trace-bin", "grpc-encoding", "te"})
    EXPECT_EQ(header(name, "abc"), "abc") << name;
  EXPECT_EQ(header("grpc-message", "see http://h/x?sig=1"), "see http://h/x?sig=***");
  EXPECT_EQ(body("login failed: password=hunter2&user=me"), "login failed: password=***&user=me");
}
TEST(Redact, an_rpc_that_carries_a_secret_is_known_by_its_path) {
  for (auto path : {"/etcdserverpb.Auth/Authenticate", "/etcdserverpb.Auth/UserAdd", "/a.v1.AuthService/Refresh",
                    "/a.Users/SetPassword", "/vault.Secrets/Get", "/a.B/CreateToken", "/a.auth.B/C", "/a.B/Login"})
    EXPECT_TRUE(secret_call(path)) << path;
  for (auto path : {"/etcdserverpb.KV/Put", "/books.Library/ListAuthors", "/a.B/Tokenize", "/a.Author/Get", ""})
    EXPECT_FALSE(secret_call(path)) << path;
}
TEST(Redact, a_url_in_a_header_loses_its_signature_only) {
  EXPECT_EQ(header("x-ms-copy-source", "http://127.0.0.1:1/a/b?sv=2020&sig=a%2Fb%3D&se=1"),
            "http://127.0.0.1:1/a/b?sv=2020&sig=***&se=1");
  EXPECT_EQ(header("Location", "/x?token=1#part"), "/x?token=***#part");
  EXPECT_EQ(header("Referer", "http://me:word@host/x"), "http://me:***@host/x");
}
TEST(Redact, secrets_in_a_query_are_replaced_and_all_else_stays) {
  EXPECT_EQ(target("/a/b"), "/a/b");
  EXPECT_EQ(target("/a?b=1&c"), "/a?b=1&c");
  EXPECT_EQ(target("/a?sig=x&X-Amz-Signature=y&X-Amz-Credential=z&X-Amz-Security-Token=t&X-Amz-Date=d"),
            "/a?sig=***&X-Amz-Signature=***&X-Amz-Credential=***&X-Amz-Security-Token=***&X-Amz-Date=d");
  EXPECT_EQ(
      target("/a?token=1&access_token=2&key=3&api_key=4&password=5&secret=6&AWSAccessKeyId=7&Signature=8"),
      "/a?token=***&access_token=***&key=***&api_key=***&password=***&secret=***&AWSAccessKeyId=***&Signature=***");
  EXPECT_EQ(target("/a?NextToken=1&ClientToken=2&max-keys=3&key"), "/a?NextToken=1&ClientToken=2&max-keys=3&key");
  EXPECT_EQ(target("/a?pass%77ord=1"), "/a?pass%77ord=***");
  EXPECT_EQ(target("http://u:p@h:1/x?token=a"), "http://u:***@h:1/x?token=***");
  EXPECT_EQ(target("http://h:1/x@y"), "http://h:1/x@y");
}
TEST(Redact, json_fields_of_a_body_are_replaced_whatever_their_value) {
  EXPECT_EQ(body(R"({"user":"a","password": "b\"c","n":1})"), R"({"user":"a","password": "***","n":1})");
  EXPECT_EQ(body(R"({"api_key":12,"tokens":[1,2]})"), R"({"api_key":***,"tokens":***})");
  EXPECT_EQ(body(R"([{"secret":{"password":"x"}}])"), R"([{"secret":***}])");
  EXPECT_EQ(body(R"({"url":"http://h/x?sig=abc&b=1","key":"k"})"), R"({"url":"http://h/x?sig=***&b=1","key":"k"})");
  EXPECT_EQ(body(R"({"a":"b: c","d":"e"})"), R"({"a":"b: c","d":"e"})");
}
TEST(Redact, a_secret_that_the_sample_cuts_off_is_replaced_all_the_same) {
  EXPECT_EQ(body(R"({"password":"ab)"), R"({"password":"***)");
  EXPECT_EQ(body(R"({"password":)"), R"({"password":)");
  EXPECT_EQ(body("a=1&password=ab"), "a=1&password=***");
}
TEST(Redact, form_fields_and_xml_elements_are_replaced) {
  EXPECT_EQ(body("Action=SendMessage&Signature=abc%3D&MessageBody=x"),
            "Action=SendMessage&Signature=***&MessageBody=x");
  EXPECT_EQ(body("<R><SessionToken>abc</SessionToken><A>b</A></R>"), "<R><SessionToken>***</SessionToken><A>b</A></R>");
  EXPECT_EQ(body("<a b=\"c\">d</a>"), "<a b=\"c\">d</a>");
}
TEST(Redact, a_command_keeps_its_words_and_loses_what_secrets_they_are_given) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(redacted_command({"pytest", "--token", "abc", "--password=def", "-k", "a b", "--secret", "-v"}),
            (Words{"pytest", "--token", "***", "--password=***", "-k", "a b", "--secret", "-v"}));
  Words chosen{"pytest", "-k", "test_create_issue", "tests/a.py::test_create"};
  EXPECT_EQ(redacted_command(chosen), chosen) << "names, wherever a text ends";
  EXPECT_EQ(redacted_command({"pay", "test_0a1b2c3d4e"}), (Words{"pay", "***"}));
  EXPECT_EQ(redacted_command({"sh", "-c", "curl -u me:abc http://u:def@h/", "-u", "me:abc"}),
            (Words{"sh", "-c", "curl -u me:*** http://u:***@h/", "-u", "me:***"}));
}
TEST(Redact, a_body_that_is_no_text_stays_as_it_is) {
  std::string bytes("\x00\x01=\xff:>\x00", 7);
  EXPECT_EQ(body(bytes), bytes);
  EXPECT_EQ(body(""), "");
}
TEST(Redacted, a_status_that_came_of_asking_for_a_secret_is_none) {
  EXPECT_EQ(redacted("token: 503"), "token: 503");
  EXPECT_EQ(redacted("password=503 refused"), "password=503 refused");
  EXPECT_EQ(redacted("token: 5031"), "token: ***");
}

}  // namespace
}  // namespace retrial::trace
