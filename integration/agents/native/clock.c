/* Reading clocks: the real one, and what the client's is ahead of it. */
#include "client.h"

#include <limits.h>
#include <stdarg.h>
#include <sys/syscall.h>

int moves(clockid_t clock) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_BOOTTIME_ALARM:
    case CLOCK_TAI:
      return 1;
    default:
      return 0;
  }
}

int64_t nanos(const struct timespec* t) {
  const int64_t most = INT64_MAX / 4 / SECOND;
  return t->tv_sec > most ? most * SECOND : t->tv_sec * SECOND + t->tv_nsec;
}
struct timespec timespec_of(int64_t ns) {
  if (ns < 0) ns = 0;
  return (struct timespec){ns / SECOND, ns % SECOND};
}
struct timeval timeval_of(int64_t ns) {
  if (ns < 0) ns = 0;
  return (struct timeval){ns / SECOND, ns % SECOND / 1000};
}
int unusable(const struct timespec* t) { return t->tv_nsec < 0 || t->tv_nsec >= SECOND || t->tv_sec < 0; }

int64_t real_now(clockid_t clock) {
  struct timespec t;
  NEXT(clock_gettime)(clock, &t);
  return nanos(&t);
}
int64_t now_on(clockid_t clock) { return real_now(clock) + ahead(); }
int64_t now(void) { return now_on(CLOCK_MONOTONIC); }
int64_t from_now(int64_t ns) { return now() + ns; }
int64_t deadline(clockid_t clock, const struct timespec* at) {
  return clock == CLOCK_MONOTONIC ? nanos(at) : now() + nanos(at) - now_on(clock);
}
struct timespec real_time_in(int64_t ns) {
  return timespec_of(real_now(CLOCK_MONOTONIC) + (ns > INT64_MAX / 2 ? INT64_MAX / 2 : ns));
}

PUBLIC int clock_gettime(clockid_t clock, struct timespec* t) {
  int r = NEXT(clock_gettime)(clock, t);
  int64_t by;
  if (r == 0 && (by = ahead()) != 0 && moves(clock)) *t = timespec_of(nanos(t) + by);
  return r;
}
PUBLIC int gettimeofday(struct timeval* restrict t, void* restrict zone) {
  int r = NEXT(gettimeofday)(t, zone);
  int64_t by;
  if (r == 0 && t && (by = ahead()) != 0) *t = timeval_of(t->tv_sec * SECOND + t->tv_usec * 1000 + by);
  return r;
}
PUBLIC time_t time(time_t* to) {
  time_t t = now_on(CLOCK_REALTIME) / SECOND;
  if (to) *to = t;
  return t;
}
PUBLIC int timespec_get(struct timespec* t, int base) {
  if (base != TIME_UTC) return NEXT(timespec_get)(t, base);
  clock_gettime(CLOCK_REALTIME, t);
  return base;
}
