#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "proxy/net/loop.h"
#include "proxy/time/look.h"
#include "trace/run.h"

namespace retrial::proxy {

// Moves the client's clock on to the next thing that is due, when all that could happen before it is that thing
// (docs/time.md). Loop thread; callbacks of the loop are all that may run between two looks.
//   state    | event                                    | does                                | then
//   off      | arm: a fault has struck                  | waits are cut short                 | resting
//   resting  | its timer                                | looks                               | resting, or looking
//   looking  | its timer, and nothing else has happened | looks again, and moves the clock    | resting
//   looking  | its timer                                | -                                   | resting
class Compressor {
 public:
  struct Surroundings {
    std::function<bool()> pending;      // something goes on that is not the client's wait: no jump
    std::function<Nanos()> next_limit;  // client time of the next limit of our own; 0: none
    std::function<Nanos()> furthest;    // client time beyond which no jump goes yet; 0: there is none
    std::function<void()> moved;        // the clock was
    Looker::Roles roles = {};
    // Real time that a tree is seen to wait for nothing but a limit of ours, before that is taken for a hang: a process
    // on its way out looks the same for some milliseconds.
    Nanos patience = 500 * kMillisecond;
  };
  // Before the tree starts: a wait that has begun uncut stays so.
  static void prepare(TimePage& page);
  Compressor(Loop& loop, TimePage& page, const ClientClock& clock, pid_t root, Surroundings surroundings);

  void arm();                                     // from now on; again: nothing
  Nanos last_wait() const { return last_wait_; }  // client time of the latest end of a wait, at the last jump; 0: none
  std::vector<trace::Jump> jumps;
  std::vector<std::string> real_time() const;  // processes whose clock could not be moved

 private:
  void wake();
  void rest(bool fruitless);
  void look_again();
  void jump(Nanos to);
  bool still(const Look& look);
  Nanos target(const Look& look, Nanos now) const;
  void met(const Look& look);

  Loop& loop_;
  TimePage& page_;
  const ClientClock& clock_;
  Looker looker_;
  Surroundings around_;
  Timer timer_;
  Look first_look_;
  bool armed_ = false;
  bool looking_ = false;
  std::uint64_t callbacks_ = 0;
  Nanos pause_ = 0;
  std::vector<Look::Seen> still_;  // what was seen without a limit of the client's
  Nanos still_since_ = 0;          // real time
  Nanos since_jump_ = 0;           // real time
  Nanos last_wait_ = 0;
  struct Met {
    Nanos since = 0;   // real time
    std::string line;  // what is said of it
  };
  std::map<pid_t, Met> met_;           // processes that could not be moved
  std::map<pid_t, std::string> real_;  // those that it was so for longer, and what is said of them
};

}  // namespace retrial::proxy
