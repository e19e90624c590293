/* Blocking calls on a descriptor whose limit the kernel keeps (SO_RCVTIMEO, SO_SNDTIMEO, a timerfd), or that a kernel
 * timer is to end: they poll first, with a limit that is ours. */
#include "client.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum way { IN, OUT };
enum { DESCRIPTORS = 16384 };
static int64_t limits[2][DESCRIPTORS]; /* as set; the kernel is asked again: it may be another socket by now */

static int option_of(enum way way) { return way == IN ? SO_RCVTIMEO : SO_SNDTIMEO; }

PUBLIC int setsockopt(int fd, int level, int option, const void* value, socklen_t size) {
  int r = NEXT(setsockopt)(fd, level, option, value, size);
  if (r || level != SOL_SOCKET || fd < 0 || fd >= DESCRIPTORS || size < (socklen_t)sizeof(struct timeval)) return r;
  for (enum way way = IN; way <= OUT; way++) {
    if (option != option_of(way)) continue;
    const struct timeval* limit = value;
    limits[way][fd] = limit->tv_sec * SECOND + limit->tv_usec * 1000;
  }
  return r;
}

static int64_t limit_of(int fd, enum way way) {
  if (fd < 0 || fd >= DESCRIPTORS || limits[way][fd] == 0) return 0;
  struct timeval limit;
  socklen_t size = sizeof limit;
  if (getsockopt(fd, SOL_SOCKET, option_of(way), &limit, &size) || (!limit.tv_sec && !limit.tv_usec))
    limits[way][fd] = 0;
  return limits[way][fd];
}
static int blocks(int fd) {
  int flags = fcntl(fd, F_GETFL);
  return flags >= 0 && !(flags & O_NONBLOCK);
}

/* The call may be made: it will not block, or not for a time that is ours. Otherwise errno says what it would give. */
static int ready(int fd, enum way way, int flags) {
  if (!attached() || flags & MSG_DONTWAIT) return 1;
  int was = errno;
  int64_t limit = limit_of(fd, way);
  int polls = (limit || timers_armed() || (way == IN && is_timer(fd))) && blocks(fd);
  errno = was;
  if (!polls) return 1;
  struct pollfd one = {fd, way == IN ? POLLIN : POLLOUT, 0};
  struct timespec whole = timespec_of(limit);
  int r = ppoll(&one, 1, limit ? &whole : NULL, NULL);
  if (r >= 0) errno = r ? was : EAGAIN;
  return r > 0;
}

PUBLIC ssize_t read(int fd, void* to, size_t size) { return ready(fd, IN, 0) ? NEXT(read)(fd, to, size) : -1; }
PUBLIC ssize_t readv(int fd, const struct iovec* to, int count) {
  return ready(fd, IN, 0) ? NEXT(readv)(fd, to, count) : -1;
}
PUBLIC ssize_t recv(int fd, void* to, size_t size, int flags) {
  return ready(fd, IN, flags) ? NEXT(recv)(fd, to, size, flags) : -1;
}
PUBLIC ssize_t recvfrom(int fd, void* restrict to, size_t size, int flags, struct sockaddr* restrict from,
                        socklen_t* restrict length) {
  return ready(fd, IN, flags) ? NEXT(recvfrom)(fd, to, size, flags, from, length) : -1;
}
PUBLIC ssize_t recvmsg(int fd, struct msghdr* message, int flags) {
  return ready(fd, IN, flags) ? NEXT(recvmsg)(fd, message, flags) : -1;
}
PUBLIC int accept(int fd, struct sockaddr* restrict from, socklen_t* restrict length) {
  return ready(fd, IN, 0) ? NEXT(accept)(fd, from, length) : -1;
}
PUBLIC int accept4(int fd, struct sockaddr* restrict from, socklen_t* restrict length, int flags) {
  return ready(fd, IN, 0) ? NEXT(accept4)(fd, from, length, flags) : -1;
}
PUBLIC ssize_t write(int fd, const void* from, size_t size) {
  return ready(fd, OUT, 0) ? NEXT(write)(fd, from, size) : -1;
}
PUBLIC ssize_t send(int fd, const void* from, size_t size, int flags) {
  return ready(fd, OUT, flags) ? NEXT(send)(fd, from, size, flags) : -1;
}
PUBLIC ssize_t sendto(int fd, const void* from, size_t size, int flags, const struct sockaddr* to, socklen_t length) {
  return ready(fd, OUT, flags) ? NEXT(sendto)(fd, from, size, flags, to, length) : -1;
}
PUBLIC ssize_t sendmsg(int fd, const struct msghdr* message, int flags) {
  return ready(fd, OUT, flags) ? NEXT(sendmsg)(fd, message, flags) : -1;
}

/* As the kernel has it, the limit is looked at after each message. */
PUBLIC int recvmmsg(int fd, struct mmsghdr* messages, unsigned count, int flags, struct timespec* limit) {
  if (!limit || !attached() || unusable(limit)) return NEXT(recvmmsg)(fd, messages, count, flags, limit);
  struct pollfd one = {fd, POLLIN, 0};
  int64_t end = from_now(nanos(limit)), left;
  unsigned got = 0;
  int r = 0;
  while (got < count && (left = end - now()) > 0) {
    struct timespec rest = timespec_of(left);
    if ((r = ppoll(&one, 1, &rest, NULL)) <= 0) break;
    r = NEXT(recvmmsg)(fd, messages + got, count - got, flags | MSG_DONTWAIT, NULL);
    if (r <= 0) break;
    got += (unsigned)r;
    if (flags & MSG_WAITFORONE) break;
  }
  return got ? (int)got : r < 0 ? -1 : 0;
}
