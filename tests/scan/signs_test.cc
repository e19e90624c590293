#include "scan/signs.h"

#include <gtest/gtest.h>

namespace retrial::scan {
namespace {

TEST(Signs, are_those_that_lead_back) {
  Location at;
  auto sign = [&](Shape shape, std::vector<std::string> back) {
    at.shape = shape;
    at.back = std::move(back);
    return sign_that_leads_back(at);
  };
  EXPECT_EQ(sign(Shape::loop, {"Exception"}), Sign::connection);
  EXPECT_EQ(sign(Shape::loop, {"ConnectionError", "Timeout"}), Sign::connection);
  EXPECT_EQ(sign(Shape::loop, {"TimeoutException"}), Sign::silence);
  EXPECT_EQ(sign(Shape::loop, {"unless res.ok"}), Sign::status);
  EXPECT_EQ(sign(Shape::loop, {"HTTPError", "ConnectionError"}), Sign::status);
  EXPECT_EQ(sign(Shape::library, {"any"}), Sign::status);
}

}  // namespace
}  // namespace retrial::scan
