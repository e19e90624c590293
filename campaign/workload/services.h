#pragma once
#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "campaign/config/config.h"

namespace retrial::campaign {

// The services of retrial.toml: started, brought back to their first state between runs where they can be, and ended
// with us (also if we are killed). Blocks while a service gets ready, 60 s at most. One thread only.
class Services {
 public:
  // Their output goes to service-NAME.log in `logs`, of slot 2 to service-NAME-2.log. Beside `logs`, in data/NAME, is
  // what the folder of a service held at first; of slot 2, in data/NAME-2, what stands in its place for this process
  // and those that enter its namespaces.
  Services(const std::vector<Service>& services, std::filesystem::path logs, int slot = 0);
  ~Services();  // end()
  Services(const Services&) = delete;
  // Ends them all, and has their folders hold what they held at first. An error: which could not be put back.
  Result<void> end();

  // Before each run. The first time starts each that has a `start` and waits until it is ready; one whose address
  // answers already is used as it stands, and that is said in remarks(). Then does what `reset` says, and starts those
  // that have ended by themselves. An error names the service and shows its log's last line.
  Result<void> prepare();
  // Those that have ended by themselves since then, each with its log's last line.
  std::vector<std::string> lost();
  // Files that they have open for writing and that another start of them would have too: outside of their `data` and of
  // the folders `apart`. Each with its service: "[service.etcd] /srv/db".
  std::vector<std::string> written(const std::vector<std::string>& apart);
  // Of these addresses the ones at which somebody answers who does not descend from this process.
  static std::vector<std::string> strangers(const std::vector<std::string>& addresses);
  const std::vector<std::string>& remarks() const { return remarks_; }
  // Whoever asked is gone: what is waited for is ended. Asked now and then.
  void give_up_when(std::function<bool()> abandoned) { abandoned_ = std::move(abandoned); }

 private:
  struct Running {
    const Service* service;
    pid_t pid = -1;               // leader of a process group of its own; -1: not ours
    bool fresh = false;           // no run has seen it since it was started
    bool kept = false;            // of its folder there is a copy
    std::uintmax_t log_from = 0;  // where what it has said since it was started begins in its log
  };
  Result<void> start();
  Result<void> reset();
  Result<void> run_reset(const Service& service) const;
  Result<void> keep_data(Running& one);
  Result<void> start_one(Running& one);
  Result<void> wait_ready(Running& one);
  static void stop_one(Running& one);
  static std::string ended(const Running& one);
  std::filesystem::path log_of(const Service& service) const;
  std::filesystem::path copy_for(const Service& service, int slot) const;

  std::vector<Running> running_;
  std::filesystem::path logs_;
  int slot_;
  std::function<bool()> abandoned_;
  bool started_ = false;
  std::vector<std::string> remarks_;
};

}  // namespace retrial::campaign
