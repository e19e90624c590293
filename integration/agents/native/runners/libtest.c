/* Rust's own test harness, as rust/cargo.sh starts it: one test after another, each told of before it runs ("test a::b
 * ... ") and after ("ok"), and what failed with its text in the end. RETRIAL_LIBTEST is what its tests' ids begin with.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runner.h"

#define MOST 4000 /* characters of a message */

static const char* prefix; /* NULL: not asked for yet; "": this is no such program */
static pid_t harness;      /* its thread: tests have others */
static char test[1024];    /* that runs */
static char (*failed)[1024];
static size_t failures, told;

static void id_of(const char* name, char* id, size_t size) { snprintf(id, size, "%s > %s", prefix, name); }

static void stage_of(const char* event, const char* phase) {
  char id[2048];
  id_of(test, id, sizeof id);
  stage(event, id, phase);
}

/* `chain`: one exception's fields, or "". */
static void result(const char* name, const char* outcome, const char* chain) {
  char line[3 * MOST], id[2048];
  id_of(name, id, sizeof id);
  struct text t = event(line, sizeof line, "result");
  put_field(&t, "id", id), put_field(&t, "phase", "test"), put_field(&t, "outcome", outcome);
  put(&t, ",\"chain\":["), put(&t, chain), put(&t, "]");
  tell(&t, line);
}

/* Up to `end`, cut at `most`. */
static void copy(char* to, const char* from, const char* end, size_t most) {
  size_t length = end ? (size_t)(end - from) : strlen(from);
  if (length > most) length = most;
  memcpy(to, from, length);
  to[length] = 0;
}

/* What a test that failed had to say: a panic with its place, or the error that it gave back. */
static void failure(const char* name, const char* text) {
  char chain[2 * MOST + 512], message[MOST + 1], file[512] = "";
  const char* type = "panic";
  int line = 0, in_test = 1;
  const char* panicked = strstr(text, "panicked at ");
  if (panicked && sscanf(panicked, "panicked at %500[^:\n]:%d:", file, &line) == 2) {
    const char* from = strchr(panicked, '\n');
    from = from ? from + 1 : "";
    const char* end = strstr(from, "\nstack backtrace:");
    if (!end) end = strstr(from, "\nnote: ");
    copy(message, from, end, MOST);
    in_test = !strncmp(file, "tests/", 6) || strstr(file, "/tests/");
    if (!strncmp(message, "assertion ", 10)) type = "Failed";
    if (strstr(message, "on an `Err` value: ")) type = "Err", in_test = 0; /* what the test was told */
  } else if (!strncmp(text, "Error: ", 7)) {
    copy(message, text + 7, strstr(text, "\n\n"), MOST);
    type = "Err", in_test = 0;
  } else {
    copy(message, text, NULL, MOST);
  }
  struct text t = {chain, chain + sizeof chain - 64};
  put(&t, "{\"type\":"), put_string(&t, type), put_field(&t, "msg", message), put_field(&t, "link", "raised");
  if (line) put_field(&t, "file", below(file)), put_number(&t, "line", line);
  put(&t, in_test ? ",\"in_test\":true}" : ",\"in_test\":false}");
  *t.at = 0;
  result(name, "failed", chain);
}

static void over(const char* outcome) {
  stage_of("end", "test");
  if (strcmp(outcome, "failed")) {
    result(test, outcome, "");
  } else {
    void* more = realloc(failed, (failures + 1) * sizeof *failed);
    if (more) failed = more, strcpy(failed[failures++], test);
  }
  *test = 0;
}

/* "---- NAME stdout ----\n" and what it had to say. */
static void block(const char* text) {
  for (size_t i = 0; i < failures; i++) {
    size_t length = strlen(failed[i]);
    if (!*failed[i] || strncmp(text + 5, failed[i], length) || strncmp(text + 5 + length, " stdout ----\n", 13))
      continue;
    failure(failed[i], text + 5 + length + 13);
    *failed[i] = 0;
    told++;
    return;
  }
}

static void take(const char* text) {
  if (*test) {
    if (!strncmp(text, "ok", 2)) over("passed");
    if (!strncmp(text, "FAILED", 6)) over("failed");
    if (!strncmp(text, "ignored", 7)) over("skipped");
    return;
  }
  if (!strncmp(text, "---- ", 5)) return block(text);
  if (!strncmp(text, "test result: ", 13))
    for (size_t i = 0; i < failures; i++)
      if (*failed[i]) failure(failed[i], ""), *failed[i] = 0;
  const char* end = strstr(text, " ... ");
  if (strncmp(text, "test ", 5) || !end) return;
  copy(test, text + 5, end, sizeof test - 1);
  char* panics = strstr(test, " - should panic");
  if (panics) *panics = 0;
  stage_of("start", "test");
}

void libtest_sees(int fd, const char* bytes, size_t length) {
  (void)fd;
  if (!prefix) {
    prefix = variable("RETRIAL_LIBTEST");
    if (!prefix || !variable("RETRIAL_EVENTS")) prefix = "";
    if (*prefix) {
      prefix = strdup(prefix); /* a test may change its environment */
      unsetenv("RETRIAL_LIBTEST");
      harness = (pid_t)syscall(SYS_gettid);
      announce(variable("NEXTEST") ? "cargo nextest" : "cargo test");
    }
  }
  if (!prefix || !*prefix || (pid_t)syscall(SYS_gettid) != harness) return;
  char* text = strndup(bytes, length);
  if (text) take(text);
  free(text);
}
