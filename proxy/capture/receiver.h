#pragma once
#include <linux/seccomp.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/result.h"
#include "proxy/net/loop.h"

namespace retrial::proxy::capture {

// A thread that does nothing but receive: until a notification is received a signal makes the call fail with an EINTR
// that no kernel would give. Hands notifications to the loop thread in their order, and counts those that were
// withdrawn before.
class Receiver {
 public:
  // Owns the listener. Ticks are answered from the thread itself from here on. `notified` is called on the loop thread.
  static Result<std::unique_ptr<Receiver>> start(Loop& loop, int listener,
                                                 std::function<void(const seccomp_notif&)> notified);
  ~Receiver();
  Receiver(const Receiver&) = delete;

  int listener() const { return listener_; }
  // Notifications that their callers took back before we had them, as their ids tell; 0 always where ids tell nothing.
  std::uint64_t withdrawn() const { return withdrawn_; }
  void deliver();  // what has been received by now, at once

 private:
  Receiver(int listener, int stop, int ready, std::function<void(const seccomp_notif&)> notified);
  void run();
  void receive_one();
  void count(const seccomp_notif& request);

  int listener_;
  int stop_;
  int ready_;
  std::function<void(const seccomp_notif&)> notified_;
  std::mutex mutex_;
  std::vector<seccomp_notif> received_;  // under mutex_
  std::atomic<std::uint64_t> withdrawn_ = 0;
  std::uint64_t last_id_ = 0;  // these two are the thread's own
  int ticks_ = 0;
  bool ids_follow_ = true;
  std::unique_ptr<Watch> watch_;
  std::thread thread_;
};

}  // namespace retrial::proxy::capture
