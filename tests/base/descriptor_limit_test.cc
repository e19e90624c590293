#include "base/descriptor_limit.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace retrial {
namespace {

rlimit limit() {
  rlimit now{};
  getrlimit(RLIMIT_NOFILE, &now);
  return now;
}

TEST(DescriptorLimit, it_is_raised_to_the_hard_limit_and_put_back_to_what_it_was_at_first) {
  const auto before = limit();
  const rlimit low{before.rlim_max / 2, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  restore_descriptor_limit();
  EXPECT_EQ(limit().rlim_cur, low.rlim_cur) << "it was never raised";
  for (int i = 0; i < 2; i++) {
    raise_descriptor_limit();
    EXPECT_EQ(limit().rlim_cur, before.rlim_max);
    EXPECT_EQ(limit().rlim_max, before.rlim_max);
  }
  restore_descriptor_limit();
  EXPECT_EQ(limit().rlim_cur, low.rlim_cur);
  EXPECT_EQ(limit().rlim_max, before.rlim_max);
  setrlimit(RLIMIT_NOFILE, &before);
}

}  // namespace
}  // namespace retrial
