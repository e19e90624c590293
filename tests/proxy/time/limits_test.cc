#include "proxy/time/limits.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <string>

namespace retrial::proxy {
namespace {

std::string call(long number, std::initializer_list<const char*> arguments) {
  auto text = std::to_string(number);
  for (auto* argument : arguments) text += std::string(" ") + argument;
  for (auto n = arguments.size(); n < 6; n++) text += " 0x0";
  return text + " 0x7ffd40 0x7f3a10\n";
}

TEST(Limits, a_sleep_always_has_one) {
  EXPECT_TRUE(has_limit(call(SYS_nanosleep, {"0x7ffd00", "0x0"})));
  EXPECT_TRUE(has_limit(call(SYS_clock_nanosleep, {"0x1", "0x0", "0x7ffd00"})));
}

TEST(Limits, a_wait_for_descriptors_has_one_where_its_argument_says_so) {
  EXPECT_TRUE(has_limit(call(SYS_epoll_pwait, {"0x5", "0x7ff0", "0x400", "0x7530"})));
  EXPECT_FALSE(has_limit(call(SYS_epoll_pwait, {"0x5", "0x7ff0", "0x400", "0xffffffff"})));
  EXPECT_FALSE(has_limit(call(SYS_ppoll, {"0x7ff0", "0x1", "0x0"})));
  EXPECT_TRUE(has_limit(call(SYS_ppoll, {"0x7ff0", "0x1", "0x7ffd00"})));
  EXPECT_TRUE(has_limit(call(SYS_pselect6, {"0x1", "0x7ff0", "0x0", "0x0", "0x7ffd00"})));
}

TEST(Limits, a_go_runtime_waits_for_timers_where_it_waits_for_descriptors) {
  EXPECT_TRUE(waits_for_timer_of_go(call(SYS_epoll_pwait, {"0x5", "0x7ff0", "0x400", "0x7530"})));
  EXPECT_FALSE(waits_for_timer_of_go(call(SYS_epoll_pwait, {"0x5", "0x7ff0", "0x400", "0xffffffff"})));
  EXPECT_FALSE(waits_for_timer_of_go(call(SYS_futex, {"0x7ff0", "0x80", "0x0", "0x7ffd00"}))) << "sysmon";
  EXPECT_FALSE(waits_for_timer_of_go("running"));
}

TEST(Limits, a_futex_has_one_where_it_waits_with_a_time) {
  EXPECT_TRUE(
      has_limit(call(SYS_futex, {"0x7ff0", "0x189", "0x0", "0x7ffd00"})));  // FUTEX_WAIT_BITSET, private, realtime
  EXPECT_FALSE(has_limit(call(SYS_futex, {"0x7ff0", "0x189", "0x0", "0x0"})));
  EXPECT_FALSE(has_limit(call(SYS_futex, {"0x7ff0", "0x81", "0x1", "0x7ffd00"})));  // FUTEX_WAKE
}

TEST(Limits, a_connect_has_the_kernels_own) { EXPECT_TRUE(has_limit(call(SYS_connect, {"0x5", "0x7ff0", "0x10"}))); }

TEST(Limits, reading_and_waiting_for_children_have_none) {
  EXPECT_FALSE(has_limit(call(SYS_read, {"0x0", "0x7ff0", "0x400"})));
  EXPECT_FALSE(has_limit(call(SYS_wait4, {"0xffffffff", "0x7ff0"})));
}

TEST(Limits, what_cannot_be_read_may_have_one) {
  EXPECT_TRUE(has_limit(""));
  EXPECT_TRUE(has_limit("230 0x1"));
}

TEST(Limits, a_thread_that_runs_is_in_no_call) {
  EXPECT_FALSE(has_limit("running\n"));
  EXPECT_FALSE(has_limit("-1 0x7ffd40 0x7f3a10\n"));
}

}  // namespace
}  // namespace retrial::proxy
