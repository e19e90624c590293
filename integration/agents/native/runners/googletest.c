/* Reports GoogleTest, from within a test program that is linked against the C library dynamically: it streams what happens to an
 * address that is given to it here by its variable GTEST_STREAM_RESULT_TO, and what it writes there becomes events
 * (docs/agents.md). No connection is made: a line has been taken when its write returns, before the test goes on. The
 * tests that are asked for are named to it by GTEST_FILTER. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PUBLIC __attribute__((visibility("default")))
#define STREAM "127.0.0.1:1" /* tcpmux: nobody tests against it */
#define MOST 4000            /* characters of a message */

extern char** environ;

static int (*next_connect)(int, const struct sockaddr*, socklen_t);
static ssize_t (*next_write)(int, const void*, size_t);
static volatile int given;       /* the address was given out */
static volatile int stream = -1; /* the descriptor that stands for it */
static pid_t process;

/* Of the test that runs. */
static char suite[512], test[1024];
static char chain[16 * 1024];
static int failures, skips;

/* libc's may call itself while it is being looked for. */
static char* variable(const char* name) {
  size_t length = strlen(name);
  if (environ)
    for (char** e = environ; *e; e++)
      if (!strncmp(*e, name, length) && (*e)[length] == '=') return *e + length + 1;
  return NULL;
}

__attribute__((constructor(102))) static void start(void) {
  next_connect = (__typeof__(next_connect))dlsym(RTLD_NEXT, "connect");
  next_write = (__typeof__(next_write))dlsym(RTLD_NEXT, "write");
}

/* --- what is told ------------------------------------------------------------------------------------------------- */

struct text {
  char* at;
  char* end;
};
static void put(struct text* t, const char* words) {
  while (*words && t->at < t->end) *t->at++ = *words++;
}
static void put_string(struct text* t, const char* words) { /* JSON's */
  put(t, "\"");
  for (; *words && t->end - t->at > 8; words++) {
    unsigned char c = (unsigned char)*words;
    if (c == '"' || c == '\\') {
      *t->at++ = '\\', *t->at++ = (char)c;
    } else if (c < 0x20) {
      t->at += sprintf(t->at, "\\u%04x", c);
    } else {
      *t->at++ = (char)c;
    }
  }
  put(t, "\"");
}
static void put_field(struct text* t, const char* name, const char* value) {
  put(t, ",\""), put(t, name), put(t, "\":"), put_string(t, value);
}
static void put_number(struct text* t, const char* name, long value) {
  char number[32];
  snprintf(number, sizeof number, "%ld", value);
  put(t, ",\""), put(t, name), put(t, "\":"), put(t, number);
}

static void tell(struct text* t, char* from) {
  const char* file = variable("RETRIAL_EVENTS");
  if (!file) return;
  put(t, "}\n");
  int fd = (int)syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) return;
  syscall(SYS_write, fd, from, (size_t)(t->at - from));
  syscall(SYS_close, fd);
}
static void begin(struct text* t, char* from, size_t size, const char* event) {
  t->at = from, t->end = from + size - 8;
  put(t, "{\"ev\":"), put_string(t, event), put_number(t, "pid", process);
}

/* "program > Suite.Name": two programs may have tests of one name. */
static const char* id_of(const char* name, char* id, size_t size) {
  snprintf(id, size, "%s > %s%s%s", program_invocation_short_name, suite, *name ? "." : "", name);
  return id;
}
static void stage(const char* event, const char* name, const char* phase) {
  char line[4096], id[2048];
  struct text t;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  begin(&t, line, sizeof line, event);
  put_field(&t, "id", id_of(name, id, sizeof id)), put_field(&t, "phase", phase);
  put_number(&t, "at", (long)(now.tv_sec * 1000 + now.tv_nsec / 1000000));
  tell(&t, line);
}
static void announce(void) {
  char line[512];
  struct text t;
  begin(&t, line, sizeof line, "agent");
  put_field(&t, "language", "native"), put_field(&t, "runner", "GoogleTest");
  tell(&t, line);
}

/* --- what is streamed --------------------------------------------------------------------------------------------- */

/* The value of `name` in "event=TestPartResult&file=a.cc&line=3&message=b%0A", decoded; "" where there is none. */
static const char* value(const char* line, const char* name, char* out, size_t size) {
  size_t length = strlen(name), n = 0;
  for (const char* at = line; at && n == 0; at = strchr(at, '&')) {
    if (*at == '&') at++;
    if (strncmp(at, name, length) || at[length] != '=') continue;
    for (at += length + 1; *at && *at != '&' && *at != '\n' && n + 1 < size; at++) {
      unsigned c;
      if (*at == '%' && sscanf(at + 1, "%2x", &c) == 1)
        out[n++] = (char)c, at += 2;
      else
        out[n++] = *at;
    }
    break;
  }
  out[n] = 0;
  return out;
}

/* An exception is what the test was told; all else is its own finding. */
static void part(const char* line) {
  char file[1024], number[32], message[MOST];
  value(line, "file", file, sizeof file), value(line, "line", number, sizeof number);
  value(line, "message", message, sizeof message);
  if (!*message || !strncmp(message, "Succeeded", 9)) {
    skips++;
    return;
  }
  const char* from = variable("RETRIAL_FROM");
  size_t above = from ? strlen(from) : 0;
  struct text t = {chain + strlen(chain), chain + sizeof chain - 64};
  if (t.end - t.at < 512) return;
  int thrown = !strncmp(message, "C++ exception", 13);
  put(&t, failures++ ? ",{" : "{");
  put(&t, "\"type\":"), put_string(&t, thrown ? "C++ exception" : "Failed");
  put_field(&t, "msg", message), put_field(&t, "link", failures > 1 ? "member" : "raised");
  if (atoi(number) > 0) {
    put_field(&t, "file", above && !strncmp(file, from, above) && file[above] == '/' ? file + above + 1 : file);
    put_number(&t, "line", atol(number));
  }
  put(&t, thrown ? ",\"in_test\":false}" : ",\"in_test\":true}");
  *t.at = 0;
}

static void result(const char* line) {
  static char event[sizeof chain + 4096];
  char passed[8], took[32], id[2048];
  struct text t;
  value(line, "passed", passed, sizeof passed), value(line, "elapsed_time", took, sizeof took);
  int well = *passed == '1';
  begin(&t, event, sizeof event, "result");
  put_field(&t, "id", id_of(test, id, sizeof id)), put_field(&t, "phase", "test");
  put_field(&t, "outcome", well ? "passed" : failures == 0 && skips > 0 ? "skipped" : "failed");
  put_number(&t, "ms", atol(took));
  put(&t, ",\"chain\":["), put(&t, well ? "" : chain), put(&t, "]");
  tell(&t, event);
}

static void take(const char* line) {
  char event[64];
  value(line, "event", event, sizeof event);
  if (!strcmp(event, "TestCaseStart") || !strcmp(event, "TestSuiteStart")) {
    value(line, "name", suite, sizeof suite);
    stage("start", "", "shared");
  } else if (!strcmp(event, "TestCaseEnd") || !strcmp(event, "TestSuiteEnd")) {
    stage("end", "", "shared");
    *suite = 0;
  } else if (!strcmp(event, "TestStart")) {
    value(line, "name", test, sizeof test);
    *chain = 0, failures = skips = 0;
    stage("start", test, "test");
  } else if (!strcmp(event, "TestPartResult")) {
    part(line);
  } else if (!strcmp(event, "TestEnd")) {
    stage("end", test, "test");
    result(line);
  } else if (!strcmp(event, "TestProgramEnd")) {
    stream = -1; /* it is closed next */
  }
}

/* --- what the program asks ---------------------------------------------------------------------------------------- */

/* The tests of this program that RETRIAL_ONLY names, as a filter. */
static char* filter(const char* file) {
  static char* all;
  if (all) return all;
  FILE* in = fopen(file, "re");
  if (!in) return NULL;
  size_t length = 0, size = 0, own = strlen(program_invocation_short_name);
  char* line = NULL;
  for (ssize_t n; (n = getline(&line, &size, in)) > 0;) {
    if (line[n - 1] == '\n') line[--n] = 0;
    if (strncmp(line, program_invocation_short_name, own) || strncmp(line + own, " > ", 3)) continue;
    const char* name = line + own + 3;
    char* more = realloc(all, length + strlen(name) + 2);
    if (!more) break;
    all = more;
    length += (size_t)sprintf(all + length, "%s%s", length ? ":" : "", name);
  }
  free(line);
  fclose(in);
  if (!all) all = strdup("-*");
  return all;
}

PUBLIC char* getenv(const char* name) {
  char* own = variable(name);
  if (strncmp(name, "GTEST_", 6) || !variable("RETRIAL_EVENTS")) return own;
  if (!strcmp(name, "GTEST_STREAM_RESULT_TO") && !own) {
    given = 1;
    static char stream_to[] = STREAM;
    return stream_to;
  }
  const char* only = variable("RETRIAL_ONLY");
  if (only && !strcmp(name, "GTEST_FILTER")) return filter(only);
  return own;
}

PUBLIC int connect(int fd, const struct sockaddr* to, socklen_t length) {
  const struct sockaddr_in* in = (const struct sockaddr_in*)to;
  if (given && stream < 0 && to && length >= (socklen_t)sizeof *in && in->sin_family == AF_INET &&
      in->sin_port == htons(1) && in->sin_addr.s_addr == htonl(INADDR_LOOPBACK)) {
    stream = fd, process = getpid();
    announce();
    return 0;
  }
  if (next_connect) return next_connect(fd, to, length);
  return (int)syscall(SYS_connect, fd, to, length);
}

PUBLIC ssize_t write(int fd, const void* bytes, size_t length) {
  if (fd != stream || fd < 0) return next_write ? next_write(fd, bytes, length) : syscall(SYS_write, fd, bytes, length);
  int kept = errno;
  if (getpid() == process) { /* a death test's child says nothing */
    char* line = strndup(bytes, length);
    if (line) take(line);
    free(line);
  }
  errno = kept;
  return (ssize_t)length;
}
