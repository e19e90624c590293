#include "trace/calls/json_order.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace retrial::trace {
namespace {

std::string ordered(std::string_view text) { return json_in_order(text).value_or("none"); }

TEST(JsonInOrder, members_stand_in_the_order_of_their_names_at_every_depth) {
  EXPECT_EQ(ordered(R"({"b":1,"a":{"d":[{"f":0,"e":1}],"c":2}})"), R"({"a":{"c":2,"d":[{"e":1,"f":0}]},"b":1})");
}
TEST(JsonInOrder, what_stands_in_a_list_stays_where_it_is) { EXPECT_EQ(ordered("[3, 1, 2]"), "[3,1,2]"); }
TEST(JsonInOrder, white_space_is_left_out_but_in_texts) {
  EXPECT_EQ(ordered(" {\n \"a\" : \"x  y\" , \"b\" : [ ] , \"c\": { } }\r\n"), R"({"a":"x  y","b":[],"c":{}})");
}
TEST(JsonInOrder, texts_end_where_no_backslash_stands_before) {
  EXPECT_EQ(ordered(R"({"b":"\\","a":"\"}"})"), R"({"a":"\"}","b":"\\"})");
}
TEST(JsonInOrder, numbers_and_words_stay_as_they_are_written) {
  EXPECT_EQ(ordered(R"({"c":1.50e3,"b":null,"a":-0})"), R"({"a":-0,"b":null,"c":1.50e3})");
}
TEST(JsonInOrder, the_same_name_twice_keeps_its_order) { EXPECT_EQ(ordered(R"({"a":2,"a":1})"), R"({"a":2,"a":1})"); }

TEST(JsonInOrder, what_is_no_json_has_no_order) {
  for (auto* text : {"", "7", "a=1&b=2", "{", "[", "{\"a\"}", "{\"a\":}", "{\"a\":1", "{\"a\":1,}", "[1,]",
                     "{\"a\":\"x", "{\"a\":\"x\\", "{} {}", "{\"a\" 1}", "[1 2]", "{1:2}"})
    EXPECT_EQ(ordered(text), "none") << text;
}
TEST(JsonInOrder, what_is_cut_anywhere_has_no_order) {
  std::string_view whole = R"({"b": [1, {"x": "y\""}], "a": null})";
  ASSERT_NE(ordered(whole), "none");
  for (std::size_t n = 0; n < whole.size(); n++) EXPECT_EQ(ordered(whole.substr(0, n)), "none") << n;
}
TEST(JsonInOrder, what_is_nested_too_deep_has_none) {
  auto nested = [](int deep) { return std::string(deep, '[') + std::string(deep, ']'); };
  EXPECT_EQ(ordered(nested(60)), nested(60));
  EXPECT_EQ(ordered(nested(100'000)), "none");
}

Exchange sending(std::string body) {
  Exchange e;
  e.method = "POST";
  e.request_read = kSecond;
  e.request_bytes = body.size();
  e.request_digest = fnv1a(body);
  e.request_sample = std::move(body);
  digest_in_order(e);
  return e;
}

TEST(DigestInOrder, is_the_same_in_whatever_order_a_body_was_written) {
  EXPECT_EQ(sending(R"({"sku":"A-1","delta":-3})").request_digest,
            sending(R"({"delta":-3,"sku":"A-1"})").request_digest);
  EXPECT_NE(sending(R"({"sku":"A-1","delta":-3})").request_digest,
            sending(R"({"delta":-4,"sku":"A-1"})").request_digest);
}
TEST(DigestInOrder, stays_where_the_body_is_no_json) {
  EXPECT_EQ(sending("b=1&a=2").request_digest, fnv1a("b=1&a=2"));
  EXPECT_EQ(sending("{\"a\":").request_digest, fnv1a("{\"a\":"));
}

}  // namespace
}  // namespace retrial::trace
