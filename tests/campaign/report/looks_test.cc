#include "campaign/report/looks.h"

#include <gtest/gtest.h>

#include "oracles/evidence.h"
#include "tests/oracles/runs.h"

namespace retrial::campaign::report {
namespace {

oracles::Tale looking(std::string body, int status = 200) {
  oracles::Tale tale(trace::RunKind::with_fault);
  tale.call("", "GET", "/things");
  tale.last().tag.site = trace::CallSite{std::string(oracles::kLookSite), 1, std::string(oracles::kLookSite)};
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
            "GET /things, read at the end: answered 404, and 200 without the fault");
  EXPECT_EQ(shown("one", "other"), "GET /things, read at the end: another answer than without the fault");
  EXPECT_EQ(shown("one", "one"), "what is read at the end at 1 of the addresses of --look is as without the fault");
}

}  // namespace
}  // namespace retrial::campaign::report
