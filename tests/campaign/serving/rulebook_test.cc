#include "campaign/serving/rulebook.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace retrial::campaign {
namespace {

Config config(std::string_view text) {
  auto parsed = parse_config(text, "retrial.toml");
  EXPECT_TRUE(parsed) << parsed.error().line();
  return *parsed;
}
constexpr auto kFile = R"x(
[service.queue]
address = "127.0.0.1:10001"
[[rule]]
name = "slow"
match = { service = "queue" }
inject = "delay(1s)"
[[rule]]
inject = "1% of error(503)"
)x";
constexpr auto kRule = R"x({"match":{"service":"queue","method":"POST"},"inject":"error(503) x 2, then pass"})x";

struct Rules : ::testing::Test {
  Rulebook book{config(kFile), 1};
  std::string why(const Granted<bool>& granted) { return granted ? "granted" : granted.error().why; }
  int status(const Granted<bool>& granted) { return granted ? 200 : granted.error().status; }
  std::vector<std::string> names() {
    std::vector<std::string> all;
    for (auto& rule : book.in_force()) all.push_back(rule.name);
    return all;
  }
  using Names = std::vector<std::string>;
};

TEST_F(Rules, of_operators_come_before_those_of_the_file_in_the_order_in_which_they_were_put) {
  EXPECT_TRUE(*book.put("b", kRule, {}));
  EXPECT_TRUE(*book.put("a", kRule, {}));
  EXPECT_EQ(names(), (Names{"b", "a", "slow", "file-2"}));
  EXPECT_EQ(book.in_force()[0].match.services, (Names{"127.0.0.1:10001", "localhost:10001"}));
}

// Counters of Prometheus do not fall.
TEST_F(Rules, keep_their_counts_while_they_are_switched_changed_and_read_again) {
  book.put("a", kRule, {});
  auto counts = [&](const char* name) { return book.named(name)->counts.get(); };
  auto *of_a = counts("a"), *of_slow = counts("slow");
  EXPECT_EQ(book.in_force()[0].counts.get(), of_a);
  for (bool on : {false, true})
    for (auto* name : {"a", "slow"}) EXPECT_TRUE(*book.enable(name, on, {}));
  EXPECT_TRUE(*book.put("a", R"x({"match":{"service":"queue"},"inject":"error(500)"})x", {}));
  EXPECT_TRUE(*book.put_all(R"x([{"name":"a","match":{"service":"queue"},"inject":"error(502)"}])x", {}));
  book.reload(config(kFile));
  EXPECT_EQ(counts("a"), of_a);
  EXPECT_EQ(counts("slow"), of_slow);
  EXPECT_EQ(book.in_force()[0].counts.get(), of_a);
  book.erase("a", {});
  book.put("a", kRule, {});
  EXPECT_NE(counts("a"), of_a);
}

TEST_F(Rules, say_what_each_was_and_is) {
  auto changes = [&] {
    std::string all;
    for (auto& c : book.take_changes()) all += c.name + ": " + c.was + " -> " + c.is + "\n";
    return all;
  };
  EXPECT_EQ(changes(), "");
  book.put("a", R"x({"match":{"service":"queue"},"inject":"error(500)"})x", {});
  std::string first = R"x({"name":"a","enabled":true,"match":{"service":"queue"},"inject":"error(500)"})x";
  EXPECT_EQ(changes(), "a:  -> " + first + "\n");
  book.put_all(R"x([{"name":"b","match":{"service":"queue"},"inject":"stall"}])x", {});
  EXPECT_EQ(changes(),
            R"x(b:  -> {"name":"b","enabled":true,"match":{"service":"queue"},"inject":"stall"})x"
            "\na: " + first + " -> \n");
  book.enable("slow", false, {});
  EXPECT_EQ(changes(),
            R"x(slow: {"name":"slow","enabled":true,"match":{"service":"queue"},"inject":"delay(1000ms)"} -> )x"
            R"x({"name":"slow","enabled":false,"match":{"service":"queue"},"inject":"delay(1000ms)"})x"
            "\n");
  book.reload(config(kFile));
  EXPECT_EQ(changes(), "");
}

TEST(RulesForEnvoys, that_no_Envoy_can_carry_out_are_refused) {
  Rulebook book(config("[[listener]]\nmode = \"envoy\"\nlisten = \"127.0.0.1:9001\"\n"), 1);
  auto put = book.put("a", R"x({"match":{"service":"orders:8080"},"inject":"10% of truncate"})x", {});
  ASSERT_FALSE(put);
  EXPECT_EQ(put.error().status, 400);
  EXPECT_EQ(put.error().why,
            "rule \"a\" inject: expected a fault that an Envoy can carry out, found truncate: an Envoy passes on the "
            "body that the service has sent, as it is");
  EXPECT_TRUE(book.in_force().empty());
  EXPECT_TRUE(*book.put("a", R"x({"match":{"service":"orders:8080"},"inject":"10% of delay(1s)"})x", {}));
}

TEST_F(Rules, put_twice_change_nothing_the_second_time) {
  EXPECT_TRUE(*book.put("a", kRule, {}));
  auto etag = book.etag();
  EXPECT_FALSE(*book.put("a", kRule, {}));
  EXPECT_EQ(book.etag(), etag);
  EXPECT_TRUE(*book.erase("a", {}));
  EXPECT_FALSE(*book.erase("a", {}));
  EXPECT_NE(book.etag(), etag) << "though it has come back to what it was before";
}

TEST_F(Rules, that_are_broken_change_nothing_and_the_answer_names_key_and_value) {
  auto etag = book.etag();
  EXPECT_EQ(why(book.put("a", R"x({"inject":"eror(503)","match":{"service":"queue"}})x", {})).substr(0, 18),
            "rule \"a\" inject: f");
  EXPECT_NE(
      why(book.put("a", R"x({"inject":"eror(503)","match":{"service":"queue"}})x", {})).find("did you mean `error`?"),
      std::string::npos);
  EXPECT_EQ(
      why(book.put("a", R"x({"inject":"error(503)","match":{"service":"quue"}})x", {})),
      "rule \"a\" match service: expected the NAME of a [service.NAME], or host:port, found \"quue\", did you mean "
      "\"queue\"?");
  EXPECT_EQ(why(book.put("a", R"x({"inject":"error(503)","match":{"service":7}})x", {})),
            "rule \"a\" match service: expected a text in quotes, found 7");
  EXPECT_NE(why(book.put("a", R"x({"injekt":"error(503)"})x", {})).find("rule \"a\" injekt: unknown key"),
            std::string::npos);
  EXPECT_EQ(why(book.put("a", R"x({"inject":"error(503)"})x", {})).substr(0, 32), "rule \"a\": expected match.service");
  EXPECT_EQ(why(book.put("a", "{", {})), "rule \"a\": expected JSON");
  EXPECT_EQ(why(book.put("a", R"x({"inject":null})x", {})), "rule \"a\": inject: expected a value, found null");
  EXPECT_EQ(why(book.put("a b", kRule, {})).substr(0, 24), "name: expected at most 6");
  EXPECT_EQ(why(book.put_all(fmt::format(R"x([{{"name":"a","inject":"1% of error(500)"}},{{"name":"b"}}])x"), {})),
            "rule \"b\" inject: expected a fault, such as \"error(503) x 2, then pass\"");
  EXPECT_EQ(book.etag(), etag);
  EXPECT_EQ(names(), (Names{"slow", "file-2"}));
}

TEST_F(Rules, are_not_changed_by_who_does_not_know_what_they_are_now) {
  EXPECT_TRUE(*book.put("a", kRule, {.if_none_match = "*"}));
  EXPECT_EQ(status(book.put("a", kRule, {.if_none_match = "*"})), 412) << "it is there already";
  auto known = book.named("a")->etag;
  EXPECT_TRUE(*book.put("a", R"x({"match":{"service":"queue"},"inject":"error(500)"})x", {.if_match = known}));
  EXPECT_EQ(status(book.put("a", kRule, {.if_match = known})), 412) << "the other operator was first";
  EXPECT_EQ(status(book.erase("a", {.if_match = known})), 412);
  EXPECT_EQ(status(book.enable("a", false, {.if_match = known})), 412);
  EXPECT_EQ(status(book.put("new", kRule, {.if_match = "*"})), 412) << "there is none";
  auto list = book.etag();
  EXPECT_TRUE(*book.erase("a", {.if_match = "*"}));
  EXPECT_EQ(status(book.put_all("[]", {.if_match = list})), 412);
}

TEST_F(Rules, that_are_refused_say_what_does_not_hold) {
  auto why = [](const Granted<bool>& granted) { return granted ? "" : granted.error().why; };
  EXPECT_TRUE(*book.put("a", kRule, {}));
  EXPECT_EQ(why(book.put("a", kRule, {.if_none_match = "*"})), "rule \"a\" is there already (If-None-Match: *)");
  EXPECT_EQ(why(book.put("b", kRule, {.if_match = "*"})), "rule \"b\" is not there (If-Match)");
  EXPECT_EQ(why(book.put("a", kRule, {.if_match = "\"1\""})),
            "rule \"a\" was changed meanwhile: read it again, and decide anew");
  auto twice = R"x({"match":{"service":"queue"},"inject":"error(503)","inject":"error(500)"})x";
  EXPECT_EQ(why(book.put("b", twice, {})), "inject: expected it once in an object, found it twice");
  EXPECT_EQ(why(book.put_all(R"x([{"name":"b","match":{"service":"queue","service":"queue"},"inject":"pass"}])x", {})),
            "service: expected it once in an object, found it twice");
}

TEST_F(Rules, of_the_file_can_be_switched_off_and_not_changed) {
  EXPECT_EQ(status(book.put("slow", kRule, {})), 409);
  EXPECT_EQ(status(book.erase("slow", {})), 409);
  EXPECT_TRUE(*book.enable("slow", false, {}));
  EXPECT_FALSE(*book.enable("slow", false, {}));
  EXPECT_EQ(names(), (Names{"file-2"}));
  EXPECT_EQ(status(book.enable("none", false, {})), 404);
}

TEST_F(Rules, of_operators_stay_when_the_file_is_read_again_and_so_does_what_was_switched_off) {
  ASSERT_TRUE(book.put("a", kRule, {}));
  ASSERT_TRUE(book.enable("slow", false, {}));
  book.reload(config(kFile));
  EXPECT_EQ(names(), (Names{"a", "file-2"}));
  auto changed = std::string(kFile);
  changed.replace(changed.find("delay(1s)"), 9, "delay(2s)");
  book.reload(config(changed));
  EXPECT_EQ(names(), (Names{"a", "slow", "file-2"})) << "it is another rule now";
}

TEST_F(Rules, keep_their_names_apart) {
  ASSERT_TRUE(book.put("file-1", kRule, {}));
  book.reload(config("[[rule]]\ninject = \"1% of error(503)\"\n"));
  EXPECT_EQ(names(), (Names{"file-1", "file-1.2"}));
}

TEST_F(Rules, may_be_ten_thousand_and_no_more) {
  std::string all = "[";
  for (std::size_t i = 0; i < Rulebook::kMost; i++)
    all +=
        fmt::format(R"x({}{{"name":"r{}","inject":"1% of error(503)","match":{{"path":"/{}"}}}})x", i ? "," : "", i, i);
  EXPECT_TRUE(*book.put_all(all + "]", {}));
  EXPECT_EQ(book.in_force().size(), Rulebook::kMost + 2);
  EXPECT_EQ(status(book.put("one-more", kRule, {})), 409);
  EXPECT_FALSE(*book.put_all(all + "]", {})) << "the same again";
  EXPECT_EQ(status(book.put_all(all + R"x(,{"name":"x","inject":"1% of error(503)"}])x", {})), 400);
}

TEST_F(Rules, can_be_said_back_as_they_were_told) {
  ASSERT_TRUE(book.put("a", kRule, {}));
  EXPECT_FALSE(*book.put("a", as_json(*book.named("a")), {}));
}

}  // namespace
}  // namespace retrial::campaign
