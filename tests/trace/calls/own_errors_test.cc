// Which of a service's own errors an injected one is made after.
#include "trace/calls/own_errors.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/trace/wire.h"

namespace retrial::trace {
namespace {

Exchange answered(std::string_view status, std::string_view body, std::string_view type = "application/json",
                  std::string_view headers = "") {
  auto e = wire::request("GET /docs/7 HTTP/1.1\r\nHost: h\r\n" + std::string(headers) + "\r\n");
  wire::respond(e, "HTTP/1.1 " + std::string(status) + " X\r\nContent-Type: " + std::string(type) + "\r\n\r\n" +
                       std::string(body));
  return e;
}
OwnErrors learned(std::vector<Exchange> exchanges, const std::set<std::string>& bare = {}) {
  Run run;
  run.exchanges = std::move(exchanges);
  OwnErrors errors;
  errors.learn(run, bare);
  return errors;
}
std::string nearest(const OwnErrors& errors, int status) {
  auto* shape = errors.nearest("127.0.0.1:10001", "127.0.0.1:10001", status);
  return shape ? std::to_string(shape->status) + " " + shape->body : "";
}

TEST(OwnErrors, are_those_of_the_nearest_status_of_the_class_and_else_those_of_the_usual_shape) {
  std::vector<Exchange> seen{answered("500", R"({"a":1})"), answered("404", R"({"b":2})"),
                             answered("422", R"({"c":1})"), answered("422", R"({"c":2})"),
                             answered("409", R"({"c":3})")};
  for (int turn = 0; turn < 2; turn++) {
    auto errors = learned(seen);
    EXPECT_EQ(nearest(errors, 503), R"(500 {"a":1})");
    EXPECT_EQ(nearest(errors, 404), R"(404 {"b":2})");
    EXPECT_EQ(nearest(errors, 429), R"(422 {"c":1})");
    std::ranges::reverse(seen);
  }
  seen.erase(std::ranges::find(seen, 500, &Exchange::service_status));
  EXPECT_EQ(nearest(learned(seen), 503), R"(422 {"c":1})");
}

TEST(OwnErrors, are_whole_answers_in_text_of_services_that_no_profile_knows) {
  EXPECT_EQ(nearest(learned({answered("200", R"({"a":1})")}), 503), "");
  EXPECT_EQ(nearest(learned({answered("404", R"({"a":1)")}), 503), "") << "no JSON";
  EXPECT_EQ(nearest(learned({answered("404", "\x08\x07", "application/x-protobuf")}), 503), "");
  EXPECT_EQ(nearest(learned({answered("404", std::string(kSampleBytes + 1, 'x'), "text/plain")}), 503), "");
  EXPECT_EQ(nearest(learned({answered("404", "{}", "application/json", "x-amz-content-sha256: x\r\n")}), 503), "");
  EXPECT_EQ(nearest(learned({answered("404", "{}")}, {"127.0.0.1:10001"}), 503), "");
  auto left = answered("404", "{}");
  left.ending = Ending::client_left;
  EXPECT_EQ(nearest(learned({left}), 503), "");
}

TEST(OwnErrors, are_of_the_service_that_is_asked_wherever_it_listens) {
  auto here = answered("404", R"({"a":1})"), there = answered("404", R"({"b":1})");
  here.service = "127.0.0.1:40001", there.service = "127.0.0.1:*2";
  auto errors = learned({here, there});
  auto body = [&](const char* service, const char* address) {
    auto* shape = errors.nearest(service, address, 503);
    return shape ? shape->body : "";
  };
  EXPECT_EQ(body("127.0.0.1:*2", "127.0.0.1:40001"), R"({"b":1})");
  EXPECT_EQ(body("127.0.0.1:*", "127.0.0.1:40001"), R"({"a":1})");
  EXPECT_EQ(body("127.0.0.1:*", "127.0.0.1:50002"), R"({"a":1})");
  EXPECT_EQ(body("127.0.0.1:*3", "127.0.0.1:50002"), R"({"b":1})") << "a sibling's, where tests start a server each";
  EXPECT_EQ(body("127.0.0.1:8080", "127.0.0.1:8080"), "");
  EXPECT_EQ(errors.remarks().front(),
            "errors are injected in the shape of the service's own: 127.0.0.1:* (404), 127.0.0.1:40001 (404)");
}

TEST(OwnErrors, of_one_port_are_those_of_all_names_that_are_given_to_it) {
  auto failed = answered("404", R"({"a":1})"), other = answered("200", "{}");
  failed.host = other.host = "127.0.0.1:40001";
  failed.service = "127.0.0.1:*2", other.service = "127.0.0.1:*";
  auto errors = learned({failed, other});
  EXPECT_NE(errors.nearest("127.0.0.1:*", "127.0.0.1:50001", 503), nullptr);
  EXPECT_EQ(errors.nearest("127.0.0.2:*", "127.0.0.2:50001", 503), nullptr);
}

}  // namespace
}  // namespace retrial::trace
