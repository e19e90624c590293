/* The loop that every timed wait is made of, and the plain sleeps. */
#include "client.h"

#include <poll.h>
#include <threads.h>
#include <unistd.h>

struct wait wait_until(int64_t until) { return wait_until_about(until, 0); }

struct wait wait_until_about(int64_t until, int64_t late) {
  struct wait w = {.until = until};
  struct retrial_time_slot* slot = own_slot();
  if (!slot) return w;
  w.outer = __atomic_load_n(&slot->until, __ATOMIC_RELAXED);
  __atomic_store_n(&slot->waits, slot->waits + 1, __ATOMIC_RELAXED);
  __atomic_store_n(&slot->until, until == FOR_EVER ? until : until + late, __ATOMIC_RELEASE);
  return w;
}

int64_t slice(const struct wait* w) {
  int64_t most = longest_slice(), past_timer = arm_timers_again();
  if (past_timer - most < SECOND / 1000) most = past_timer;
  int64_t left = w->until == FOR_EVER ? FOR_EVER : w->until - now();
  return left < 0 ? 0 : left < most ? left : most;
}

int goes_on(const struct wait* w) {
  if (w->until == FOR_EVER) return 1;
  int was = errno, left = w->until > now();
  errno = was;
  return left;
}

int goes_on_quietly(struct wait* w) {
  if (!goes_on(w)) return 0;
  if (w->quiet) return 1;
  sigset_t all;
  sigfillset(&all);
  const int own_faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
  for (size_t i = 0; i < sizeof own_faults / sizeof *own_faults; i++) sigdelset(&all, own_faults[i]);
  w->quiet = pthread_sigmask(SIG_SETMASK, &all, &w->mask) == 0;
  return 1;
}
const sigset_t* mask_of(const struct wait* w, const sigset_t* wanted) {
  return wanted || !w->quiet ? wanted : &w->mask;
}

void wait_over(const struct wait* w) {
  int was = errno;
  if (w->quiet) pthread_sigmask(SIG_SETMASK, &w->mask, NULL);
  errno = was;
  struct retrial_time_slot* slot = own_slot();
  if (slot) __atomic_store_n(&slot->until, w->outer, __ATOMIC_RELEASE);
}

PUBLIC int clock_nanosleep(clockid_t clock, int flags, const struct timespec* time, struct timespec* left) {
  if (!attached() || !moves(clock) || unusable(time)) return NEXT(clock_nanosleep)(clock, flags, time, left);
  struct wait w = wait_until(flags & TIMER_ABSTIME ? deadline(clock, time) : from_now(nanos(time)));
  int r, was = errno, error;
  do { /* a poll of nothing, as it takes a mask */
    struct timespec real = timespec_of(slice(&w));
    r = NEXT(ppoll)(NULL, 0, &real, mask_of(&w, NULL));
  } while (r == 0 && goes_on_quietly(&w));
  error = r == 0 ? 0 : errno;
  wait_over(&w);
  errno = was;
  if (error && left && !(flags & TIMER_ABSTIME)) *left = timespec_of(w.until - now());
  return error;
}
PUBLIC int nanosleep(const struct timespec* time, struct timespec* left) {
  int error = clock_nanosleep(CLOCK_MONOTONIC, 0, time, left);
  if (error) errno = error;
  return error ? -1 : 0;
}
PUBLIC int usleep(useconds_t micros) {
  struct timespec time = timespec_of(micros * 1000LL);
  return nanosleep(&time, NULL);
}
PUBLIC unsigned sleep(unsigned seconds) {
  struct timespec time = {seconds, 0}, left = {0, 0};
  return nanosleep(&time, &left) ? (unsigned)(left.tv_sec + (left.tv_nsec >= SECOND / 2)) : 0;
}
PUBLIC int thrd_sleep(const struct timespec* time, struct timespec* left) {
  int error = clock_nanosleep(CLOCK_REALTIME, 0, time, left);
  return error == 0 ? 0 : error == EINTR ? -1 : -2;
}
