#include "proxy/time/limits.h"

#include <linux/futex.h>
#include <sys/syscall.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>

namespace retrial::proxy {
namespace {

struct Call {
  long number = -1;
  std::array<std::uint64_t, 6> argument{};
};

// "230 0x1 0x0 0x7ffd 0x0 0x0 0x0 0x7ffd… 0x7f…"
std::optional<Call> parse(std::string_view text) {
  Call call;
  auto word = [&text] {
    auto end = text.find_first_of(" \n");
    auto one = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    return one;
  };
  auto number = word();
  if (std::from_chars(number.data(), number.data() + number.size(), call.number).ec != std::errc{}) return {};
  for (auto& argument : call.argument) {
    auto hex = word();
    if (!hex.starts_with("0x")) return {};
    hex.remove_prefix(2);
    if (std::from_chars(hex.data(), hex.data() + hex.size(), argument, 16).ec != std::errc{}) return {};
  }
  return call;
}

bool futex_has_limit(const Call& call) {
  switch (call.argument[1] & static_cast<std::uint64_t>(FUTEX_CMD_MASK)) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
    case FUTEX_LOCK_PI:
    case FUTEX_LOCK_PI2:
    case FUTEX_WAIT_REQUEUE_PI:
      return call.argument[3] != 0;
    default:
      return false;
  }
}

}  // namespace

bool has_limit(std::string_view text) {
  if (text.starts_with("running") || text.starts_with("-1")) return false;
  auto call = parse(text);
  if (!call) return true;
  auto& a = call->argument;
  auto positive = [](std::uint64_t ms) { return static_cast<int>(ms) > 0; };
  switch (call->number) {
#ifdef SYS_poll  // not on aarch64
    case SYS_poll:
      return positive(a[2]);
    case SYS_epoll_wait:
      return positive(a[3]);
    case SYS_select:
      return a[4] != 0;
#endif
    case SYS_epoll_pwait:
      return positive(a[3]);
    case SYS_epoll_pwait2:
    case SYS_semtimedop:
      return a[3] != 0;
    case SYS_pselect6:
    case SYS_recvmmsg:
    case SYS_io_getevents:
    case SYS_mq_timedreceive:
    case SYS_mq_timedsend:
      return a[4] != 0;
    case SYS_ppoll:
    case SYS_rt_sigtimedwait:
      return a[2] != 0;
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
    case SYS_io_uring_enter:  // whether it has one stands in the process's memory
    case SYS_connect:         // of SYN retries; or it is being captured
    case SYS_getpeername:
      return true;
    case SYS_futex:
      return futex_has_limit(*call);
    case 449:  // futex_waitv
      return a[3] != 0;
    default:
      return false;
  }
}

bool waits_for_timer_of_go(std::string_view text) {
  auto call = parse(text);
  if (!call) return false;
#ifdef SYS_epoll_wait
  if (call->number == SYS_epoll_wait) return has_limit(text);
#endif
  return (call->number == SYS_epoll_pwait || call->number == SYS_epoll_pwait2) && has_limit(text);
}

}  // namespace retrial::proxy
