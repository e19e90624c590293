#include "scan/output.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "scan/verdicts.h"

namespace retrial::scan {
namespace {

TEST(Sarif, names_files_as_URIs) {
  Scan scan;
  scan.locations.push_back({.file = "a/we ird#\xc3\xbc%.py", .line = 3, .last_line = 4, .back = {"any"}});
  judge(scan.locations);
  auto sarif = nlohmann::json::parse(sarif_of(scan));
  EXPECT_EQ(sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            "a/we%20ird%23%C3%BC%25.py");
}

std::string message(const char* language) {
  Scan scan;
  scan.locations.push_back({.file = "a", .line = 3, .last_line = 4, .language = language, .back = {"any"}});
  judge(scan.locations);
  auto sarif = nlohmann::json::parse(sarif_of(scan));
  return sarif["runs"][0]["results"][0]["message"]["text"];
}

TEST(Output, names_the_command_that_shows_right_code_in_the_places_language) {
  EXPECT_TRUE(message("TypeScript").ends_with(": retrial explain missing-cap --code node shows it."));
  EXPECT_TRUE(message("Go").ends_with(": retrial explain missing-cap --code go shows it."));
  EXPECT_TRUE(message("Rust").ends_with(": retrial explain missing-cap shows it."));
}

TEST(Output, names_no_command_that_explain_does_not_know) {
  Scan scan;
  scan.locations.push_back({.file = "a", .language = "Java", .verdicts = {{"swallowed-error", "Gone."}}});
  EXPECT_NE(text_of(scan, "").find("retrial explain lost-effect --code java"), std::string::npos);
}

TEST(Output, says_whether_what_is_called_may_be_repeated) {
  auto repeat = [](const char* tried) {
    auto text =
        std::string("def f(u):\n  while True:\n    try:\n      return ") + tried + "\n    except OSError: pass\n";
    Scan scan;
    scan.locations = scan_text(*language_of("a.py"), text).locations;
    auto at = nlohmann::json::parse(json_of(scan))["locations"][0]["repeat"];
    return at["kind"].get<std::string>() + " " + at["text"].get<std::string>();
  };
  EXPECT_EQ(repeat("http.post(u)"), "no http.post");
  EXPECT_EQ(repeat("http.post(u, headers={'Idempotency-Key': k})"), "key http.post");
  EXPECT_EQ(repeat("http.post(u, headers={'Idempotency-Key': uuid4()})"), "no http.post");
  EXPECT_EQ(repeat("requests.get(u).json()"), "yes requests.get(…).json");
  EXPECT_EQ(repeat("connect(u, options.get('timeout'))"), "unknown ");
}

TEST(LeftOut, is_one_line) {
  Scan scan;
  scan.left_out = {{"not UTF-8", 1}, {"tests", 2}};
  EXPECT_EQ(left_out_line(scan), "1 not UTF-8, 2 tests");
}

}  // namespace
}  // namespace retrial::scan
