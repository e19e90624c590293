/* Heads of HTTP/1 that leave in clear text get a tag behind their first line, whatever library of machine code sends
 * them. What is told to who sends is what it would have been without it. */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runner.h"

#define MOST_HEAD 4096 /* of a head that is looked at; what is longer may bear a tag behind it, and gets none */

static ssize_t (*next_send)(int, const void*, size_t, int);
static ssize_t (*next_sendmsg)(int, const struct msghdr*, int);
static ssize_t (*next_writev)(int, const struct iovec*, int);

__attribute__((constructor(102))) static void start(void) {
  next_send = (__typeof__(next_send))dlsym(RTLD_NEXT, "send");
  next_sendmsg = (__typeof__(next_sendmsg))dlsym(RTLD_NEXT, "sendmsg");
  next_writev = (__typeof__(next_writev))dlsym(RTLD_NEXT, "writev");
}

static ssize_t send_pieces(int fd, struct iovec* pieces, size_t count, int flags) {
  struct msghdr message = {.msg_iov = pieces, .msg_iovlen = count};
  return next_sendmsg ? next_sendmsg(fd, &message, flags) : syscall(SYS_sendmsg, fd, &message, flags);
}

/* The length of the first line of a request that bears no tag yet; 0: it is none, or its end is not there. */
static size_t first_line(const char* bytes, size_t length) {
  size_t at = 0;
  while (at < length && bytes[at] >= 'A' && bytes[at] <= 'Z') at++;
  if (at == 0 || at >= length || bytes[at] != ' ' || !strncmp(bytes, "CONNECT ", 8)) return 0;
  const char* end = memmem(bytes, length, "\r\n", 2);
  if (!end || end - bytes < 12 || (strncmp(end - 9, " HTTP/1.1", 9) && strncmp(end - 9, " HTTP/1.0", 9))) return 0;
  const char* over = memmem(bytes, length, "\r\n\r\n", 4);
  if (!over && length == MOST_HEAD) return 0;
  if (memmem(bytes, over ? (size_t)(over - bytes) : length, "\r\nx-retrial-site:", 17)) return 0;
  return (size_t)(end + 2 - bytes);
}

/* Loopback or private, as those of all connections that are captured. */
static int is_near(int fd) {
  struct sockaddr_storage peer;
  socklen_t size = sizeof peer;
  if (getpeername(fd, (struct sockaddr*)&peer, &size)) return 0;
  uint32_t v4;
  if (peer.ss_family == AF_INET6) {
    const unsigned char* v6 = ((struct sockaddr_in6*)&peer)->sin6_addr.s6_addr;
    if (!IN6_IS_ADDR_V4MAPPED(&((struct sockaddr_in6*)&peer)->sin6_addr))
      return IN6_IS_ADDR_LOOPBACK(&((struct sockaddr_in6*)&peer)->sin6_addr) || (v6[0] & 0xfe) == 0xfc;
    memcpy(&v4, v6 + 12, 4);
  } else if (peer.ss_family == AF_INET) {
    v4 = ((struct sockaddr_in*)&peer)->sin_addr.s_addr;
  } else {
    return 0;
  }
  v4 = ntohl(v4);
  return v4 >> 24 == 127 || v4 >> 24 == 10 || v4 >> 16 == 0xc0a8 || v4 >> 20 == 0xac1;
}

/* The tag goes whole: half of one would be the service's to read. */
static void send_rest(int fd, const char* bytes, size_t length, int flags) {
  while (length > 0) {
    struct iovec rest = {(void*)bytes, length};
    ssize_t n = send_pieces(fd, &rest, 1, flags);
    if (n > 0) {
      bytes += n, length -= (size_t)n;
    } else if (errno == EAGAIN) {
      struct pollfd writable = {fd, POLLOUT, 0};
      poll(&writable, 1, -1);
    } else if (errno != EINTR) {
      return;
    }
  }
}

/* `head` begins with the first line of these pieces and the tag, and has room for them behind MOST_HEAD + MOST_TAG.
 * What is sent of the tag is not counted. */
static ssize_t send_with(char* head, size_t first, size_t tag, int fd, const struct iovec* pieces, size_t count,
                         int flags) {
  struct iovec* all = (struct iovec*)(head + MOST_HEAD + MOST_TAG);
  size_t front = first + tag, n = 0, skipped = first;
  all[n++] = (struct iovec){head, front};
  for (size_t i = 0; i < count; i++) {
    size_t over = skipped < pieces[i].iov_len ? skipped : pieces[i].iov_len;
    skipped -= over;
    if (over < pieces[i].iov_len) all[n++] = (struct iovec){(char*)pieces[i].iov_base + over, pieces[i].iov_len - over};
  }
  ssize_t sent = send_pieces(fd, all, n, flags);
  if (sent <= 0) return sent;
  if ((size_t)sent < front) {
    send_rest(fd, head + sent, front - (size_t)sent, flags);
    sent = (ssize_t)front;
  }
  return sent - (ssize_t)tag;
}

/* Where these pieces begin with a head, they are sent with its tag, and `sent` is what send() gives of them. */
static int send_tagged(int fd, const struct iovec* pieces, size_t count, int flags, ssize_t* sent) {
  if (count == 0 || count > IOV_MAX - 2 || pieces[0].iov_len == 0) return 0;
  char letter = *(const char*)pieces[0].iov_base;
  if (letter < 'A' || letter > 'Z' || fd < 0) return 0;
  char* head = malloc(MOST_HEAD + MOST_TAG + (count + 1) * sizeof(struct iovec)); /* stacks may be small */
  if (!head) return 0;
  size_t length = 0;
  for (size_t i = 0; i < count && length < MOST_HEAD; i++) {
    size_t part = pieces[i].iov_len < MOST_HEAD - length ? pieces[i].iov_len : MOST_HEAD - length;
    memcpy(head + length, pieces[i].iov_base, part);
    length += part;
  }
  size_t first = first_line(head, length);
  size_t tag = !first || !is_near(fd) ? 0 : php_runs() ? php_tag(head + first) : frames_tag(head + first);
  if (tag) *sent = send_with(head, first, tag, fd, pieces, count, flags);
  int kept = errno;
  free(head);
  errno = kept;
  return tag > 0;
}
int tagged_send(int fd, const void* bytes, size_t length, int flags, ssize_t* sent) {
  struct iovec all = {(void*)bytes, length};
  return send_tagged(fd, &all, 1, flags, sent);
}

PUBLIC ssize_t send(int fd, const void* bytes, size_t length, int flags) {
  int kept = errno;
  ssize_t sent;
  if (tagged_send(fd, bytes, length, flags, &sent)) return sent;
  errno = kept;
  return next_send ? next_send(fd, bytes, length, flags) : syscall(SYS_sendto, fd, bytes, length, flags, NULL, 0);
}

PUBLIC ssize_t sendmsg(int fd, const struct msghdr* message, int flags) {
  int kept = errno;
  ssize_t sent;
  if (message && !message->msg_name && !message->msg_controllen &&
      send_tagged(fd, message->msg_iov, message->msg_iovlen, flags, &sent))
    return sent;
  errno = kept;
  return next_sendmsg ? next_sendmsg(fd, message, flags) : syscall(SYS_sendmsg, fd, message, flags);
}

PUBLIC ssize_t writev(int fd, const struct iovec* pieces, int count) {
  int kept = errno;
  ssize_t sent;
  if (pieces && count > 0 && send_tagged(fd, pieces, (size_t)count, 0, &sent)) return sent;
  errno = kept;
  return next_writev ? next_writev(fd, pieces, count) : syscall(SYS_writev, fd, pieces, count);
}
