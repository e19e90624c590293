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

TEST(LeftOut, is_one_line) {
  Scan scan;
  scan.left_out = {{"not UTF-8", 1}, {"tests", 2}};
  EXPECT_EQ(left_out_line(scan), "1 not UTF-8, 2 tests");
}

}  // namespace
}  // namespace retrial::scan
