#include "checkers/body.h"

#include <gtest/gtest.h>

#include "tests/checkers/traffic.h"

namespace retrial::checkers {
namespace {

// "title=a; n=1(number)": all values.
std::string values_of(const std::string& text) {
  Talk t;
  auto body = answer_body(t.asks("GET", "/x", 200, "", text));
  if (!body.known) return "unknown";
  std::string out = body.redacted ? "redacted: " : "";
  for (auto& leaf : body.leaves) {
    out += leaf.path + "=" + leaf.text;
    if (leaf.kind == Leaf::Kind::number) out += "(number)";
    if (leaf.kind == Leaf::Kind::array) out += "(array)";
    if (leaf.in_array) out += "(item)";
    out += "; ";
  }
  return out;
}

// The same in a way that read_plain_json leaves to the other reader: with a line break that is written as an escape.
std::string values_the_long_way(const std::string& text) {
  auto values = values_of(text.substr(0, text.find('{') + 1) + R"("\n": "", )" + text.substr(text.find('{') + 1));
  const std::string own = "\n=; ";
  auto at = values.find(own);
  return at == values.npos ? values : values.erase(at, own.size());
}

TEST(Body, is_read_alike_whether_it_is_plain_or_not) {
  for (std::string text : {
           R"({"id": 7, "title": "a b", "open": true, "gone": null, "n": -12, "zero": 0})",
           R"({"z": 1, "a": {"d": {"e": {"f": {"g": {"h": 1}, "i": 2}}}}, "m": {"k": "v"}})",
           R"({"tags": [], "o": {}, "in": {"tags": [], "o": {}}})",
           R"({"a": 1, "a": 2})",
           R"({"key": "***", "other": "x***y", "n": 1})",
           " \n{ \"a\" : 1 ,\t\"b\" : \"\" }\r\n ",
           R"({"n": 007})",
           R"({"n": 1,})",
           R"({"n": 1} x)",
           R"({"n": "a)",
           R"({"a": 1.50, "b": 1e3, "c": 12345678901234567890, "d": -0})",
           R"({"": 1, "body": {"x": 1}})",
           R"({"rows": [{"id": 1}, {"id": 2}], "n": 2})",
           "{\"name\": \"\xc3\xa9\", \"bad\": \"\xff\"}",
       })
    EXPECT_EQ(values_of(text), values_the_long_way(text)) << text;
}

TEST(Body, has_its_values_by_name_in_whatever_order_the_service_writes_them) {
  EXPECT_EQ(values_of(R"({"b": "x", "a": 1})"), "a=1(number); b=x; ");
  EXPECT_EQ(values_of(R"({"b": {"d": 2, "c": "\n"}, "a": 1})"), "a=1(number); b.c=\n; b.d=2(number); ");
}

}  // namespace
}  // namespace retrial::checkers
