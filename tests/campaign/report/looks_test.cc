#include "campaign/report/looks.h"

#include <gtest/gtest.h>

#include "oracles/evidence.h"
#include "tests/oracles/runs.h"

namespace retrial::campaign::report {
namespace {

oracles::Tale looking(std::string body, int status = 200) {
  oracles::Tale tale(trace::RunKind::with_fault);
  tale.call("", "GET", "/things");
  tale.last().tag.site = trace::CallSite{std::string(trace::kLookSite), 1, std::string(trace::kLookSite)};
  tale.answers(status, std::move(body));
  return tale;
}
std::string shown(std::string was, std::string is, int status = 200) {
  auto usual = looking(std::move(was)), now = looking(std::move(is), status);
  auto lines = what_looks_show(usual.done(), now.done());
  return lines.size() == 1 ? lines.front() : "not one line";
}

TEST(WhatLooksShow, is_what_differs_from_what_they_show_without_the_fault) {
  EXPECT_EQ(shown(R"([{"id":1},{"id":2}])", R"([{"id":1}])"),
            "GET /things, read at the end: a list of 1, and of 2 without the fault");
  EXPECT_EQ(shown(R"({"size":181000,"name":"a"})", R"({"size":271500,"name":"a"})"),
            "GET /things, read at the end: \"size\" is 271500, and 181000 without the fault");
  EXPECT_EQ(shown("{}", R"({"error":"gone"})", 404),
            "GET /things, read at the end: answered 404, and answered 200 without the fault");
  EXPECT_EQ(shown("one", "other"), "GET /things, read at the end: another answer than without the fault");
  EXPECT_EQ(shown("one", "one"), "GET /things, read at the end: as without the fault");
  EXPECT_EQ(shown(R"([{"id":1}])", "[]"), "GET /things, read at the end: a list of 0, and of 1 without the fault");
}

TEST(WhatLooksShow, says_what_differs_without_the_fault_too_in_the_same_respect) {
  auto beside = [](std::string was, std::string is, std::string again) {
    auto usual = looking(std::move(was)), now = looking(std::move(is)), control = looking(std::move(again));
    return what_looks_show(usual.done(), now.done(), &control.done()).at(0);
  };
  constexpr auto kTwo = "GET /things, read at the end: a list of 2, and of 1 without the fault";
  EXPECT_EQ(beside(R"([{"id":"x1"}])", R"([{"id":"y2"},{"id":"y3"}])", R"([{"id":"z4"}])"), kTwo);
  EXPECT_EQ(beside(R"([1])", R"([1,1])", R"([1,1])"),
            std::string(kTwo) + ", once more without it too: the fault has nothing to do with that");
  EXPECT_EQ(beside(R"([1])", R"([1,1])", R"([1,1,1])"),
            std::string(kTwo) + ", and once more without it another answer yet: that says little of the fault");
  EXPECT_EQ(beside("1", "2", "1"), "GET /things, read at the end: it is 2, and 1 without the fault");
}

TEST(WhatLooksShow, is_nothing_where_nothing_was_read_and_no_more_than_was_kept) {
  auto refused = looking("{}", 404), still = looking("{}", 404);
  EXPECT_EQ(what_looks_show(refused.done(), still.done()).at(0),
            "GET /things, read at the end: answered 404, here as without the fault: it shows nothing");
  auto usual = looking("one"), now = looking("one");
  usual.last().response_bytes = now.last().response_bytes = 9140;
  EXPECT_EQ(what_looks_show(usual.done(), now.done()).at(0),
            "GET /things, read at the end: as without the fault in its first 3 of 9140 bytes");
  now.last().response_bytes = 9200;
  EXPECT_EQ(what_looks_show(usual.done(), now.done()).at(0),
            "GET /things, read at the end: 9200 bytes, and 9140 without the fault");
}

TEST(WhatLooksShow, tells_what_is_there_with_the_fault_alone) {
  EXPECT_EQ(shown(R"({"locks":{}})", R"({"locks":{"production":"rollout"}})"),
            "GET /things, read at the end: \"production\" is rollout, and nothing without the fault");
  EXPECT_EQ(shown(R"({"owner":null})", R"({"owner":"rollout"})"),
            "GET /things, read at the end: \"owner\" is rollout, and nothing without the fault");
}

}  // namespace
}  // namespace retrial::campaign::report
