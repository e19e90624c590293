#include "trace/calls/service_name.h"

#include <gtest/gtest.h>

namespace retrial::trace {
namespace {

TEST(ServiceName, a_port_that_the_kernel_picked_is_no_part_of_it) {
  EXPECT_EQ(service_name("127.0.0.1:34567"), "127.0.0.1:*");
  EXPECT_EQ(service_name("[::1]:60999"), "[::1]:*");
  EXPECT_EQ(service_name("127.0.0.1:10001"), "127.0.0.1:10001");
  EXPECT_EQ(service_name("[::1]:8080"), "[::1]:8080");
  EXPECT_EQ(service_name("queue"), "queue");
}

}  // namespace
}  // namespace retrial::trace
