#pragma once
#include <sys/types.h>

#include <csignal>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "campaign/workload/execution.h"
#include "campaign/workload/slot.h"
#include "campaign/workload/tests_done.h"

namespace retrial::campaign {

int cores();  // that this process may use

// Runs side by side, each in a process of its own that is forked for it: its loop, its proxy and its command's clock
// are its own, and what breaks there breaks that run alone. It takes place in a slot, whose services it has brought
// back before. SIGINT, SIGTERM and SIGHUP end what is under way for as long as this lives (not those that our caller
// ignores). One at a time; main thread only, and no other thread beside.
class Workers {
 public:
  Workers(Executor& executor, Slots& slots, const Clock& clock, int most);
  ~Workers();  // kills what is under way
  Workers(const Workers&) = delete;

  int most() const { return most_; }
  void keep_to(int most) { most_ = most; }
  double busy() const;  // how much of a core one run has used so far, on average; 1: none has ended
  int under_way() const { return static_cast<int>(under_way_.size()); }
  bool free() const { return under_way() < most_; }

  // Begins a run, and gives its number. Only while free().
  Result<std::uint64_t> begin(RunSpec spec);

  struct Ended {
    std::uint64_t number = 0;
    Result<trace::Run> run;  // an error as Executor::execute, and where a service does not come up
  };
  // Waits for the next that ends, and calls `meanwhile` each second; none: nothing is under way.
  std::optional<Ended> wait(const std::function<void()>& meanwhile = {});
  // Tests of a run under way that have a result so far, as agents say.
  std::size_t tests_done(std::uint64_t number);

 private:
  struct One {
    RunSpec spec;
    int slot = 0;  // as Slots::at
    pid_t pid = -1;
    int from = -1;  // it writes what it has to say here
    Nanos begun = 0;
    std::string said{};  // so far
    std::unique_ptr<TestsDone> done{};
  };
  int free_slot() const;
  void pass_on_signals();
  Ended end(std::uint64_t number);

  Executor& executor_;
  Slots& slots_;
  const Clock& clock_;
  int most_;
  Nanos cpu_ = 0, wall_ = 0;  // of all runs that have ended
  std::map<std::uint64_t, One> under_way_;
  std::map<int, struct sigaction> before_;  // signals that we have taken
};

}  // namespace retrial::campaign
