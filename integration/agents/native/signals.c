/* Waiting for signals, and for System V and POSIX queues. */
#include "client.h"

#include <mqueue.h>
#include <poll.h>
#include <signal.h>
#include <sys/sem.h>
#include <unistd.h>

PUBLIC int sigtimedwait(const sigset_t* restrict set, siginfo_t* restrict info, const struct timespec* restrict limit) {
  if (limit ? !attached() || unusable(limit) : unlimited()) return NEXT(sigtimedwait)(set, info, limit);
  struct wait w = wait_until(limit ? from_now(nanos(limit)) : FOR_EVER);
  int r;
  do {
    struct timespec real = timespec_of(slice(&w));
    r = NEXT(sigtimedwait)(set, info, &real);
  } while (r == -1 && errno == EAGAIN && goes_on(&w));
  wait_over(&w);
  return r;
}
PUBLIC int sigwaitinfo(const sigset_t* restrict set, siginfo_t* restrict info) { return sigtimedwait(set, info, NULL); }
PUBLIC int sigwait(const sigset_t* restrict set, int* restrict got) {
  if (unlimited()) return NEXT(sigwait)(set, got);
  int r;
  do r = sigtimedwait(set, NULL, NULL);
  while (r == -1 && errno == EINTR);
  if (r == -1) return errno;
  *got = r;
  return 0;
}
/* With a kernel timer armed these must come back to arm it anew: a poll of nothing ends by a signal as they do. */
PUBLIC int pause(void) { return unlimited() ? NEXT(pause)() : ppoll(NULL, 0, NULL, NULL); }
PUBLIC int sigsuspend(const sigset_t* mask) {
  return unlimited() ? NEXT(sigsuspend)(mask) : ppoll(NULL, 0, NULL, mask);
}

PUBLIC int semtimedop(int id, struct sembuf* operations, size_t count, const struct timespec* limit) {
  if (!limit || !attached() || unusable(limit)) return NEXT(semtimedop)(id, operations, count, limit);
  struct wait w = wait_until(from_now(nanos(limit)));
  int r;
  do {
    struct timespec real = timespec_of(slice(&w));
    r = NEXT(semtimedop)(id, operations, count, &real);
  } while (r == -1 && errno == EAGAIN && goes_on(&w));
  wait_over(&w);
  return r;
}

/* The limits of queues stand on the real-time clock, and there is no call that takes another. */
static struct timespec wall_in(int64_t ns) {
  return timespec_of(real_now(CLOCK_REALTIME) + (ns > INT64_MAX / 4 ? INT64_MAX / 4 : ns));
}
PUBLIC ssize_t mq_timedreceive(mqd_t queue, char* restrict to, size_t size, unsigned* restrict priority,
                               const struct timespec* restrict at) {
  if (!attached() || !at || unusable(at)) return NEXT(mq_timedreceive)(queue, to, size, priority, at);
  struct wait w = wait_until(deadline(CLOCK_REALTIME, at));
  ssize_t r;
  do {
    struct timespec real = wall_in(slice(&w));
    r = NEXT(mq_timedreceive)(queue, to, size, priority, &real);
  } while (r == -1 && errno == ETIMEDOUT && goes_on(&w));
  wait_over(&w);
  return r;
}
PUBLIC int mq_timedsend(mqd_t queue, const char* message, size_t size, unsigned priority, const struct timespec* at) {
  if (!attached() || !at || unusable(at)) return NEXT(mq_timedsend)(queue, message, size, priority, at);
  struct wait w = wait_until(deadline(CLOCK_REALTIME, at));
  int r;
  do {
    struct timespec real = wall_in(slice(&w));
    r = NEXT(mq_timedsend)(queue, message, size, priority, &real);
  } while (r == -1 && errno == ETIMEDOUT && goes_on(&w));
  wait_over(&w);
  return r;
}
