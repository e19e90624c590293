// The page that a run shares with every process of its tree: the client's clock, and who waits until when. Mapped from
// the file that RETRIAL_TIME names. Retrial alone moves the clock; a process writes its own slots. Read by C, by C++
// and (offsets and all) by go/time.go.tmpl: a change of the layout is a new number in the magic.
#pragma once
#include <stdint.h>

#define RETRIAL_TIME_MAGIC 0x52545431u /* "RTT1" */
#define RETRIAL_TIME_SLOTS 2047
#define RETRIAL_TIME_FOR_EVER INT64_MAX

enum {
  RETRIAL_TIME_THREAD = 1, /* a thread, or the one that waits in a Go runtime's netpoll */
  RETRIAL_TIME_TIMERS = 2, /* a process's kernel timers: the first that is due */
  RETRIAL_TIME_GO = 3,     /* says that a process is a Go runtime */
};

/* 64 bytes. All but `kind` is read and written with __atomic builtins by more than one process. */
struct retrial_time_slot {
  int32_t thread;  /* the kernel's id; 0: free */
  int32_t process; /* written before `thread` */
  int64_t until;   /* on the client's monotonic clock; 0: in no wait; FOR_EVER: in one without a limit */
  uint32_t waits;  /* begun so far: two equal looks inside a wait say that the thread did not get on between them */
  uint32_t kind;
  char zero[40];
};

struct retrial_time_page {
  uint32_t magic;
  uint32_t size; /* of this struct */
  int64_t ahead; /* every clock of the client is so many ns ahead of the real one; only grows */
  int64_t slice; /* the longest real sleep, ns, before a wait looks at `ahead` again */
  uint32_t used; /* no slot from here on was ever taken */
  char zero[36];
  struct retrial_time_slot slot[RETRIAL_TIME_SLOTS];
};
