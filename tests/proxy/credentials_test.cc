// Whether a request uses the token that was given: by digests, on the wire.
#include "proxy/exchange/credentials.h"

#include <fmt/format.h>

#include "tests/support/conversation.h"

namespace retrial::proxy {
namespace {

TEST(Credentials, are_alike_where_they_are_the_same_whatever_their_scheme) {
  EXPECT_EQ(credentials_digest("Bearer abc"), credentials_digest("bearer abc"));
  EXPECT_EQ(credentials_digest("Bearer abc"), credentials_digest("abc"));
  EXPECT_NE(credentials_digest("Bearer abc"), credentials_digest("Bearer abd"));
  EXPECT_EQ(credentials_given(R"({"access_token": "abc", "expires_in": 60})"), credentials_digest("Bearer abc"));
  EXPECT_EQ(credentials_given(R"({"user": "ada", "token": "abc"})"), credentials_digest("abc"));
  for (auto* none :
       {"", "{}", R"({"next_token": "abc"})", R"({"access_token": ""})", R"({"access_token": "ab)", "token"})
    EXPECT_EQ(credentials_given(none), 0U) << none;
}

TEST(Credentials, of_one_head_after_another_are_each_their_own) {
  LastCredentials last;
  auto of = [&](std::string_view sent) {
    last.take(sent);
    return last.digest;
  };
  EXPECT_EQ(of("Bearer abc"), credentials_digest("abc"));
  EXPECT_EQ(of("Bearer abc"), credentials_digest("abc"));
  EXPECT_EQ(of("Bearer abd"), credentials_digest("abd"));
  std::string longer(5000, 'x');
  EXPECT_EQ(of(longer + "1"), credentials_digest(longer + "1"));
  EXPECT_EQ(of(longer + "2"), credentials_digest(longer + "2"));
}

using Wire = test::Conversation;

TEST_F(Wire, credentials_are_recorded_as_a_digest_of_what_was_sent_and_given) {
  auto line = connect();
  auto asks = [&](std::string_view lines, std::string_view body) {
    line.client->say(fmt::format("GET /a HTTP/1.1\r\nHost: x\r\n{}\r\n", lines));
    line.service->hears(fmt::format("GET /a HTTP/1.1\r\nHost: x\r\n{}\r\n", lines));
    auto answer = fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{}", body.size(), body);
    line.service->say(answer);
    line.client->hears(answer);
  };
  asks("Authorization: Bearer abc\r\n", R"({"access_token": "abd"})");
  asks("Authorization: Bearer abd\r\n", "{}");
  asks("", "{}");
  ASSERT_EQ(recorder.exchanges.size(), 3U);
  auto& all = recorder.exchanges;
  EXPECT_NE(all[0].credentials, 0U);
  EXPECT_NE(all[0].credentials, all[1].credentials);
  EXPECT_EQ(all[0].credentials_given, all[1].credentials);
  EXPECT_EQ(all[1].credentials_given, 0U);
  EXPECT_EQ(all[2].credentials, 0U);
}

TEST_F(Wire, of_a_body_with_a_secret_in_it_the_digest_is_of_what_is_recorded) {
  auto line = connect();
  auto digest_of = [&](std::string_view body) {
    auto request = fmt::format("POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n{}", body.size(), body);
    line.client->say(request);
    line.service->hears(request);
    line.service->say("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    line.client->hears("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    return recorder.exchanges.back().request_digest;
  };
  EXPECT_EQ(digest_of(R"({"user":"anna","password":"1234"})"), digest_of(R"({"user":"anna","password":"99999"})"));
  EXPECT_NE(digest_of(R"({"user":"anna","password":"1234"})"), digest_of(R"({"user":"otto","password":"1234"})"));
  EXPECT_NE(digest_of(R"({"user":"anna","page":"1234"})"), digest_of(R"({"user":"anna","page":"1235"})"));
}

}  // namespace
}  // namespace retrial::proxy
