#pragma once
#include <sys/types.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "proxy/time/page.h"

namespace retrial::proxy {

// One look at every thread of a tree, and of ourselves.
//   a thread                            | what it is
//   runs, or waits for the disk         | busy
//   sleeps in a wait of the page        | waits, until then; busy if that time has come
//   sleeps otherwise, without a limit   | asleep
//   sleeps on a limit of its own        | real: its time cannot be moved, so none may
// A process that cannot be moved and only serves is not looked at. A Go program that was built before and has connected
// to nothing (a compiler that a bundler talks to by pipes, and which looks each second whether it is still there) is
// busy or asleep: its limits are its own affair. But for its program's timers where a process below it has connected:
// it waits between two that it starts.
// Two looks that see the same threads, each as far on as before, say that nothing ran between them.
struct Look {
  struct Seen {
    pid_t thread = 0;
    char how = 0;            // 'w': waits, 's': asleep
    std::uint64_t mark = 0;  // waits begun; or time slices that it has had
    bool operator==(const Seen&) const = default;
  };
  std::vector<Seen> threads;
  std::set<pid_t> foreign;  // processes whose clock cannot be moved, as far as they were met
  bool idle = true;         // none is busy, none is real
  pid_t real = 0;           // the process of the first that is real
  Nanos first = 0;          // the earliest time that a wait ends at; 0: none
  Nanos last = 0;           // likewise the latest
};

// Looks at all that descends from `root`, and at the threads of `root` and of this process but the calling one.
// Ends at the first that is busy or real. `thoroughly` asks what each thread that is asleep sleeps in: for the second
// of two looks. `now` is the client's. `only_serves`: is this process a service, and no client? Its clock is its own,
// as that of a service outside the tree.
class Looker {
 public:
  struct Roles {
    std::function<bool(pid_t)> only_serves = [](pid_t) { return false; };
    std::function<bool(pid_t)> has_connected = [](pid_t) { return true; };      // to anything, ever
    std::function<bool(pid_t)> started_a_client = [](pid_t) { return false; };  // what it has started has connected
  };
  Looker(TimePage& page, pid_t root, Roles roles) : page_(page), root_(root), roles_(std::move(roles)) {}
  Look look(Nanos now, bool thoroughly);

 private:
  bool process(pid_t pid, bool ours);
  bool thread(pid_t pid, pid_t tid, bool judged);
  bool children(pid_t pid, pid_t tid);
  bool timers();
  bool is(pid_t process, std::uint32_t kind) const;
  bool apart(pid_t process);
  bool keeps_to_itself(pid_t process) const;
  void until(Nanos at);

  TimePage& page_;
  pid_t root_;
  Roles roles_;
  std::vector<TimePage::Slot> slots_;
  std::set<pid_t> unmoved_;  // were met
  // Of a process that is moved, a thread in a wait that is not: its time slices, and in how many looks they were the
  // same.
  struct Passing {
    std::uint64_t slices = 0;
    int looks = 0;
  };
  std::map<pid_t, Passing> passing_;
  Look look_;
  Nanos now_ = 0;
  bool thoroughly_ = false;
};

// "tool[123] (static)": who it is and why its clock cannot be moved, as far as its program tells. "": it is our own.
std::string describe_unmoved(pid_t process, bool registered);

}  // namespace retrial::proxy
