#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "base/clock.h"

struct event;
struct event_base;

namespace retrial::proxy {

// One libevent loop on one thread. Objects of the loop die only from the loop: hand them to `later_delete`, which frees
// them after the present round of events, never inside their own callback.
class Loop {
 public:
  Loop();
  ~Loop();
  Loop(const Loop&) = delete;

  void run();             // until stop()
  void stop();            // from the loop thread
  bool round(bool wait);  // one round of events, waiting for the first or not; false: nothing is left that could happen
  event_base* base() { return base_; }

  template <class T>
  void later_delete(std::unique_ptr<T> object) {
    bury(std::shared_ptr<void>(std::move(object)));
  }

 private:
  void bury(std::shared_ptr<void> object);
  event_base* base_;
  std::vector<std::shared_ptr<void>> graves_;
  bool stopped_ = false;
};

// Calls back while an fd is readable or writable. Does not own the fd. May be destroyed in its own callback.
class Watch {
 public:
  Watch(Loop& loop, int fd, short events, std::function<void(short)> call);  // EV_READ, EV_WRITE; persistent
  ~Watch();
  Watch(const Watch&) = delete;
  void on();
  void off();

 private:
  event* event_;
  std::shared_ptr<std::function<void(short)>> call_;
  bool armed_ = false;
};

// Calls back once, `after` nanoseconds from set(); set again replaces it.
class Timer {
 public:
  Timer(Loop& loop, std::function<void()> call);
  ~Timer();
  Timer(const Timer&) = delete;
  void set(Nanos after);
  void cancel();

 private:
  event* event_;
  std::shared_ptr<std::function<void()>> call_;
};

// Calls back on the loop thread for a signal of this process (SIGINT, SIGTERM, SIGHUP).
class SignalWatch {
 public:
  SignalWatch(Loop& loop, int signal, std::function<void()> call);
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;

 private:
  event* event_;
  std::function<void()> call_;
};

}  // namespace retrial::proxy
