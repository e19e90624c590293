/* What the hooks of runners share that are built into test programs: events (docs/agents.md), and who takes what a
 * program writes. One process, whose tests run one after another. */
#pragma once
#include <stddef.h>
#include <sys/types.h>

#define PUBLIC __attribute__((visibility("default")))

/* A variable of the environment. libc's function may call itself while it is being looked for. */
char* variable(const char* name);

/* A line that is being written, in a buffer that it never leaves. */
struct text {
  char* at;
  char* end;
};
void put(struct text* t, const char* words);
void put_string(struct text* t, const char* words); /* JSON's */
void put_field(struct text* t, const char* name, const char* value);
void put_number(struct text* t, const char* name, long value);

/* An event's line in `buffer`, with its `pid`; told when all has been put. */
struct text event(char* buffer, size_t size, const char* name);
void tell(struct text* t, const char* buffer);

void announce(const char* runner); /* NULL: none of its own */
void stage(const char* event, const char* id, const char* phase); /* "start" or "end" */
const char* below(const char* file); /* relative to where the command was started, if it lies there */

/* Does the hook take these bytes, which the program writes? Then they are not written. */
int googletest_takes(int fd, const char* bytes, size_t length);
/* What a program of Rust's writes to its output is written, whatever is read from it. */
void libtest_sees(int fd, const char* bytes, size_t length);

/* The header lines that say where a head comes from, in room for MOST_TAG bytes: their length, 0 where nothing is
 * known. */
#define MOST_TAG 8192
int php_runs(void);
size_t php_tag(char* tag);
size_t frames_tag(char* tag);
/* Where these bytes are a head, they are sent with its tag, and `sent` is what send() gives of them. */
int tagged_send(int fd, const void* bytes, size_t length, int flags, ssize_t* sent);
