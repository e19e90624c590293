#pragma once
#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "campaign/config/config.h"

namespace retrial::campaign {

// What starts a process again that a fault has ended (crash), where the workload does not: [process.NAME] of
// retrial.toml. It is done by a process that stands around the command in its tree (look.h), so that what it starts is
// captured too.

// Of a process with this command line the line for sh -c; empty: nothing is said of it.
std::string restart_of(const std::vector<Process>& processes, const std::vector<std::string>& argv);

std::vector<std::string> command_line(pid_t process);  // empty: it is gone, or may not be read

// A FIFO by which that process is told what to start, each with a NUL behind it: a line for sh may have several lines.
// Removed with this.
class Orders {
 public:
  static Result<std::unique_ptr<Orders>> make(std::filesystem::path at);
  ~Orders();
  Orders(const Orders&) = delete;
  void give(const std::string& line) const;
  // The first of those that could not be run at all: no such command, or not one that may be executed. Empty: all could.
  std::string failed() const;
  const std::filesystem::path& at() const { return at_; }

 private:
  Orders(std::filesystem::path at, int fd) : at_(std::move(at)), fd_(fd) {}
  std::filesystem::path at_;
  int fd_;
};

// Waits for this child, and until then starts whatever is told at `orders` (empty: nothing is): its wait status.
int wait_for(pid_t child, const std::string& orders);

}  // namespace retrial::campaign
