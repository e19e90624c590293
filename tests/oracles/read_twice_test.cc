// silent-wrong-result: pages that are read again from the beginning, and written with what was read before.
#include <gtest/gtest.h>

#include "tests/oracles/runs.h"

namespace retrial::oracles {
namespace {

constexpr const char* kPageOne = R"({"items":[{"id":"o1","cents":250},{"id":"o2","cents":400}],"next":2})";
constexpr const char* kPageTwo = R"({"items":[{"id":"o3","cents":100}],"next":null})";

Trial totalled(const char* written, int usually_first = 1, bool begins_anew = true) {
  Trial t("P3", "error(503) x 1, then pass");
  auto put = [](Tale& tale, const char* body) {
    tale.call("report", "PUT", "/docs/totals");
    tale.last().request_sample = body;
    tale.last().request_bytes = std::string_view(body).size();
    tale.answers(200);
  };
  for (int n = 0; n < usually_first; n++) t.reference.call("orders", "GET", "/orders?page=1").answers(200, kPageOne);
  t.reference.call("orders", "GET", "/orders?page=2").answers(200, kPageTwo);
  put(t.reference, R"({"orders":3,"total":750})");
  t.in_case().call("orders", "GET", "/orders?page=1").answers(200, kPageOne);
  t.in_case().call("orders", "GET", "/orders?page=2").gets_error(503);
  t.in_case().waits(kSecond);
  if (begins_anew) t.in_case().call("orders", "GET", "/orders?page=1").answers(200, kPageOne);
  t.in_case().call("orders", "GET", "/orders?page=2").answers(200, kPageTwo);
  put(t.in_case(), written);
  t.in_case().passes();
  return t;
}

TEST(ReadTwice, what_is_counted_twice_is_told_by_its_number_or_its_sum) {
  EXPECT_EQ(totalled(R"({"orders":5,"total":750})").verdicts(), "silent-wrong-result likely");
  EXPECT_EQ(totalled(R"({"orders":3,"total":1400})").verdicts(), "silent-wrong-result likely");
}

TEST(ReadTwice, who_drops_what_he_had_or_reads_it_so_each_time_counts_nothing_twice) {
  EXPECT_EQ(totalled(R"({"orders":3,"total":750})").verdicts(), "");
  EXPECT_EQ(totalled(R"({"orders":4,"total":751})").verdicts(), "") << "it differs by something else";
  EXPECT_EQ(totalled(R"({"orders":5,"total":1400})", 2).verdicts(), "")
      << "the first page is read twice without it too";
  EXPECT_EQ(totalled(R"({"orders":5,"total":1400})", 1, false).verdicts(), "") << "nothing was read again";
}

TEST(ReadTwice, a_body_that_broke_stands_in_what_is_written_with_all_of_it_behind) {
  auto backed_up = [](const char* size) {
    Trial t("B1", "reset(in-body) x 1, then pass");
    auto put = [](Tale& tale, std::string body) {
      tale.call("report", "PUT", "/backups/a");
      tale.last().request_sample = std::move(body);
      tale.answers(201);
    };
    trace::Header length{"content-length", "181000"};
    t.reference.call("pull", "GET", "/archives/a").answers(200, "x", {length});
    put(t.reference, R"({"size":181000})");
    t.in_case().call("pull", "GET", "/archives/a").is_reset();
    t.in_case().last().fault.point = trace::Point::in_body;
    t.in_case().again(kSecond).answers(200, "x", {length});
    put(t.in_case(), std::string(R"({"size":)") + size + "}");
    t.in_case().passes();
    return t.verdicts();
  };
  EXPECT_EQ(backed_up("271500"), "silent-wrong-result likely");
  EXPECT_EQ(backed_up("181000"), "");
  EXPECT_EQ(backed_up("181002"), "") << "it differs by something else";
}

}  // namespace
}  // namespace retrial::oracles
