/* GoogleTest, in a test program that is linked against the C library dynamically: it streams what happens to an address
 * that is given to it here by its variable GTEST_STREAM_RESULT_TO, and what it writes there becomes events. No
 * connection is made. The tests that are asked for are named to it by GTEST_FILTER. */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runner.h"

#define STREAM "127.0.0.1:1" /* tcpmux: nobody tests against it */
#define MOST 4000            /* characters of a message */

static int (*next_connect)(int, const struct sockaddr*, socklen_t);
static volatile int given;       /* the address was given out */
static volatile int stream = -1; /* the descriptor that stands for it */
static pid_t process;

/* Of the test that runs. */
static char suite[512], test[1024];
static char chain[16 * 1024];
static int failures, skips;

static char* filter(const char* file);

/* A filter on the command line would be taken before ours. One that names a single test, as those that CMake has
 * discovered, stays where that test is asked for. */
static void narrow(int argc, char** argv) {
  static char none[] = "--gtest_filter=-*";
  const char* only = variable("RETRIAL_ONLY");
  for (int i = 1; only && variable("RETRIAL_EVENTS") && i < argc; i++) {
    if (strncmp(argv[i], "--gtest_filter=", 15)) continue;
    char* wanted = filter(only);
    if (!wanted) return;
    const char* named = argv[i] + 15;
    if (strpbrk(named, "*?:-")) {
      char* all = malloc(strlen(wanted) + 16);
      if (all) sprintf(all, "--gtest_filter=%s", wanted), argv[i] = all;
      continue;
    }
    size_t length = strlen(named);
    const char* at = wanted;
    while (at && (strncmp(at, named, length) || (at[length] && at[length] != ':')))
      at = (at = strchr(at, ':')) ? at + 1 : NULL;
    if (!at) argv[i] = none;
  }
}

__attribute__((constructor(102))) static void start(int argc, char** argv) {
  next_connect = (__typeof__(next_connect))dlsym(RTLD_NEXT, "connect");
  narrow(argc, argv);
}

/* "program > Suite.Name": two programs may have tests of one name. */
static const char* id_of(const char* name, char* id, size_t size) {
  snprintf(id, size, "%s > %s%s%s", program_invocation_short_name, suite, *name ? "." : "", name);
  return id;
}
static void stage_of(const char* event, const char* name, const char* phase) {
  char id[2048];
  stage(event, id_of(name, id, sizeof id), phase);
}

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
  struct text t = {chain + strlen(chain), chain + sizeof chain - 64};
  if (t.end - t.at < 512) return;
  int thrown = !strncmp(message, "C++ exception", 13);
  put(&t, failures++ ? ",{" : "{");
  put(&t, "\"type\":"), put_string(&t, thrown ? "C++ exception" : "Failed");
  put_field(&t, "msg", message), put_field(&t, "link", failures > 1 ? "member" : "raised");
  if (atoi(number) > 0) {
    put_field(&t, "file", below(file));
    put_number(&t, "line", atol(number));
  }
  put(&t, thrown ? ",\"in_test\":false}" : ",\"in_test\":true}");
  *t.at = 0;
}

static void result(const char* line) {
  static char line_of_it[sizeof chain + 4096];
  char passed[8], took[32], id[2048];
  value(line, "passed", passed, sizeof passed), value(line, "elapsed_time", took, sizeof took);
  int well = *passed == '1';
  struct text t = event(line_of_it, sizeof line_of_it, "result");
  put_field(&t, "id", id_of(test, id, sizeof id)), put_field(&t, "phase", "test");
  put_field(&t, "outcome", well ? "passed" : failures == 0 && skips > 0 ? "skipped" : "failed");
  put_number(&t, "ms", atol(took));
  put(&t, ",\"chain\":["), put(&t, well ? "" : chain), put(&t, "]");
  tell(&t, line_of_it);
}

static void take(const char* line) {
  char what[64];
  value(line, "event", what, sizeof what);
  if (!strcmp(what, "TestCaseStart") || !strcmp(what, "TestSuiteStart")) {
    value(line, "name", suite, sizeof suite);
    stage_of("start", "", "shared");
  } else if (!strcmp(what, "TestCaseEnd") || !strcmp(what, "TestSuiteEnd")) {
    stage_of("end", "", "shared");
    *suite = 0;
  } else if (!strcmp(what, "TestStart")) {
    value(line, "name", test, sizeof test);
    *chain = 0, failures = skips = 0;
    stage_of("start", test, "test");
  } else if (!strcmp(what, "TestPartResult")) {
    part(line);
  } else if (!strcmp(what, "TestEnd")) {
    stage_of("end", test, "test");
    result(line);
  } else if (!strcmp(what, "TestProgramEnd")) {
    stream = -1; /* it is closed next */
  }
}

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
    announce("GoogleTest");
    return 0;
  }
  if (next_connect) return next_connect(fd, to, length);
  return (int)syscall(SYS_connect, fd, to, length);
}

int googletest_takes(int fd, const char* bytes, size_t length) {
  if (fd != stream) return 0;
  if (getpid() == process) { /* a death test's child says nothing */
    char* line = strndup(bytes, length);
    if (line) take(line);
    free(line);
  }
  return 1;
}
