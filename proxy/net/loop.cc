#include "proxy/net/loop.h"

#include <event2/event.h>

#include <algorithm>
#include <utility>

namespace retrial::proxy {

Loop::Loop() {
  auto* config = event_config_new();
  event_config_set_flag(config, EVENT_BASE_FLAG_NOLOCK);
  event_config_set_flag(config, EVENT_BASE_FLAG_PRECISE_TIMER);
  base_ = event_base_new_with_config(config);
  event_config_free(config);
}
Loop::~Loop() {
  graves_.clear();
  event_base_free(base_);
}
void Loop::run() {
  stopped_ = false;
  while (!stopped_ && round(true)) {
  }
}
bool Loop::round(bool wait) {
  // 1: nothing is left to wait for, so nothing could ever call stop()
  bool more = event_base_loop(base_, wait ? EVLOOP_ONCE : EVLOOP_NONBLOCK) == 0;
  if (!graves_.empty()) std::exchange(graves_, {}).clear();  // a destructor may bury more
  return more;
}
void Loop::stop() {
  stopped_ = true;
  event_base_loopbreak(base_);
}
void Loop::clock_moved(Nanos by) {
  ahead_ += by;
  auto now = client_now();
  for (auto* timer : client_timers_) timer->arm(timer->due_ - now);
}
Nanos Loop::client_now() const { return SystemClock().now() + ahead_; }
std::optional<Nanos> Loop::client_timer() const {
  auto first = std::ranges::min_element(client_timers_, {}, [](auto* timer) { return timer->due_; });
  if (first == client_timers_.end()) return {};
  return std::max<Nanos>(0, (*first)->due_ - client_now());
}
void Loop::bury(std::shared_ptr<void> object) { graves_.push_back(std::move(object)); }

// The callback is held by a copy while it runs, so that it may destroy the Watch or Timer that owns it.
Watch::Watch(Loop& loop, int fd, short events, std::function<void(short)> call)
    : loop_(loop), call_(std::make_shared<std::function<void(short)>>(std::move(call))) {
  event_ = event_new(
      loop.base(), fd, static_cast<short>(events | EV_PERSIST),
      [](evutil_socket_t, short what, void* self) {
        auto keep = static_cast<Watch*>(self)->call_;
        static_cast<Watch*>(self)->loop_.callbacks_++;
        (*keep)(what);
      },
      this);
  on();
}
Watch::~Watch() { event_free(event_); }
void Watch::on() {
  if (!armed_) event_add(event_, nullptr);
  armed_ = true;
}
void Watch::off() {
  if (armed_) event_del(event_);
  armed_ = false;
}

Timer::Timer(Loop& loop, std::function<void()> call)
    : loop_(loop), event_(nullptr), call_(std::make_shared<std::function<void()>>(std::move(call))) {
  event_ = event_new(
      loop.base(), -1, 0,
      [](evutil_socket_t, short, void* self) {
        auto& timer = *static_cast<Timer*>(self);
        // What was armed in a long callback comes early: libevent counts from when that round of the loop began.
        if (auto left = timer.due_ == 0 ? 0 : timer.due_ - timer.loop_.client_now(); left > 0) return timer.arm(left);
        auto keep = timer.call_;
        timer.loop_.callbacks_++;
        timer.leave_client_time();
        (*keep)();
      },
      this);
}
Timer::~Timer() {
  leave_client_time();
  event_free(event_);
}
void Timer::set(Nanos after, Time time) {
  leave_client_time();
  if (time == Time::client) {
    due_ = loop_.client_now() + after;
    loop_.client_timers_.push_back(this);
  }
  arm(after);
}
void Timer::arm(Nanos after) {
  if (after < 0) after = 0;
  timeval tv{after / kSecond, (after % kSecond + 999) / 1000};
  event_add(event_, &tv);
}
void Timer::leave_client_time() {
  if (due_ != 0) std::erase(loop_.client_timers_, this);
  due_ = 0;
}
void Timer::cancel() {
  leave_client_time();
  event_del(event_);
}

SignalWatch::SignalWatch(Loop& loop, int signal, std::function<void()> call) : call_(std::move(call)) {
  event_ = event_new(
      loop.base(), signal, EV_SIGNAL | EV_PERSIST,
      [](evutil_socket_t, short, void* self) { static_cast<SignalWatch*>(self)->call_(); }, this);
  event_add(event_, nullptr);
}
SignalWatch::~SignalWatch() { event_free(event_); }

}  // namespace retrial::proxy
