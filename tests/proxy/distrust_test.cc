#include "proxy/connections/distrust.h"

#include <gtest/gtest.h>

namespace retrial::proxy {
namespace {

std::string pair(std::size_t n) { return Distrust::pair("api:443", std::to_string(n)); }

TEST(Distrust, is_of_as_many_names_as_clients_make_up_and_no_more) {
  Distrust distrust;
  for (std::size_t i = 0; i < 3 * Distrust::kMost; i++) {
    EXPECT_EQ(distrust.refused(pair(i)), i < Distrust::kMost);
    distrust.left(pair(i + Distrust::kMost));
    distrust.asked(pair(i));
  }
  EXPECT_TRUE(distrust.passes(pair(Distrust::kMost - 1)));
  EXPECT_FALSE(distrust.passes(pair(Distrust::kMost))) << "and is opened";
  EXPECT_TRUE(distrust.trusts(pair(0)));
  EXPECT_FALSE(distrust.trusts(pair(Distrust::kMost)));
  auto met = distrust.settle();
  EXPECT_EQ(met.pairs.size(), Distrust::kMost);
  EXPECT_TRUE(met.first);
  EXPECT_TRUE(distrust.passes(pair(0))) << "who is known stays so";
}

}  // namespace
}  // namespace retrial::proxy
