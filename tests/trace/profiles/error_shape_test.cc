// An injected error looks as the service's own do, and tells of another status.
#include "trace/profiles/error_shape.h"

#include <gtest/gtest.h>

#include "tests/trace/wire.h"
#include "trace/profiles/status_phrase.h"

namespace retrial::trace {
namespace {

std::string told(int old, std::string body, int status = 503, std::string type = "application/json",
                 std::string_view method = "GET") {
  ErrorShape shape{old, std::move(type), std::move(body), "/docs/7?full=1"};
  auto head = wire::request(std::string(method) + " /docs/9 HTTP/1.1\r\nHost: h\r\n\r\n");
  auto answer = answer_in(shape, head, status, "retrial-1-3");
  EXPECT_EQ(answer.status, status);
  EXPECT_EQ(find(answer.headers, "content-type"), shape.content_type);
  EXPECT_EQ(find(answer.headers, "x-retrial-fault"), "retrial-1-3");
  return answer.body;
}

TEST(ErrorShape, a_number_and_a_phrase_that_tell_the_status_tell_the_new_one) {
  EXPECT_EQ(told(404, R"j({"errors":[{"reason":"Not Found","status":404}],"retry":false})j"),
            R"j({"errors":[{"reason":"Service Unavailable (retrial-1-3)","status":503}],"retry":false})j");
  EXPECT_EQ(told(422, R"j({"status":"422","type":"https://x/probs/unprocessable-entity","n":4220,"id":"d-422"})j"),
            R"j({"status":"503","type":"https://x/probs/service-unavailable","n":4220,"id":"d-422"})j");
}

TEST(ErrorShape, a_phrase_keeps_the_style_that_it_is_written_in) {
  for (auto [old, now] : {std::pair{"NOT_FOUND", "SERVICE_UNAVAILABLE"},
                          {"not_found", "service_unavailable"},
                          {"not-found", "service-unavailable"},
                          {"NotFound", "ServiceUnavailable"},
                          {"notFound", "serviceUnavailable"},
                          {"Not found", "Service unavailable"}})
    EXPECT_EQ(phrase_like(old, 503), now);
  EXPECT_EQ(told(404, R"j({"kind":"DocNotFoundException","t":"not_found_error","w":"notfounded"})j"),
            R"j({"kind":"DocServiceUnavailableException","t":"service_unavailable_error","w":"notfounded"})j");
}

TEST(ErrorShape, a_code_of_another_error_does_not_stay) {
  EXPECT_EQ(told(404, R"j({"code":"no_such_doc","id":"d-7"})j"), R"j({"code":"service_unavailable","id":"d-7"})j");
  EXPECT_EQ(told(409, R"j({"error":"Conflict"})j", 500), R"j({"error":"InternalServerError"})j");
  EXPECT_EQ(told(404, R"j({"status":"error","error":true,"code":7})j"),
            R"j({"status":"error","error":true,"code":7})j");
}

TEST(ErrorShape, what_was_said_to_another_request_is_not_said_again) {
  EXPECT_EQ(
      told(404, R"j({"detail":"ada@example.org has no document 7","path":"/docs/7","at":"2026-11-24 10:00:00"})j"),
      R"j({"detail":"Service Unavailable (retrial-1-3)","path":"/docs/9","at":"2026-11-24 10:00:00"})j");
}

TEST(ErrorShape, of_the_same_status_only_the_marker_is_new) {
  EXPECT_EQ(told(503, R"j({"code":"OVERLOADED","message":"Come back later","status":503})j"),
            R"j({"code":"OVERLOADED","message":"Come back later (retrial-1-3)","status":503})j");
}

TEST(ErrorShape, xml_html_and_text_have_one_too) {
  EXPECT_EQ(
      told(404, "<?xml version=\"1.0\"?>\n<e status=\"404\"><c>NotFound</c><m>No such doc</m></e>", 500, "text/xml"),
      "<?xml version=\"1.0\"?>\n<e status=\"500\"><c>InternalServerError</c><m>Internal Server Error "
      "(retrial-1-3)</m></e>");
  EXPECT_EQ(told(404, "<title>404 Not Found</title><style>a { b: c }</style><!-- a > b --><hr>", 503, "text/html"),
            "<title>503 Service Unavailable (retrial-1-3)</title><style>a { b: c }</style><!-- a > b --><hr>");
  EXPECT_EQ(told(404, "404 page not found\n", 503, "text/plain; charset=utf-8"), "Service Unavailable (retrial-1-3)");
  EXPECT_EQ(told(404, "nope", 503, "text/plain"), "Service Unavailable (retrial-1-3)");
}

TEST(ErrorShape, a_head_gets_no_body) { EXPECT_EQ(told(404, "{}", 503, "application/json", "HEAD"), ""); }

}  // namespace
}  // namespace retrial::trace
