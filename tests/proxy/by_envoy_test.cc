#include "proxy/faults/by_envoy.h"

#include <gtest/gtest.h>

#include <set>

#include "policies/fault_plan.h"
#include "tests/support/docs.h"
#include "trace/fault_name.h"

namespace retrial::proxy {
namespace {

TEST(ByEnvoy, every_fault_of_the_language_is_possible_or_says_in_one_line_why_not) {
  std::set<std::string> possible;
  for (auto name : {
#define FAULT(name, ...) trace::FaultName::name,
#define CONNECTION_FAULT(name, ...) trace::FaultName::name,
#include "trace/faults.inc"
       }) {
    auto why = beyond_envoy({.name = name, .telling = trace::Telling::error});
    if (why.empty()) possible.insert(std::string(trace::word_of(name)));
    EXPECT_EQ(why.find('\n'), why.npos);
  }
  EXPECT_EQ(possible,
            (std::set<std::string>{"error", "lost-response", "delay", "drop-header", "set-header", "double-header"}));
  for (auto telling : {trace::Telling::reset, trace::Telling::close, trace::Telling::stall})
    EXPECT_FALSE(beyond_envoy({.name = trace::FaultName::lost_response, .telling = telling}).empty());
  EXPECT_EQ(beyond_envoy({.name = trace::FaultName::set_header, .header = "ETag: x"}), "");
  for (auto header : {"Content-Length: 5", "transfer-encoding"})
    EXPECT_EQ(beyond_envoy({.name = trace::FaultName::drop_header, .header = header}),
              "an Envoy frames what it passes on by itself");
  auto page = test::docs("staging-mesh.md");
  for (auto& word : possible) EXPECT_NE(page.find("`" + word + "("), page.npos) << word;
}

}  // namespace
}  // namespace retrial::proxy
