// Bodies that are read from a file or a stream, which the first attempt used up.
#include <gtest/gtest.h>

#include "tests/trace/traffic.h"

namespace retrial::trace {
namespace {

const std::string kAll = "one,1\ntwo,2\nthree,3\n";

std::string put(std::string_view body, std::string_view headers = "") {
  return "PUT /rows/1 HTTP/1.1\r\nHost: h\r\n" + std::string(headers) +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}
// Where requests come from: a call site, or none that is known.
const Traffic::From kNowhere{.site = ""};

// What was sent without faults, one after another.
Lessons usual(const std::vector<std::string>& requests, const Traffic::From& from = {}) {
  Traffic t;
  for (auto& request : requests) {
    auto e = t.begin(request, from);
    t.serve(e, 201);
  }
  return lessons_of(t.run);
}
// What is said of these after each other, a second apart: all fail, but the last if it `ends_well`.
std::string calls(const std::vector<std::string>& requests, const Lessons& lessons = {}, bool ends_well = true,
                  const Traffic::From& from = {}) {
  Traffic t(lessons);
  for (auto& request : requests) {
    auto e = t.begin(request, from);
    &request == &requests.back() && ends_well ? t.serve(e, 201) : t.inject(e, 503);
    t.pass(kSecond);
  }
  Correlator::correlate_again(t.run.exchanges, lessons);
  std::string out;
  for (auto& e : t.run.exchanges)
    out += (out.empty() ? "" : ", ") + std::to_string(e.call) + "." + std::to_string(e.attempt) + " " +
           std::string(show(e.confidence));
  return out;
}

TEST(UsedUpBodies, are_sent_empty_and_are_attempts_all_the_same) {
  EXPECT_EQ(calls({put(kAll), put("")}), "1.1 certain, 1.2 likely");
  EXPECT_EQ(calls({put(kAll), put("")}, usual({put(kAll)})), "1.1 certain, 1.2 likely");
  EXPECT_EQ(calls({put(kAll), put(""), put("")}, usual({put(kAll)})).substr(0, 23), "1.1 certain, 1.2 likely");
}

TEST(UsedUpBodies, without_a_call_site_are_known_where_nothing_else_is_ever_sent_there) {
  EXPECT_EQ(calls({put(kAll), put("")}, usual({put(kAll)}, kNowhere), true, kNowhere), "1.1 certain, 1.2 likely");
  EXPECT_EQ(calls({put(kAll), put("")}, {}, true, kNowhere), "1.1 certain, 2.1 certain");
}

TEST(UsedUpBodies, of_which_an_end_or_a_beginning_is_left_are_likely_where_all_of_it_is_known) {
  for (auto left : {"three,3\n", "one,1\ntw"}) {
    EXPECT_EQ(calls({put(kAll), put(left)}, usual({put(kAll)})), "1.1 certain, 1.2 likely") << left;
    EXPECT_EQ(calls({put(kAll), put(left)}), "1.1 certain, 1.2 possible") << left;
  }
  EXPECT_EQ(calls({put(kAll), put("two,2\nthree,3\n"), put("three,3\n")}, usual({put(kAll)})),
            "1.1 certain, 1.2 likely, 1.3 likely");
  EXPECT_EQ(calls({put(kAll), put("two,2\n")}, usual({put(kAll)})), "1.1 certain, 2.1 certain") << "of its middle";
}

TEST(UsedUpBodies, are_none_where_the_same_is_sent_without_faults) {
  for (auto* other : {"", "three,3\n"}) {
    auto lessons = usual({put(kAll), put(other)});
    EXPECT_EQ(calls({put(kAll), put(other)}, lessons), "1.1 certain, 2.1 certain") << other;
    auto often = usual({put(kAll), put(other), put(kAll), put(other)});
    EXPECT_EQ(calls({put(kAll), put(other)}, often), "1.1 certain, 2.1 certain") << other;
  }
}

TEST(UsedUpBodies, are_none_where_a_batch_is_halved_or_other_things_follow) {
  auto lessons = usual({put(kAll)});
  std::string first = kAll.substr(0, 12), second = kAll.substr(12);
  EXPECT_EQ(calls({put(kAll), put(first), put(second)}, lessons), "1.1 certain, 2.1 certain, 3.1 certain");
  EXPECT_EQ(calls({put(kAll), put(""), put("more")}, {}, false), "1.1 certain, 2.1 certain, 3.1 certain");
  auto next = put("another,1\n");
  EXPECT_EQ(calls({put(kAll), put(""), next}, usual({put(kAll), next})), "1.1 certain, 1.2 likely, 2.1 certain")
      << "what is sent next without faults says nothing";
}

TEST(UsedUpBodies, are_none_where_a_part_is_meant_or_another_thing) {
  auto lessons = usual({put(kAll)});
  EXPECT_EQ(calls({put(kAll), put("three,3\n", "Upload-Offset: 12\r\n")}, lessons), "1.1 certain, 2.1 certain");
  EXPECT_EQ(calls({put(kAll), put("", "Content-Range: bytes */20\r\n")}, lessons), "1.1 certain, 2.1 certain");
  auto other = put("");
  other.replace(other.find("/rows/1"), 7, "/rows/2");
  EXPECT_EQ(calls({put(kAll), other}, lessons), "1.1 certain, 2.1 certain");
}

TEST(UsedUpBodies, of_several_files_are_sent_empty_again_each_for_itself) {
  auto second = put("another,1\nanother,2\n");
  auto lessons = usual({put(kAll), second});
  Traffic t(lessons);
  for (auto& file : {put(kAll), second})
    for (auto& request : {file, put(""), put("")}) {
      auto e = t.begin(request);
      t.run.exchanges.size() % 3 == 2 ? t.serve(e, 201) : t.inject(e, 503);
      t.pass(kSecond);
    }
  Correlator::correlate_again(t.run.exchanges, lessons);
  auto& e = t.run.exchanges;
  EXPECT_ATTEMPT(e[1], e[0], 2, likely);
  EXPECT_ATTEMPT(e[2], e[0], 3, likely);
  EXPECT_ATTEMPT(e[4], e[3], 2, likely);
  EXPECT_ATTEMPT(e[5], e[3], 3, likely);
}

TEST(UsedUpBodies, are_known_where_the_site_goes_on_to_other_things_after_a_success) {
  auto again = put("another,1\nanother,2\n");
  auto lessons = usual({put(kAll), again});
  Traffic t(lessons);
  auto send = [&](const std::string& request, bool well) {
    auto e = t.begin(request);
    well ? t.serve(e, 201) : t.inject(e, 503);
    t.pass(kSecond);
  };
  send(put(kAll), true);
  send(again, false);
  send(put(""), true);
  Correlator::correlate_again(t.run.exchanges, lessons);
  EXPECT_ATTEMPT(t.run.exchanges[2], t.run.exchanges[1], 2, likely);
  Correlator::correlate_again(t.run.exchanges);
  EXPECT_EQ(t.run.exchanges[2].attempt, 1) << "nothing says so without a reference";
}

}  // namespace
}  // namespace retrial::trace
