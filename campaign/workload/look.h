#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "trace/exchange.h"

namespace retrial::campaign {

// When a command has ended its services may be asked what they hold now (`--look`, `[service.x] look`): a GET each,
// sent by a process that stands around the command in its tree, so that it is captured, recorded and judged like a read
// of the test's own. It is never faulted.

// "http://127.0.0.1:8080/orders"; an error names what was expected, and is the user's.
Result<void> check_look(const std::string& url);

// What that process does for a command.
struct Looking {
  std::vector<std::string> urls;
  std::string test;    // whose reads they are; empty: of the whole command
  std::string orders;  // where it is told what to start meanwhile (restart.h); empty: nothing
  // Where it writes how many bytes the command's largest process held at most; empty: nowhere. What the kernel counts
  // for a process begins with what it was forked from, and that one is small.
  std::string memory;
  bool asks_for_nothing() const { return urls.empty() && orders.empty() && memory.empty(); }
};

// The command with that process around it.
std::vector<std::string> around(std::vector<std::string> argv, const Looking& looking);

// That process: runs the command, passes signals on, asks, and gives the command's own exit status (or dies of its
// signal). What cannot be asked within ten seconds is left out.
int look_after(const std::vector<std::string>& command, const Looking& looking);

}  // namespace retrial::campaign
