#pragma once
#include <sys/types.h>

#include <functional>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace retrial::proxy::capture {

// What the guard starts under the filter. Everything points to memory that was made before the fork.
struct Launch {
  std::vector<char*> argv;         // ends with null
  std::vector<char*> environment;  // ends with null
  const char* directory = nullptr;
  int descriptors[3] = {-1, -1, -1};
  bool own_group = false;         // else that of whoever starts it
  std::vector<int> ignored;       // signals that the command finds ignored
  bool filtered = true;           // else no filter is installed, and there is no witness
  int (*probe)(void*) = nullptr;  // in place of a program: this, in a fork; its result is the exit status
  void* probe_context = nullptr;
};

// The process between us (S) and the command (M), and what it does:
//   S forks G, G forks M, M installs the filter and executes the program.
//   state      | event                  | does                                            | then
//   starting   | M says its witness     | tells S the pid of M                            | watching
//   starting   | M fails                | -                                               | watching
//   watching   | M ends                 | status to S, ends and names what is left        | closing
//   watching   | S says end, or is gone | ends the tree, status to S                      | closing
//   watching   | S says signal          | signals M, if it lives                          | watching
//   closing    | -                      | lets the witness tick, waits for it             | gone
// G is a subreaper, so daemons of the tree fall to it; it is in a process group of its own and no signal but SIGKILL
// meets it. If G is killed, its orphans fall to S, a subreaper too. The witness is a process under the filter which
// ends last: its tick makes known how many notifications were lost after the last one that was seen.
struct Guard {
  pid_t process = 0;
  pid_t command = 0;
  int channel = -1;  // ours to close
};

inline constexpr char kWitness[] = "retrial-witness";               // its name, as /proc has it
inline constexpr std::string_view kNotFound = "command not found";  // the error of a program that is not there

// Returns when the program runs, or says why it does not. `have_listener(fd, killable)` is called meanwhile: from then
// on ticks must be answered. The calling thread must live as long as the process.
Result<Guard> start_guard(const Launch& launch,
                          const std::function<Result<void>(int listener, bool killable)>& have_listener);

}  // namespace retrial::proxy::capture
