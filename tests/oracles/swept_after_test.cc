// What is removed because a list could not be read: silent-wrong-result.
#include <gtest/gtest.h>

#include "tests/oracles/runs.h"

namespace retrial::oracles {
namespace {

// A job that removes the documents of what is no longer listed.
Trial swept(bool made_here) {
  Trial t("P3", "error(503)");
  for (auto* tale : {&t.reference, &t.in_case()})
    if (made_here) tale->call("index", "PUT", "/docs/A1").answers(201);
  t.reference.call("sync", "GET", "/products").answers(200, R"(["A1","B2"])");
  t.reference.call("sync", "DELETE", "/docs/X9").answers(204);
  t.in_case().call("sync", "GET", "/products").gets_error();
  t.in_case().call("sync", "DELETE", "/docs/X9").answers(204);
  t.in_case().call("sync", "DELETE", "/docs/A1").answers(204);
  if (!made_here) t.in_case().call("sync", "DELETE", "/docs/B2").answers(204);
  t.in_case().passes();
  return t;
}

TEST(SweptAfter, what_is_kept_without_the_fault_was_taken_for_what_is_no_longer_there) {
  auto t = swept(false);
  EXPECT_EQ(t.verdicts(), "silent-wrong-result likely");
  auto message = t.judge().findings[0].message;
  EXPECT_NE(message.find("DELETE /docs/A1 was then made of 2 things that are kept without the fault"), message.npos)
      << message;
}

TEST(SweptAfter, what_was_made_in_this_run_may_be_taken_back) { EXPECT_EQ(swept(true).verdicts(), ""); }

}  // namespace
}  // namespace retrial::oracles
