#pragma once
#include <linux/seccomp.h>
#include <sys/types.h>

#include <cstdint>

namespace retrial::proxy::capture {

// One trapped call of a thread of the tree, which stands still until it is answered. Left unanswered it passes.
class Notice {
 public:
  Notice(int listener, const seccomp_notif& request) : listener_(listener), request_(request) {}
  ~Notice();
  Notice(const Notice&) = delete;

  pid_t thread() const { return static_cast<pid_t>(request_.pid); }
  int call() const { return request_.data.nr; }
  std::uint64_t argument(int i) const { return request_.data.args[i]; }

  // Whether the call still waits. What was opened by thread id before this says yes belongs to that very thread.
  bool alive() const;
  // Each answers once; false: the caller is gone, killed or (before Linux 5.19) interrupted.
  bool pass();  // the kernel goes on with the call as if we were not there
  bool answer(long value, int error_number);
  bool answered() const { return answered_; }

 private:
  bool send(long value, int error_number, std::uint32_t flags);
  int listener_;
  seccomp_notif request_;
  bool answered_ = false;
};

}  // namespace retrial::proxy::capture
