#include "predict/touch.h"

#include <gtest/gtest.h>

#include "tests/predict/traffic.h"

namespace retrial::predict {
namespace {

struct Touched {
  std::string path;
  std::string_view kind;
  bool operator==(const Touched&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Touched& t) { return out << t.kind << " " << t.path; }

Touched touched(std::string method, std::string target, int status = 200, std::vector<trace::Header> sent = {},
                std::string answer = {}, std::vector<trace::Header> given = {}) {
  Traffic t;
  auto& e = t.sends("", std::move(method), std::move(target), status, 1, 2);
  e.request_headers = std::move(sent);
  e.response_sample = std::move(answer);
  e.response_headers = std::move(given);
  auto touch = touch_of(e);
  return {touch.path, show(touch.kind)};
}

TEST(Touch, is_read_off_method_and_answer) {
  EXPECT_EQ(touched("GET", "/jobs/17?full=1"), (Touched{"/jobs/17", "read"}));
  EXPECT_EQ(touched("GET", "/jobs/17?wait=5s"), (Touched{"/jobs/17", "wait"}));
  EXPECT_EQ(touched("PUT", "/jobs/a%20b/"), (Touched{"/jobs/a b", "write"}));
  EXPECT_EQ(touched("PUT", "/jobs/17", 201), (Touched{"/jobs/17", "create"}));
  EXPECT_EQ(touched("DELETE", "/jobs/17", 204), (Touched{"/jobs/17", "end"}));
  EXPECT_EQ(touched("POST", "/count"), (Touched{"/count", "write"}));
}

TEST(Touch, of_a_POST_that_creates_is_of_what_its_answer_names) {
  EXPECT_EQ(touched("POST", "/jobs", 201, {}, R"({"id": 17})"), (Touched{"/jobs/17", "create"}));
  EXPECT_EQ(touched("POST", "/jobs", 201, {}, R"({"id": "x9"})"), (Touched{"/jobs/x9", "create"}));
  EXPECT_EQ(touched("POST", "/jobs", 201, {}, "", {{"Location", "http://h/jobs/9"}}), (Touched{"/jobs/9", "create"}));
  EXPECT_EQ(touched("POST", "/jobs", 201), (Touched{"/jobs/?", "create"}));
}

TEST(Touch, of_an_action_is_of_what_it_is_done_to) {
  EXPECT_EQ(touched("POST", "/jobs/17/complete"), (Touched{"/jobs/17", "end"}));
  EXPECT_EQ(touched("POST", "/jobs/17:cancel"), (Touched{"/jobs/17", "end"}));
  EXPECT_EQ(touched("POST", "/locks/a/acquire"), (Touched{"/locks/a", "lease"}));
  EXPECT_EQ(touched("PATCH", "/locks/a/release"), (Touched{"/locks/a", "release"}));
  EXPECT_EQ(touched("PUT", "/words/close", 201), (Touched{"/words/close", "create"}));
  EXPECT_EQ(touched("PUT", "/blob?comp=lease", 201, {{"x-ms-lease-action", "acquire"}}), (Touched{"/blob", "lease"}));
}

// etcd's JSON gateway: https://etcd.io/docs/v3.5/dev-guide/api_grpc_gateway/
TEST(Touch, of_a_procedure_is_of_what_its_body_names) {
  Traffic t;
  auto call = [&](const char* target, const char* body, const char* operation = "") {
    auto& e = t.sends("", "POST", target, 200, 1, 2);
    e.request_sample = body;
    e.operation = *operation ? operation : e.method + " " + target;
    auto touch = touch_of(e);
    return Touched{touch.path, show(touch.kind)};
  };
  EXPECT_EQ(call("/v3/kv/put", R"({"key": "bG9jaw==", "value": "bWU="})"), (Touched{"/v3/kv/bG9jaw==", "write"}));
  EXPECT_EQ(call("/v3/kv/range", R"({"key": "bG9jaw=="})"), (Touched{"/v3/kv/bG9jaw==", "read"}));
  EXPECT_EQ(call("/v3/kv/deleterange", R"({"key": "bG9ja/=="})"), (Touched{"/v3/kv/bG9ja%2F==", "end"}));
  EXPECT_EQ(call("/v3/lock/lock", R"({"name": "bG9jaw=="})"), (Touched{"/v3/lock/bG9jaw==", "lease"}));
  EXPECT_EQ(call("/v3/lease/revoke", R"({"ID": "7587"})"), (Touched{"/v3/lease/7587", "end"}));
  EXPECT_EQ(call("/v3/kv/range", "{}"), (Touched{"/v3/kv/range", "write"})) << "it names nothing";
  EXPECT_EQ(call("/jobs/17/complete", R"({"id": 4})", "POST /jobs/{id}/complete"), (Touched{"/jobs/17", "end"}))
      << "its path does";
  std::string kinds;
  t.run.exchanges.resize(3);
  for (auto& touch : touches_of(t.run)) kinds += std::string(show(touch.kind)) + " ";
  EXPECT_EQ(kinds, "create read end ");
}

TEST(Touch, of_a_first_PUT_creates_where_nobody_has_seen_it_before) {
  Traffic t;
  t.sends("", "PUT", "/a", 200, 1, 2);
  t.sends("", "PUT", "/a", 200, 3, 4);
  t.sends("", "GET", "/b", 200, 5, 6);
  t.sends("", "PUT", "/b", 200, 7, 8);
  t.sends("", "GET", "/c", 404, 9, 10);
  t.sends("", "PUT", "/c", 200, 11, 12);
  std::string kinds;
  for (auto& touch : touches_of(t.run)) kinds += std::string(show(touch.kind)) + " ";
  EXPECT_EQ(kinds, "create write read write create ");
}

// `defer resp.Body.Close()`, and nobody reads it: Go closes the connection.
TEST(Touches, are_of_what_was_done_too_where_its_client_left_the_good_answer_half_read) {
  for (auto [told, status, count] : {std::tuple(200, 200, 1u), std::tuple(0, 200, 0u), std::tuple(409, 409, 0u)}) {
    Traffic t;
    auto& e = t.sends("", "PUT", "/jobs/17", status, 1, 2);
    e.ending = trace::Ending::client_left;
    e.client_status = told;
    EXPECT_EQ(touches_of(t.run).size(), count) << told;
  }
}

TEST(Touches, concern_each_other_where_one_makes_or_ends_what_the_other_is_about) {
  Traffic t;
  auto touch = [&, left = 100](std::string path, Kind kind) mutable {
    t.run.exchanges.reserve(100);
    return Touch{&t.sends("", "GET", "/", 200, --left, left), std::move(path), kind};
  };
  auto made = touch("/jobs/17", Kind::create);
  EXPECT_TRUE(concern(made, touch("/jobs/17", Kind::read)));
  EXPECT_TRUE(concern(touch("/jobs/17/parts/1", Kind::write), made));
  EXPECT_TRUE(concern(touch("/jobs", Kind::read), made));
  EXPECT_FALSE(concern(touch("/jobs", Kind::write), made));
  EXPECT_FALSE(concern(touch("/jobs/171", Kind::read), made));
  EXPECT_FALSE(concern(touch("/", Kind::read), made));
  EXPECT_FALSE(concern(touch("/jobs/17", Kind::read), touch("/jobs/17", Kind::write)));
  auto elsewhere = touch("/jobs/17", Kind::read);
  t.run.exchanges.back().service = "127.0.0.1:81";
  EXPECT_FALSE(concern(made, elsewhere));
}

}  // namespace
}  // namespace retrial::predict
