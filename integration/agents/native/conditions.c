/* Condition variables with a limit. Between two slices their waiter holds the mutex and is no waiter: a signal that
 * falls there would be lost. So signals are counted, and a wait in which one was sent ends as a spurious wake-up, which
 * every caller has to allow for. */
#include "client.h"

#include <pthread.h>
#include <threads.h>

/* In pthread_cond_t::__data.__wrefs since glibc 2.25. */
enum { SHARED = 1, MONOTONIC = 2 };

static unsigned sent[4096]; /* by address: two that share a number only wake each other up for nothing */
static unsigned* counter_of(const void* condition) {
  return &sent[(((uintptr_t)condition >> 4) * 0x9E3779B1u >> 7) % (sizeof sent / sizeof *sent)];
}
static void count(const void* condition) { __atomic_fetch_add(counter_of(condition), 1, __ATOMIC_SEQ_CST); }
static unsigned counted(const void* condition) { return __atomic_load_n(counter_of(condition), __ATOMIC_SEQ_CST); }

PUBLIC int pthread_cond_signal(pthread_cond_t* condition) {
  count(condition);
  return NEXT_VERSION(pthread_cond_signal, "GLIBC_2.3.2")(condition);
}
PUBLIC int pthread_cond_broadcast(pthread_cond_t* condition) {
  count(condition);
  return NEXT_VERSION(pthread_cond_broadcast, "GLIBC_2.3.2")(condition);
}

PUBLIC int pthread_cond_clockwait(pthread_cond_t* restrict condition, pthread_mutex_t* restrict mutex, clockid_t clock,
                                  const struct timespec* restrict at) {
  if (!attached() || unusable(at)) return NEXT(pthread_cond_clockwait)(condition, mutex, clock, at);
  /* Signals of other processes are not counted: then each slice ends as a spurious wake-up. */
  const int shared = condition->__data.__wrefs & SHARED;
  const unsigned before = counted(condition);
  struct wait w = wait_until(deadline(clock, at));
  int error;
  do {
    struct timespec real = real_time_in(slice(&w));
    error = NEXT(pthread_cond_clockwait)(condition, mutex, CLOCK_MONOTONIC, &real);
  } while (error == ETIMEDOUT && !shared && counted(condition) == before && goes_on(&w));
  if (error == ETIMEDOUT && goes_on(&w)) error = 0;
  wait_over(&w);
  return error;
}
PUBLIC int pthread_cond_timedwait(pthread_cond_t* restrict condition, pthread_mutex_t* restrict mutex,
                                  const struct timespec* restrict at) {
  if (!attached()) return NEXT_VERSION(pthread_cond_timedwait, "GLIBC_2.3.2")(condition, mutex, at);
  clockid_t clock = condition->__data.__wrefs & MONOTONIC ? CLOCK_MONOTONIC : CLOCK_REALTIME;
  return pthread_cond_clockwait(condition, mutex, clock, at);
}

static int thrd_of(int error) { return error == 0 ? thrd_success : error == ETIMEDOUT ? thrd_timedout : thrd_error; }
PUBLIC int cnd_signal(cnd_t* condition) { return thrd_of(pthread_cond_signal((pthread_cond_t*)condition)); }
PUBLIC int cnd_broadcast(cnd_t* condition) { return thrd_of(pthread_cond_broadcast((pthread_cond_t*)condition)); }
PUBLIC int cnd_timedwait(cnd_t* restrict condition, mtx_t* restrict mutex, const struct timespec* restrict at) {
  return thrd_of(pthread_cond_timedwait((pthread_cond_t*)condition, (pthread_mutex_t*)mutex, at));
}
