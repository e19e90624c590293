#pragma once
#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <unordered_map>

#include "base/clock.h"
#include "proxy/net/loop.h"

namespace retrial::proxy::capture {

// Way `rewrite`: after our answer the kernel reads the address again, at its place in the client's memory. Threads may
// share that place, so from our answer until the kernel has read it belongs to one thread, and the others' answers
// wait.
//   state  | event                                              | then
//   free   | enter                                              | held, `answer` is called
//   held   | enter by another thread                            | held, that one waits
//   held   | the thread's connection arrives at its name        | free, or the next one's
//   held   | the thread makes another call, or is gone          | the same
//   held   | the thread sleeps, or has run on (seen in /proc)   | the same
class Places {
 public:
  // `arrivals` takes in connections that have arrived by now, and so may call arrived().
  Places(Loop& loop, const Clock& clock, std::function<void()> arrivals);
  Places(const Places&) = delete;

  struct Place {
    pid_t process = 0;
    std::uint64_t at = 0;
    auto operator<=>(const Place&) const = default;
  };
  struct Holder {
    pid_t thread = 0;
    ino_t inode = 0;  // of its socket
  };
  // Calls `answer` as soon as the place is free, perhaps at once. It says whether the kernel will read the place now.
  void enter(const Place& place, const Holder& holder, std::function<bool()> answer);
  void heard(pid_t thread);   // it has made another call
  void arrived(ino_t inode);  // at the name it was sent to
  std::uint64_t waited() const { return waited_; }

 private:
  struct Waiting {
    Holder holder;
    std::function<bool()> answer;
  };
  struct Held {
    Holder holder;
    Nanos since = 0;
    std::uint64_t had_run = 0;  // CPU time of the thread then
    std::deque<Waiting> waiting;
  };
  void release(const Place& place);
  bool take(const Place& place, Held& held, const Holder& holder, const std::function<bool()>& answer);
  bool has_read(const Held& held) const;
  void look_again();

  const Clock& clock_;
  std::function<void()> arrivals_;
  std::map<Place, Held> held_;
  std::unordered_map<pid_t, Place> by_thread_;
  std::unordered_map<ino_t, Place> by_inode_;
  std::size_t waiting_ = 0;
  std::uint64_t waited_ = 0;
  Timer look_;
};

}  // namespace retrial::proxy::capture
