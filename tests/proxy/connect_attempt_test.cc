#include "proxy/net/connect_attempt.h"

#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include <cstring>
#include <fstream>
#include <optional>

#include "tests/proxy/wires.h"

namespace retrial::proxy {
namespace {

using test::run_until;

TEST(ConnectAttempt, a_peer_that_closed_before_we_looked_was_connected_to) {
  Loop loop;
  test::Port port;
  std::optional<int> ended;
  ConnectAttempt attempt(loop, port.address, [&](ConnectAttempt&, int error) { ended = error; });
  ASSERT_EQ(attempt.refused(), 0);
  ::close(port.accept());
  ASSERT_TRUE(run_until(loop, [&] { return ended.has_value(); }));
  EXPECT_EQ(*ended, 0);
  int fd = attempt.release();
  char one;
  EXPECT_EQ(::recv(fd, &one, 1, 0), 0);
  ::close(fd);
}

TEST(ConnectAttempt, what_cannot_be_begun_is_known_at_once_by_its_system_call_and_errno) {
  Loop loop;
  ConnectAttempt attempt(loop, Address::v4(0xffffffff, 80), [](ConnectAttempt&, int) { ADD_FAILURE(); });
  EXPECT_EQ(attempt.refused(), ENETUNREACH);
  EXPECT_STREQ(attempt.step(), "connect");
  EXPECT_FALSE(loop.round(false));
}

// A network whose only port for clients is the one that is connected to, where nobody listens.
constexpr int kNotAllowed = 255;
int error_in_such_a_network() {
  if (::unshare(CLONE_NEWNET) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return kNotAllowed;
  int control = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ifreq loopback{};
  std::strcpy(loopback.ifr_name, "lo");
  loopback.ifr_flags = IFF_UP;
  if (::ioctl(control, SIOCSIFFLAGS, &loopback) != 0) return kNotAllowed;
  std::ofstream range("/proc/sys/net/ipv4/ip_local_port_range");
  if (!(range << "40001 40001\n").flush()) return kNotAllowed;
  Loop loop;
  std::optional<int> ended;
  ConnectAttempt attempt(loop, Address::v4(INADDR_LOOPBACK, 40001), [&](ConnectAttempt&, int error) { ended = error; });
  if (attempt.refused()) return attempt.refused();
  return run_until(loop, [&] { return ended.has_value(); }) ? *ended : ETIMEDOUT;
}

TEST(ConnectAttempt, a_socket_that_TCP_connects_with_itself_was_refused) {
  auto child = ::fork();
  if (child == 0) ::_exit(error_in_such_a_network());
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == kNotAllowed) GTEST_SKIP() << "no network of our own can be made here";
  EXPECT_EQ(WEXITSTATUS(status), ECONNREFUSED);
}

}  // namespace
}  // namespace retrial::proxy
