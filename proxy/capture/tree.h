#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "proxy/net/loop.h"
#include "proxy/proxy.h"
#include "trace/run.h"

namespace retrial::proxy {

// How a connect is turned towards us (docs/capture.md). none: it is not; the command finds its way to us by itself, by
// what its environment says.
enum class Way : std::uint8_t { getfd, rewrite, none };
std::string_view show(Way way);

struct Command {
  std::vector<std::string> argv;
  std::vector<std::string> environment;  // KEY=VALUE, all of it
  std::string directory;                 // "" : ours
  int in = -1;                           // fds for stdin, stdout, stderr; -1: ours. Not owned
  int out = -1;
  int err = -1;
  bool own_group = false;  // what it sends to its process group (`kill 0`) meets only itself; no terminal's Ctrl-C
                           // does, and to read from one is an error (SIGTTIN and SIGTTOU are ignored)
  std::vector<int> ignored_signals;  // that the command finds ignored, beside what we ignore (but SIGPIPE) at its start
};
// The signals that this process ignores now: at the top of main, what its caller chose (nohup, a job in the
// background).
std::vector<int> ignored_signals();

class TreeEvents {
 public:
  virtual ~TreeEvents() = default;
  // None of these may destroy the Tree. `service`: what the client means to reach.
  virtual void connected(Captured connection) = 0;
  // `pid` is about to connect: what shall be done to it? Once for each that has not begun yet. What is for a handshake
  // comes back in Captured::fault.
  virtual ConnectDecision connecting(const Address& service, pid_t pid) {
    (void)service, (void)pid;
    return {};
  }
  // It was done to the connect, or (`not_fired` says why) was not; of a handshake: there is no connection for it.
  virtual void met(const Address& service, pid_t pid, const trace::FaultSpec& fault, std::string_view not_fired) {
    (void)service, (void)pid, (void)fault, (void)not_fired;
  }
  // The command has ended and nothing of its tree is left. Last call; may destroy the Tree. `wait_status` as waitpid
  // gives it.
  virtual void ended(int wait_status) = 0;
};

// A command and all that it starts, under a seccomp filter whose supervisor we are: every TCP connect of the tree to a
// loopback or private address comes out of `connected`. Linux 5.9 or later. No filtered process outlives us: a guard
// process takes the tree down when we die. Loop thread only; start() must be called from the thread that lives as long
// as the process.
class Tree {
 public:
  // Dials run side by side. An error names what refused (a missing command, seccomp, a second Retrial above us) and
  // what else works.
  static Result<std::unique_ptr<Tree>> start(Loop& loop, const Clock& clock, const Command& command, Way way,
                                             TreeEvents& events);
  ~Tree();  // kills what is left
  Tree(const Tree&) = delete;

  void signal(int number);     // to the command (not to the whole tree)
  void kill();                 // the whole tree; ended() still comes
  pid_t pid() const;           // of the command
  bool command_ended() const;  // what it has left is being ended
  pid_t root() const;          // the process of ours that all of the tree descends from
  Nanos cpu_time() const;      // user and system time that the tree has used so far
  const trace::CaptureCounts& counts() const;
  // Since when the oldest connect that is never to be answered (connect-timeout) waits; 0: none does.
  Nanos unanswered_since() const;
  // A connection that passes us by and is open, on which its peer may speak: "tool[12] (connected to a UNIX socket)";
  // "": none is. UDP that is no query of a name is not looked at.
  std::string native_open() const;
  bool dialling() const;  // a connect that is slow by a fault has had its time, and waits for its service

 private:
  struct Impl;
  explicit Tree(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// The exit status that a shell gives for a command that start() could not run: 127 if there is none, else 126.
int shell_status(const Error& not_started);

// Tries what this machine and container allow: the way that works, or an error that says in one line what refused.
// $RETRIAL_CAPTURE=rewrite forces the second way.
Result<Way> choose_way();
// For doctor: captures one real connect of a child, that way.
Result<void> try_way(Way way);

}  // namespace retrial::proxy
