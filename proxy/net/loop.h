#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.h"

struct event;
struct event_base;

namespace retrial::proxy {

class Timer;

// Whose time a timer runs in. What a fault makes a client wait for is in the client's, which may be moved on
// (proxy/time); all else is real.
enum class Time : std::uint8_t { real, client };

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

  // The client's clock was moved on: what is set in its time is due sooner by as much.
  void clock_moved(Nanos by);
  Nanos client_now() const;                   // monotonic, with all that it was moved on by
  std::optional<Nanos> client_timer() const;  // until the first timer in the client's time is due, at least 0
  std::uint64_t callbacks() const { return callbacks_; }  // made so far, of all that wait in this loop

  template <class T>
  void later_delete(std::unique_ptr<T> object) {
    bury(std::shared_ptr<void>(std::move(object)));
  }

 private:
  friend class Watch;
  friend class Timer;
  friend class Socket;
  void bury(std::shared_ptr<void> object);
  event_base* base_;
  std::vector<std::shared_ptr<void>> graves_;
  std::vector<Timer*> client_timers_;
  Nanos ahead_ = 0;
  std::uint64_t callbacks_ = 0;
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
  Loop& loop_;
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
  void set(Nanos after, Time time = Time::real);
  void cancel();
  bool in_client_time() const { return due_ != 0; }  // it is set, and so

 private:
  friend class Loop;
  void arm(Nanos after);
  void leave_client_time();
  Loop& loop_;
  event* event_;
  Nanos due_ = 0;  // Loop::client_now; 0: not in the client's time
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
