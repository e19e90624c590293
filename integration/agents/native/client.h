/* What the parts of the preload library share. Every function that it puts before libc's keeps that one's contract. */
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>
#include <time.h>

#include "page.h"

#define PUBLIC __attribute__((visibility("default")))
#define SECOND 1000000000LL
#define FOR_EVER RETRIAL_TIME_FOR_EVER

/* The next definition of a function, which is libc's. */
#define NEXT(name)                                                  \
  __extension__({                                                   \
    static __typeof__(name)* next_;                                 \
    if (!next_) next_ = (__typeof__(name)*)dlsym(RTLD_NEXT, #name); \
    next_;                                                          \
  })
/* The same where libc has several versions of it, and an unversioned look-up may give an old one. */
#define NEXT_VERSION(name, version)                                           \
  __extension__({                                                             \
    static __typeof__(name)* next_;                                           \
    if (!next_) next_ = (__typeof__(name)*)dlvsym(RTLD_NEXT, #name, version); \
    if (!next_) next_ = (__typeof__(name)*)dlsym(RTLD_NEXT, #name);           \
    next_;                                                                    \
  })

/* page.c */
int attached(void);  /* there is a page; else all passes through */
int64_t ahead(void); /* ns; 0 without a page */
int64_t longest_slice(void);
struct retrial_time_slot* own_slot(void); /* this thread's; NULL: the page is full, or there is none */
struct retrial_time_slot* take_slot(uint32_t kind);

/* clock.c: times in ns, of the client's clocks. */
int moves(clockid_t clock); /* it is one of those that are moved: no CPU time, no clock of a device */
int64_t real_now(clockid_t clock);
int64_t now_on(clockid_t clock);
int64_t now(void);                       /* the monotonic one, on which all deadlines stand */
int64_t nanos(const struct timespec* t); /* capped, so that sums do not overflow */
struct timespec timespec_of(int64_t ns);
struct timeval timeval_of(int64_t ns);
int64_t from_now(int64_t ns);                                 /* deadline */
int64_t deadline(clockid_t clock, const struct timespec* at); /* of a time on that clock */
int unusable(const struct timespec* t);                       /* libc would say EINVAL */
struct timespec real_time_in(int64_t ns);                     /* on the real monotonic clock */

/* waits.c: a timed wait is a loop of real waits of at most a slice, as long as the client's time has not come. The
 * deadline stands in the page meanwhile.
 *   struct wait w = wait_until(deadline);
 *   do r = the real wait, for slice(&w) at most; while (r says that time was up && goes_on(&w));
 *   wait_over(&w);      keeps errno */
struct wait {
  int64_t until;
  int64_t outer; /* a signal handler's wait inside another */
  int quiet;
  sigset_t mask; /* the thread's own, while it is quiet */
};
struct wait wait_until(int64_t until);
struct wait wait_until_about(int64_t until, int64_t late); /* a jump may take it past its end by that much */
int64_t slice(const struct wait* w);
int goes_on(const struct wait* w);
void wait_over(const struct wait* w);
/* For calls that take a mask: between two slices signals are kept back, so that they come inside the next and end it.
 * `wanted`: the caller's mask, or NULL. */
int goes_on_quietly(struct wait* w);
const sigset_t* mask_of(const struct wait* w, const sigset_t* wanted);

/* timers.c */
int timers_armed(void); /* then waits without a limit are cut in slices too: it is they that arm timers anew */
/* If the clock was moved. Gives how long a slice has to be to outlast the first of them. */
int64_t arm_timers_again(void);
void timers_after_fork(void);
void timers_at_start(void);
int is_timer(int fd); /* a timerfd */
/* A wait without a limit may pass straight on. */
static inline int unlimited(void) { return !attached() || !timers_armed(); }
