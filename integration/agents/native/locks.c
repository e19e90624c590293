/* Semaphores, locks and joins with a limit. */
#include "client.h"

#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

PUBLIC int sem_clockwait(sem_t* restrict sem, clockid_t clock, const struct timespec* restrict at) {
  if (!attached() || unusable(at)) return NEXT(sem_clockwait)(sem, clock, at);
  struct wait w = wait_until(deadline(clock, at));
  int r;
  do {
    struct timespec real = real_time_in(slice(&w));
    r = NEXT(sem_clockwait)(sem, CLOCK_MONOTONIC, &real);
  } while (r == -1 && errno == ETIMEDOUT && goes_on(&w));
  wait_over(&w);
  return r;
}
PUBLIC int sem_timedwait(sem_t* restrict sem, const struct timespec* restrict at) {
  return attached() ? sem_clockwait(sem, CLOCK_REALTIME, at) : NEXT(sem_timedwait)(sem, at);
}
PUBLIC int sem_wait(sem_t* sem) {
  if (unlimited()) return NEXT(sem_wait)(sem);
  struct wait w = wait_until(FOR_EVER);
  int r;
  do {
    struct timespec real = real_time_in(slice(&w));
    r = NEXT(sem_clockwait)(sem, CLOCK_MONOTONIC, &real);
  } while (r == -1 && errno == ETIMEDOUT);
  wait_over(&w);
  return r;
}

/* A lock's two functions: with a limit on the realtime clock, and on a given one. */
#define LOCKED(type, timed, clocked)                                                             \
  PUBLIC int clocked(type* restrict lock, clockid_t clock, const struct timespec* restrict at) { \
    if (!attached() || unusable(at)) return NEXT(clocked)(lock, clock, at);                      \
    struct wait w = wait_until(deadline(clock, at));                                             \
    int error;                                                                                   \
    do {                                                                                         \
      struct timespec real = real_time_in(slice(&w));                                            \
      error = NEXT(clocked)(lock, CLOCK_MONOTONIC, &real);                                       \
    } while (error == ETIMEDOUT && goes_on(&w));                                                 \
    wait_over(&w);                                                                               \
    return error;                                                                                \
  }                                                                                              \
  PUBLIC int timed(type* restrict lock, const struct timespec* restrict at) {                    \
    return attached() ? clocked(lock, CLOCK_REALTIME, at) : NEXT(timed)(lock, at);               \
  }
LOCKED(pthread_mutex_t, pthread_mutex_timedlock, pthread_mutex_clocklock)
LOCKED(pthread_rwlock_t, pthread_rwlock_timedrdlock, pthread_rwlock_clockrdlock)
LOCKED(pthread_rwlock_t, pthread_rwlock_timedwrlock, pthread_rwlock_clockwrlock)

PUBLIC int pthread_clockjoin_np(pthread_t thread, void** value, clockid_t clock, const struct timespec* at) {
  if (!attached() || !at || unusable(at)) return NEXT(pthread_clockjoin_np)(thread, value, clock, at);
  struct wait w = wait_until(deadline(clock, at));
  int error;
  do {
    struct timespec real = real_time_in(slice(&w));
    error = NEXT(pthread_clockjoin_np)(thread, value, CLOCK_MONOTONIC, &real);
  } while (error == ETIMEDOUT && goes_on(&w));
  wait_over(&w);
  return error;
}
PUBLIC int pthread_timedjoin_np(pthread_t thread, void** value, const struct timespec* at) {
  return attached() ? pthread_clockjoin_np(thread, value, CLOCK_REALTIME, at)
                    : NEXT(pthread_timedjoin_np)(thread, value, at);
}
PUBLIC int mtx_timedlock(mtx_t* restrict lock, const struct timespec* restrict at) {
  if (!attached()) return NEXT(mtx_timedlock)(lock, at);
  int error = pthread_mutex_timedlock((pthread_mutex_t*)lock, at);
  return error == 0 ? thrd_success : error == ETIMEDOUT ? thrd_timedout : thrd_error;
}
