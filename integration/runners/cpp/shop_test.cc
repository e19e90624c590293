#include "shop.h"

#include <gtest/gtest.h>

#include "server.h"

class Orders : public testing::TestWithParam<const char*> {
 protected:
  static void SetUpTestSuite() { server_ = new Server; }
  static void TearDownTestSuite() { delete server_; }
  static Shop shop() { return {server_->port}; }
  static Server* server_;
};
Server* Orders::server_;

class Payments : public Orders {};
TEST_F(Payments, ArePaid) { shop().pay("7"); }
TEST_P(Orders, ArePlaced) { shop().place(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Some, Orders, testing::Values("one", "two"));

TEST(Stock, IsWatched) {
  Server server;
  EXPECT_EQ(Shop{server.port}.watch(), "12");
}

TEST(Stock, IsCounted) {
  Server server;
  EXPECT_EQ(Shop{server.port}.count(), "12");
}

TEST(Stock, IsOfNoUse) { GTEST_SKIP(); }
