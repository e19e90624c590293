/* Waiting for descriptors. */
#include "client.h"

#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>

static int straight(const struct timespec* limit) {
  return limit ? !attached() || unusable(limit) || nanos(limit) == 0 : unlimited();
}
static struct wait begin(const struct timespec* limit) { return wait_until(limit ? from_now(nanos(limit)) : FOR_EVER); }

/* A thread that looks again and again whether anybody connects (Python's serve_forever: twice a second) would make each
 * jump as short as its looks. Nobody is about to connect while all others wait: so its next look may come late, by a
 * tenth of how long nobody has. What it times itself is off by no more. */
static __thread int64_t nobody_since; /* 0: somebody came */
static int listens(const struct pollfd* fds, nfds_t count) {
  if (count == 0 || count > 4) return 0;
  for (nfds_t i = 0; i < count; i++) {
    int on = 0, was = errno;
    socklen_t size = sizeof on;
    int failed = fds[i].fd < 0 || getsockopt(fds[i].fd, SOL_SOCKET, SO_ACCEPTCONN, &on, &size) != 0;
    errno = was;
    if (failed || !on) return 0;
  }
  return 1;
}
static struct wait begin_poll(const struct timespec* limit, int listening) {
  if (!limit || !listening) return begin(limit);
  int64_t from = now();
  if (!nobody_since) nobody_since = from;
  return wait_until_about(from_now(nanos(limit)), (from - nobody_since) / 10);
}

PUBLIC int ppoll(struct pollfd* fds, nfds_t count, const struct timespec* limit, const sigset_t* mask) {
  if (straight(limit)) return NEXT(ppoll)(fds, count, limit, mask);
  int listening = listens(fds, count), r;
  struct wait w = begin_poll(limit, listening);
  do {
    struct timespec real = timespec_of(slice(&w));
    r = NEXT(ppoll)(fds, count, &real, mask_of(&w, mask));
  } while (r == 0 && goes_on_quietly(&w));
  if (listening && r != 0) nobody_since = 0;
  wait_over(&w);
  return r;
}
PUBLIC int poll(struct pollfd* fds, nfds_t count, int ms) {
  struct timespec limit = timespec_of(ms * 1000000LL);
  return ppoll(fds, count, ms < 0 ? NULL : &limit, NULL);
}
/* _FORTIFY_SOURCE */
PUBLIC int __poll_chk(struct pollfd* fds, nfds_t count, int ms, size_t room);
PUBLIC int __poll_chk(struct pollfd* fds, nfds_t count, int ms, size_t room) {
  if (room / sizeof *fds < count) return NEXT(__poll_chk)(fds, count, ms, room); /* it aborts */
  return poll(fds, count, ms);
}
PUBLIC int __ppoll_chk(struct pollfd* fds, nfds_t count, const struct timespec* limit, const sigset_t* mask,
                       size_t room);
PUBLIC int __ppoll_chk(struct pollfd* fds, nfds_t count, const struct timespec* limit, const sigset_t* mask,
                       size_t room) {
  if (room / sizeof *fds < count) return NEXT(__ppoll_chk)(fds, count, limit, mask, room);
  return ppoll(fds, count, limit, mask);
}

/* A slice that has passed leaves the sets empty: they are put back. They may be longer than an fd_set. */
PUBLIC int pselect(int count, fd_set* restrict in, fd_set* restrict out, fd_set* restrict other,
                   const struct timespec* restrict limit, const sigset_t* restrict mask) {
  if (straight(limit) || count < 0) return NEXT(pselect)(count, in, out, other, limit, mask);
  size_t size = ((size_t)count + 63) / 64 * 8;
  fd_set* sets[3] = {in, out, other};
  char kept[3][size + 1];
  for (int i = 0; i < 3; i++)
    if (sets[i]) memcpy(kept[i], sets[i], size);
  struct wait w = begin(limit);
  for (int r;;) {
    struct timespec real = timespec_of(slice(&w));
    r = NEXT(pselect)(count, in, out, other, &real, mask_of(&w, mask));
    if (r != 0 || !goes_on_quietly(&w)) {
      wait_over(&w);
      return r;
    }
    for (int i = 0; i < 3; i++)
      if (sets[i]) memcpy(sets[i], kept[i], size);
  }
}
/* Linux tells in `limit` what is left of it. */
PUBLIC int select(int count, fd_set* restrict in, fd_set* restrict out, fd_set* restrict other,
                  struct timeval* restrict limit) {
  if (!limit) return pselect(count, in, out, other, NULL, NULL);
  if (limit->tv_sec < 0 || limit->tv_usec < 0) return NEXT(select)(count, in, out, other, limit);
  struct timespec whole = {limit->tv_sec + limit->tv_usec / 1000000, limit->tv_usec % 1000000 * 1000};
  int64_t end = from_now(nanos(&whole));
  int r = pselect(count, in, out, other, &whole, NULL), was = errno;
  *limit = timeval_of(end - now());
  errno = was;
  return r;
}

PUBLIC int epoll_pwait2(int epoll, struct epoll_event* events, int most, const struct timespec* limit,
                        const sigset_t* mask) {
  /* epoll_pwait: the other needs Linux 5.11 */
  if (!limit && unlimited()) return NEXT(epoll_pwait)(epoll, events, most, -1, mask);
  if (limit && straight(limit)) return NEXT(epoll_pwait2)(epoll, events, most, limit, mask);
  struct wait w = begin(limit);
  int r;
  do {
    int64_t ms = (slice(&w) + 999999) / 1000000;
    r = NEXT(epoll_pwait)(epoll, events, most, ms > INT32_MAX ? INT32_MAX : (int)ms, mask_of(&w, mask));
  } while (r == 0 && goes_on_quietly(&w));
  wait_over(&w);
  return r;
}
PUBLIC int epoll_pwait(int epoll, struct epoll_event* events, int most, int ms, const sigset_t* mask) {
  struct timespec limit = timespec_of(ms * 1000000LL);
  if (ms == 0 || !attached()) return NEXT(epoll_pwait)(epoll, events, most, ms, mask);
  return epoll_pwait2(epoll, events, most, ms < 0 ? NULL : &limit, mask);
}
PUBLIC int epoll_wait(int epoll, struct epoll_event* events, int most, int ms) {
  return epoll_pwait(epoll, events, most, ms, NULL);
}
