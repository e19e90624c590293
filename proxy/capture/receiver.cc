#include "proxy/capture/receiver.h"

#include <event2/event.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>

#include "proxy/capture/filter.h"
#include "proxy/capture/notice.h"

#ifndef SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (1UL << 0)
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#endif

namespace retrial::proxy::capture {

Result<std::unique_ptr<Receiver>> Receiver::start(Loop& loop, int listener,
                                                  std::function<void(const seccomp_notif&)> notified) {
  const int stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), ready = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  std::unique_ptr<Receiver> made(new Receiver(listener, stop, ready, std::move(notified)));
  if (stop < 0 || ready < 0) return fail_errno("cannot make an eventfd", errno);
  ioctl(listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);  // Linux 6.6; slower without
  made->watch_ = std::make_unique<Watch>(loop, ready, EV_READ, [self = made.get()](short) {
    std::uint64_t rung;
    if (read(self->ready_, &rung, sizeof rung) == sizeof rung) self->deliver();
  });
  // Signals of this process are the loop thread's.
  sigset_t all, mask;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &mask);
  int error_number = 0;
  try {
    made->thread_ = std::thread([self = made.get()] { self->run(); });
  } catch (const std::system_error& e) {
    error_number = e.code().value();
  }
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  if (error_number) return fail_errno("cannot start the receiving thread", error_number);
  return made;
}

Receiver::Receiver(int listener, int stop, int ready, std::function<void(const seccomp_notif&)> notified)
    : listener_(listener), stop_(stop), ready_(ready), notified_(std::move(notified)) {}

Receiver::~Receiver() {
  const std::uint64_t ring = 1;
  if (thread_.joinable() && write(stop_, &ring, sizeof ring) == sizeof ring) thread_.join();
  watch_.reset();
  for (const int fd : {listener_, stop_, ready_})
    if (fd >= 0) close(fd);
}

void Receiver::run() {
  pollfd fds[2] = {{listener_, POLLIN, 0}, {stop_, POLLIN, 0}};
  for (;;) {
    poll(fds, 2, -1);
    if (fds[1].revents) return;
    if (fds[0].revents & POLLIN)
      receive_one();
    else if (fds[0].revents)
      return;  // no task is left under the filter
  }
}

void Receiver::receive_one() {
  seccomp_notif request;
  std::memset(&request, 0, sizeof request);  // the kernel refuses another content
  // Only after poll: a RECV whose notification was withdrawn would wait for the next one, or for ever.
  if (ioctl(listener_, SECCOMP_IOCTL_NOTIF_RECV, &request) != 0) return;
  count(request);
  if (is_tick(request.data.nr, request.data.args)) {
    ++ticks_;
    Notice(listener_, request).pass();
    return;
  }
  bool first;
  {
    const std::lock_guard lock(mutex_);
    first = received_.empty();
    received_.push_back(request);
  }
  const std::uint64_t ring = 1;
  if (first && write(ready_, &ring, sizeof ring) < 0) Notice(listener_, request).pass();
}

// Ids are given one after another, under the kernel's lock, in the order in which notifications are received: what is
// missing was withdrawn. The documentation promises only that they differ, so the first two ticks, between which
// nothing else is, must show it.
void Receiver::count(const seccomp_notif& request) {
  const std::uint64_t missing = request.id - last_id_ - 1;
  if (ticks_ == 1 && missing != 0) ids_follow_ = false;
  if (ticks_ > 0 && ids_follow_) withdrawn_ += missing;
  last_id_ = request.id;
}

void Receiver::deliver() {
  std::vector<seccomp_notif> now;
  {
    const std::lock_guard lock(mutex_);
    now.swap(received_);
  }
  for (const auto& request : now) notified_(request);
}

}  // namespace retrial::proxy::capture
