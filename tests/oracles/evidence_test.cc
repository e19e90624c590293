#include "oracles/evidence.h"

#include <gtest/gtest.h>

#include "oracles/failure.h"
#include "trace/call_site.h"

namespace retrial::oracles {
namespace {

TEST(Evidence, counts_in_words) {
  EXPECT_EQ(ordinal(1), "first");
  EXPECT_EQ(ordinal(10), "tenth");
  EXPECT_EQ(ordinal(11), "11th");
  EXPECT_EQ(ordinal(21), "21st");
  EXPECT_EQ(ordinal(102), "102nd");
  EXPECT_EQ(ordinal(113), "113th");
  EXPECT_EQ(counted(1, "gap"), "1 gap");
  EXPECT_EQ(counted(0, "gap"), "0 gaps");
  EXPECT_EQ(show_gap(3'200'000), "3.2 ms");
  EXPECT_EQ(show_gap(48'700'000), "49 ms");
  EXPECT_EQ(show_gap(4 * kSecond), "4.0 s");
}

TEST(Evidence, a_long_text_loses_its_middle_and_no_half_of_a_character) {
  EXPECT_EQ(shorten("a\n  b\tc ", 10), "a b c");
  auto cut = shorten("Issue with http://127.0.0.1:5000/" + std::string(200, 'x') + ": Not Found", 60);
  EXPECT_TRUE(cut.starts_with("Issue with http://127.0.0.1:5000/")) << cut;
  EXPECT_TRUE(cut.ends_with(": Not Found")) << cut;
  std::string umlauts;
  for (int i = 0; i < 100; i++) umlauts += "\xc3\xbc";
  for (std::size_t n = 10; n < 30; n++) {
    auto text = shorten(umlauts, n);
    auto at = text.find(" ... ");
    ASSERT_NE(at, std::string::npos);
    EXPECT_EQ(at % 2, 0u);
    EXPECT_EQ((text.size() - at - 5) % 2, 0u);
  }
}

TEST(Evidence, an_exception_is_named_by_type_text_and_code_without_what_changes_with_each_request) {
  trace::Thrown t{.type = "azure.core.RestError",
                  .message = "The message does not exist.\nRequestId:1\nTime:2",
                  .code = "MessageNotFound"};
  EXPECT_EQ(named(t), "RestError: The message does not exist. [MessageNotFound]");
  EXPECT_EQ(named({.type = "KeyError"}), "KeyError");
}

TEST(Evidence, two_functions_without_a_name_are_not_one) {
  auto one = [](const char* function, int line) {
    return in_one_function(trace::CallSite{"search.mjs", 27, function}, trace::CallSite{"search.mjs", line, function},
                           "test/search.test.mjs > finds");
  };
  EXPECT_TRUE(one("index", 35));
  EXPECT_FALSE(one("index", 27)) << "one line";
  EXPECT_FALSE(one("<anonymous>", 35));
  EXPECT_FALSE(one("Search.<anonymous>", 35));
}

TEST(Evidence, a_librarys_file_is_shown_from_its_package_on) {
  EXPECT_EQ(short_path("/home/a/.venv/lib/python3.11/site-packages/requests/models.py"), "requests/models.py");
  EXPECT_EQ(short_path("node_modules/got/dist/source/index.js"), "got/dist/source/index.js");
  EXPECT_EQ(short_path("src/jobs.mjs"), "src/jobs.mjs");
}

}  // namespace
}  // namespace retrial::oracles
