#pragma once
#include <sys/types.h>

#include <functional>

#include "base/clock.h"

namespace retrial::proxy::capture {

// What /proc says of processes. Nothing here allocates unless it says so: the guard, a fork of a threaded process, uses
// it.

struct Stat {
  pid_t pid = 0;
  pid_t parent = 0;
  char state = 0;
  char name[64] = "";
  unsigned long long ticks = 0;        // user and system time, also of children that were waited for; clock ticks
  unsigned long long child_ticks = 0;  // the part of these children
};
bool read_stat(pid_t pid, Stat& stat);
bool for_each_process(bool (*see)(const Stat& stat, void* context), void* context);  // until `see` says false

bool has_children(pid_t but);  // of this process, zombies not counted

// Ends every child of this process but `spare`, again and again: the children of what was killed fall to this
// subreaper. `ended` is called for each that was no zombie; `ours` is false for one that we may not end (another
// user's).
void end_children(pid_t spare, void (*ended)(const Stat& stat, bool ours, void* context), void* context);

// The same, only for children under more seccomp filters than ourselves: orphans of a tree whose guard was killed.
void end_filtered_children();

// CPU time of all that descends from `root`, root itself without. Allocates.
Nanos cpu_time_below(pid_t root);

// How long a thread has run, or has waited for a processor (/proc/TID/schedstat); 0: not known.
Nanos busy_time(pid_t thread);

// Is it that process, or does it come of it? Whose parent has died comes of whom it fell to.
bool descends(pid_t process, pid_t root);

// Process (thread group) of a thread; 0 if it is gone.
pid_t process_of(pid_t thread);

}  // namespace retrial::proxy::capture
