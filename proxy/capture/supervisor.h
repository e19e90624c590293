#pragma once
#include <memory>

#include "proxy/capture/connects.h"
#include "proxy/capture/guard.h"
#include "proxy/capture/peernames.h"
#include "proxy/capture/receiver.h"

namespace retrial::proxy::capture {

// One captured tree: its guard, its notifications, its names. What Tree shows.
class Supervisor {
 public:
  static Result<std::unique_ptr<Supervisor>> start(Loop& loop, const Clock& clock, const Launch& launch, Way way,
                                                   TreeEvents& events);
  ~Supervisor();  // ends the tree, and waits until it has
  Supervisor(const Supervisor&) = delete;

  void signal(int number);
  void kill();
  pid_t pid() const { return guard_.command; }
  bool command_ended() const { return has_status_; }
  pid_t root() const { return guard_.process; }
  Nanos cpu_time() const;
  const trace::CaptureCounts& counts() const { return ledger_.counts(); }
  Nanos unanswered_since() const { return connects_ ? connects_->unanswered_since() : 0; }
  std::string native_open() { return connects_ ? connects_->native_open(guard_.process) : std::string(); }
  bool dialling() const { return connects_ && connects_->dialling(); }

 private:
  Supervisor(Loop& loop, const Clock& clock, Way way, TreeEvents& events);
  Result<void> have_listener(int listener, bool killable);
  void notified(const seccomp_notif& request);
  void arrived(int client, const Claim& claim);
  void guard_says();
  void over();
  void bury_guard();
  void count_withdrawn();

  Loop& loop_;
  const Clock& clock_;
  SystemClock real_;  // of what the client does not wait for
  Way way_;
  TreeEvents& events_;
  Ledger ledger_;
  Sockets sockets_;
  Names names_;
  DeadEnds dead_ends_;
  Guard guard_;
  int status_ = 0;
  bool has_status_ = false;
  Nanos final_cpu_time_ = 0;
  std::uint64_t withdrawn_ = 0;         // of counts().interrupted, how many came from the receiver
  std::unique_ptr<Receiver> receiver_;  // owns the listener: dies after all that answers through it
  Places places_;
  std::unique_ptr<Connects> connects_;
  std::unique_ptr<Peernames> peernames_;
  std::unique_ptr<Watch> watch_;
};

}  // namespace retrial::proxy::capture
