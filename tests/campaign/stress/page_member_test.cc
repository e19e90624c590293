#include <gtest/gtest.h>

#include "campaign/stress/stress.h"

namespace retrial::campaign {
namespace {

trace::Run pages(std::vector<std::pair<std::string, std::string>> told) {
  trace::Run run;
  for (auto& [target, answer] : told) {
    auto& e = run.exchanges.emplace_back();
    e.id = run.exchanges.size();
    e.service = "127.0.0.1:8000";
    e.operation = "GET /items";
    e.target = target;
    e.response_sample = answer;
  }
  return run;
}
const trace::CaseRecord kRow{.service = "127.0.0.1:8000", .operation = "GET /items"};

TEST(PageMember, is_the_one_whose_value_the_next_request_sends_back) {
  EXPECT_EQ(page_member(pages({{"/items?n=5", R"({"items":[1],"count":5,"more":"k7"})"}, {"/items?n=5&from=k7", "{}"}}),
                        kRow),
            "more");
  EXPECT_EQ(page_member(pages({{"/items", R"({"meta":{"at":17}})"}, {"/items?at=17", "{}"}}), kRow), "at");
  EXPECT_EQ(
      page_member(pages({{"/items", R"({"next":"http://127.0.0.1:8000/items?p=2"})"}, {"/items?p=2", "{}"}}), kRow),
      "next");
}
TEST(PageMember, is_none_where_nothing_is_sent_back) {
  EXPECT_EQ(page_member(pages({{"/items", R"({"next":"a"})"}, {"/items?from=b", "{}"}}), kRow), "");
  EXPECT_EQ(page_member(pages({{"/items", "no JSON"}, {"/items?from=b", "{}"}}), kRow), "");
  EXPECT_EQ(page_member(pages({{"/items?page=1", R"({"size":1})"}, {"/items?page=2", "{}"}}), kRow), "")
      << "what the first had sent itself";
  EXPECT_EQ(page_member(pages({}), kRow), "");
}

}  // namespace
}  // namespace retrial::campaign
