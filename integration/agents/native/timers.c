/* Timers that the kernel keeps: timerfd, setitimer and alarm, timer_create. Each is armed for the real time that is
 * left to it, and armed anew by whichever wait of the process sees that the clock was moved. */
#include "client.h"

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum kind { FREE, TIMERFD, ITIMER, POSIX };
struct timer {
  enum kind kind;
  long id; /* descriptor, timer_t */
  clockid_t clock;
  int64_t at;    /* on the client's monotonic clock; 0: not armed */
  int64_t rings; /* on the real one: when the kernel will tell */
  int64_t every;
};
static struct timer timers[256];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct retrial_time_slot* slot; /* tells of the first that is due */
static int armed;                      /* how many */
static int timerfds;                   /* there ever were */
static int64_t armed_when_ahead;       /* by so much */
static int64_t first_rings = FOR_EVER; /* of all */

/* A signal that comes between two slices would end no wait. So what is nearly due is put off by this long, and the
 * slice is made to last until after it. */
#define SOON 300000LL
#define AFTER 1000000LL

int timers_armed(void) { return __atomic_load_n(&armed, __ATOMIC_RELAXED) > 0; }

static struct timer* find(enum kind kind, long id) {
  for (size_t i = 0; i < sizeof timers / sizeof *timers; i++)
    if (timers[i].kind == kind && timers[i].id == id) return &timers[i];
  return NULL;
}
static struct timer* add(enum kind kind, long id, clockid_t clock) {
  struct timer* timer = find(kind, id);
  if (!timer) timer = find(FREE, 0);
  if (timer) *timer = (struct timer){kind, id, clock, 0, 0, 0};
  return timer; /* NULL: there are more of them than we know; their time is real */
}

static int arm(struct timer* timer) {
  int64_t left = timer->at ? timer->at - now() : 0;
  if (timer->at && left < SOON) left = SOON;
  timer->rings = real_now(CLOCK_MONOTONIC) + left;
  struct itimerspec spec = {timespec_of(timer->every), timespec_of(left)};
  struct itimerval val = {timeval_of(timer->every), timeval_of(left + 999)};
  switch (timer->kind) {
    case TIMERFD:
      return NEXT(timerfd_settime)((int)timer->id, 0, &spec, NULL);
    case ITIMER:
      return NEXT(setitimer)(ITIMER_REAL, &val, NULL);
    case POSIX:
      return NEXT_VERSION(timer_settime, "GLIBC_2.3.3")((timer_t)timer->id, 0, &spec, NULL);
    default:
      return 0;
  }
}

/* What has told since it was armed. */
static void settle(struct timer* timer, int64_t real) {
  if (!timer->at || timer->rings > real) return;
  if (!timer->every) {
    timer->at = 0;
    return;
  }
  int64_t times = (real - timer->rings) / timer->every + 1;
  timer->at += times * timer->every;
  timer->rings += times * timer->every;
}

static void publish(void) {
  int64_t first = 0, rings = FOR_EVER, real = real_now(CLOCK_MONOTONIC);
  int count = 0;
  for (size_t i = 0; i < sizeof timers / sizeof *timers; i++) {
    struct timer* timer = &timers[i];
    if (timer->kind == FREE || timer->at == 0) continue;
    settle(timer, real);
    if (timer->at == 0) continue;
    count++;
    if (!first || timer->at < first) first = timer->at;
    if (timer->rings < rings) rings = timer->rings;
  }
  __atomic_store_n(&first_rings, rings, __ATOMIC_RELAXED);
  __atomic_store_n(&armed, count, __ATOMIC_RELAXED);
  if (count && !slot) slot = take_slot(RETRIAL_TIME_TIMERS);
  if (!slot) return;
  __atomic_store_n(&slot->waits, slot->waits + 1, __ATOMIC_RELAXED);
  __atomic_store_n(&slot->until, first, __ATOMIC_RELEASE);
}

int64_t arm_timers_again(void) {
  if (!timers_armed()) return FOR_EVER;
  int64_t left = __atomic_load_n(&first_rings, __ATOMIC_RELAXED) - real_now(CLOCK_MONOTONIC);
  int moved = __atomic_load_n(&armed_when_ahead, __ATOMIC_RELAXED) != ahead();
  if ((moved || left < SOON) && !pthread_mutex_trylock(&lock)) {
    __atomic_store_n(&armed_when_ahead, ahead(), __ATOMIC_RELAXED);
    int64_t real = real_now(CLOCK_MONOTONIC);
    for (size_t i = 0; i < sizeof timers / sizeof *timers; i++) {
      struct timer* timer = &timers[i];
      if (timer->kind == FREE) continue;
      settle(timer, real);
      if (timer->at && (moved || timer->rings - real < SOON) && arm(timer)) timer->kind = FREE; /* it was closed */
    }
    publish();
    pthread_mutex_unlock(&lock);
    left = __atomic_load_n(&first_rings, __ATOMIC_RELAXED) - real_now(CLOCK_MONOTONIC);
  }
  return left + AFTER;
}

static void tell(const struct timer* timer, struct itimerspec* to) {
  int64_t left = 0, every = timer ? timer->every : 0;
  if (timer && timer->at) {
    left = timer->at - now();
    if (left <= 0 && every) left = every - -left % every;
  }
  *to = (struct itimerspec){timespec_of(every), timespec_of(left)};
}

static int set(enum kind kind, long id, clockid_t clock, int absolute, const struct itimerspec* to,
               struct itimerspec* old) {
  pthread_mutex_lock(&lock);
  struct timer* timer = find(kind, id);
  if (old) tell(timer, old);
  if (!timer) timer = add(kind, id, clock);
  int64_t value = nanos(&to->it_value);
  struct timer made = {kind, id, clock, 0, 0, nanos(&to->it_interval)};
  if (value) made.at = absolute ? deadline(clock, &to->it_value) : from_now(value);
  int r = arm(&made), was = errno;
  if (r == 0 && timer) *timer = made;
  if (armed == 0) armed_when_ahead = ahead();
  publish();
  pthread_mutex_unlock(&lock);
  errno = was;
  return r;
}
static int bad(const struct itimerspec* t) { return unusable(&t->it_value) || unusable(&t->it_interval); }

static clockid_t clock_of(enum kind kind, long id) {
  struct timer* timer = find(kind, id);
  return timer ? timer->clock : -1;
}
int is_timer(int fd) { return timerfds && find(TIMERFD, fd) != NULL; }

PUBLIC int timerfd_create(clockid_t clock, int flags) {
  int fd = NEXT(timerfd_create)(clock, flags);
  if (fd < 0 || !attached() || !moves(clock)) return fd;
  pthread_mutex_lock(&lock);
  add(TIMERFD, fd, clock);
  timerfds = 1;
  pthread_mutex_unlock(&lock);
  return fd;
}
PUBLIC int timerfd_settime(int fd, int flags, const struct itimerspec* to, struct itimerspec* old) {
  clockid_t clock = clock_of(TIMERFD, fd);
  if (clock < 0 || bad(to)) return NEXT(timerfd_settime)(fd, flags, to, old);
  return set(TIMERFD, fd, clock, flags & TFD_TIMER_ABSTIME, to, old);
}
PUBLIC int timerfd_gettime(int fd, struct itimerspec* to) {
  int r = NEXT(timerfd_gettime)(fd, to);
  if (r == 0 && is_timer(fd)) tell(find(TIMERFD, fd), to);
  return r;
}

PUBLIC int timer_create(clockid_t clock, struct sigevent* restrict event, timer_t* restrict id) {
  int r = NEXT_VERSION(timer_create, "GLIBC_2.3.3")(clock, event, id);
  if (r || !attached() || !moves(clock)) return r;
  pthread_mutex_lock(&lock);
  add(POSIX, (long)*id, clock);
  pthread_mutex_unlock(&lock);
  return r;
}
PUBLIC int timer_delete(timer_t id) {
  pthread_mutex_lock(&lock);
  struct timer* timer = find(POSIX, (long)id);
  if (timer) timer->kind = FREE;
  publish();
  pthread_mutex_unlock(&lock);
  return NEXT_VERSION(timer_delete, "GLIBC_2.3.3")(id);
}
PUBLIC int timer_settime(timer_t id, int flags, const struct itimerspec* restrict to, struct itimerspec* restrict old) {
  clockid_t clock = clock_of(POSIX, (long)id);
  if (clock < 0 || bad(to)) return NEXT_VERSION(timer_settime, "GLIBC_2.3.3")(id, flags, to, old);
  return set(POSIX, (long)id, clock, flags & TIMER_ABSTIME, to, old);
}
PUBLIC int timer_gettime(timer_t id, struct itimerspec* to) {
  int r = NEXT_VERSION(timer_gettime, "GLIBC_2.3.3")(id, to);
  if (r == 0 && clock_of(POSIX, (long)id) >= 0) tell(find(POSIX, (long)id), to);
  return r;
}

static struct timespec of_timeval(const struct timeval* t) { return (struct timespec){t->tv_sec, t->tv_usec * 1000}; }
PUBLIC int setitimer(__itimer_which_t which, const struct itimerval* restrict to, struct itimerval* restrict old) {
  if (which != ITIMER_REAL || !attached() || !to) return NEXT(setitimer)(which, to, old);
  struct itimerspec spec = {of_timeval(&to->it_interval), of_timeval(&to->it_value)}, was;
  if (bad(&spec)) return NEXT(setitimer)(which, to, old);
  int r = set(ITIMER, 0, CLOCK_MONOTONIC, 0, &spec, &was);
  if (r == 0 && old) *old = (struct itimerval){timeval_of(nanos(&was.it_interval)), timeval_of(nanos(&was.it_value))};
  return r;
}
PUBLIC int getitimer(__itimer_which_t which, struct itimerval* to) {
  int r = NEXT(getitimer)(which, to);
  struct timer* timer = which == ITIMER_REAL ? find(ITIMER, 0) : NULL;
  if (r || !timer) return r;
  struct itimerspec left;
  tell(timer, &left);
  *to = (struct itimerval){timeval_of(nanos(&left.it_interval)), timeval_of(nanos(&left.it_value))};
  return r;
}
PUBLIC unsigned alarm(unsigned seconds) {
  if (!attached()) return NEXT(alarm)(seconds);
  struct itimerval to = {{0, 0}, {seconds, 0}}, old;
  setitimer(ITIMER_REAL, &to, &old);
  return (unsigned)old.it_value.tv_sec + (old.it_value.tv_usec > 0);
}

/* A child inherits neither of these two; its timerfds are the parent's. */
void timers_after_fork(void) {
  pthread_mutex_init(&lock, NULL);
  slot = NULL;
  for (size_t i = 0; i < sizeof timers / sizeof *timers; i++)
    if (timers[i].kind == ITIMER || timers[i].kind == POSIX) timers[i].kind = FREE;
  publish();
}
/* setitimer outlives an exec. */
void timers_at_start(void) {
  struct itimerval left;
  if (NEXT(getitimer)(ITIMER_REAL, &left) == 0 && (left.it_value.tv_sec || left.it_value.tv_usec))
    setitimer(ITIMER_REAL, &left, NULL);
}
