/* Calls made by number: Rust's std, libstdc++, absl, libuv. */
#include "client.h"

#include <linux/futex.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

struct arguments {
  long a, b, c, d, e, f;
};
static long pass(long number, struct arguments x) { return NEXT(syscall)(number, x.a, x.b, x.c, x.d, x.e, x.f); }

static int is_timed_futex(struct arguments x) {
  int operation = (int)x.b & FUTEX_CMD_MASK;
  return x.d && (operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET) && !unusable((const struct timespec*)x.d);
}
/* FUTEX_WAIT's limit is relative, FUTEX_WAIT_BITSET's a time on one of two clocks. */
static long futex(struct arguments x) {
  const struct timespec* limit = (const struct timespec*)x.d;
  const int relative = ((int)x.b & FUTEX_CMD_MASK) == FUTEX_WAIT;
  const clockid_t clock = x.b & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC;
  struct wait w = wait_until(relative ? from_now(nanos(limit)) : deadline(clock, limit));
  x.b &= ~FUTEX_CLOCK_REALTIME;
  long r;
  do {
    int64_t most = slice(&w);
    struct timespec real = relative ? timespec_of(most) : real_time_in(most);
    x.d = (long)&real;
    r = pass(SYS_futex, x);
  } while (r == -1 && errno == ETIMEDOUT && goes_on(&w));
  wait_over(&w);
  return r;
}

PUBLIC long syscall(long number, ...) {
  struct arguments x;
  va_list list;
  va_start(list, number);
  x.a = va_arg(list, long);
  x.b = va_arg(list, long);
  x.c = va_arg(list, long);
  x.d = va_arg(list, long);
  x.e = va_arg(list, long);
  x.f = va_arg(list, long);
  va_end(list);
  if (!attached()) return pass(number, x);
  switch (number) {
    case SYS_futex:
      return is_timed_futex(x) ? futex(x) : pass(number, x);
    case SYS_clock_gettime:
      return clock_gettime((clockid_t)x.a, (struct timespec*)x.b);
    case SYS_gettimeofday:
      return gettimeofday((struct timeval*)x.a, (void*)x.b);
    case SYS_nanosleep:
      return nanosleep((const struct timespec*)x.a, (struct timespec*)x.b);
    case SYS_clock_nanosleep: {
      int error = clock_nanosleep((clockid_t)x.a, (int)x.b, (const struct timespec*)x.c, (struct timespec*)x.d);
      if (error) errno = error;
      return error ? -1 : 0;
    }
    case SYS_ppoll:
      return ppoll((struct pollfd*)x.a, (nfds_t)x.b, (const struct timespec*)x.c, (const sigset_t*)x.d);
    case SYS_epoll_pwait:
      return epoll_pwait((int)x.a, (struct epoll_event*)x.b, (int)x.c, (int)x.d, (const sigset_t*)x.e);
    case SYS_epoll_pwait2:
      return epoll_pwait2((int)x.a, (struct epoll_event*)x.b, (int)x.c, (const struct timespec*)x.d,
                          (const sigset_t*)x.e);
    default:
      return pass(number, x);
  }
}
