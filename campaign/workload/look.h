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

// The command with that process around it. `test`: whose reads they are; empty: of the whole command.
std::vector<std::string> looking(std::vector<std::string> argv, const std::vector<std::string>& urls,
                                 const std::string& test, const std::string& orders = {});

// That process: runs the command, passes signals on, asks, and gives the command's own exit status (or dies of its
// signal). What cannot be asked within ten seconds is left out.
// `orders`: where it is told what to start meanwhile (restart.h).
int look_after(const std::vector<std::string>& command, const std::vector<std::string>& urls, const std::string& test,
               const std::string& orders = {});

bool is_look(const trace::Tag& tag);

}  // namespace retrial::campaign
