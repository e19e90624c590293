#pragma once
#include <sys/types.h>

#include <csignal>
#include <initializer_list>

#include "proxy/capture/guard.h"

namespace retrial::proxy::capture {

// What M needs to know of those around it.
struct CommandPlace {
  int to_supervisor = -1;  // listener, refusals; its end-of-file says that the program runs
  int to_guard = -1;       // pid of the witness; the witness keeps it and ticks when the guard closes its end
  pid_t guard = 0;
  pid_t group = 0;  // process group of the supervisor
  sigset_t mask{};  // signals that were blocked before start_guard blocked all
};

// M: the filter, the witness, the program. Never returns. Async-signal-safe.
[[noreturn]] void run_command(const Launch& launch, const CommandPlace& place);

void close_all_but(std::initializer_list<int> keep);  // async-signal-safe

}  // namespace retrial::proxy::capture
