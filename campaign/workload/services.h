#pragma once
#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "campaign/config/config.h"

namespace retrial::campaign {

// The services of retrial.toml: started once, brought back to their first state between cases where they can be, and
// ended with us (also if we are killed). Blocks while a service gets ready, 60 s at most. Main thread only.
class Services {
 public:
  Services(const std::vector<Service>& services, std::filesystem::path logs);
  ~Services();
  Services(const Services&) = delete;

  // Starts each that has a `start` and waits until it is ready. One whose address answers already is used as it stands,
  // and that is said in remarks(). An error names the service and shows its log's last line.
  Result<void> start();
  // Brings every service with a `reset` back. Nothing to do is no error.
  Result<void> reset();
  bool can_reset() const;
  const std::vector<std::string>& remarks() const { return remarks_; }

 private:
  struct Running {
    const Service* service;
    pid_t pid = -1;  // leader of a process group of its own; -1: not ours
  };
  Result<void> start_one(Running& one);
  Result<void> wait_ready(Running& one);
  static void stop_one(Running& one);
  std::filesystem::path log_of(const Service& service) const;

  std::vector<Running> running_;
  std::filesystem::path logs_;
  std::vector<std::string> remarks_;
};

}  // namespace retrial::campaign
