#pragma once
#include <functional>
#include <memory>

#include "proxy/net/address.h"
#include "proxy/net/loop.h"

namespace retrial::proxy {

// One TCP connection that is being made. Owns its descriptor until release(). No time-out but the kernel's.
class ConnectAttempt {
 public:
  // errno of what failed, 0: connected. Called once, on the loop; may destroy the attempt.
  using Ended = std::function<void(ConnectAttempt&, int error)>;
  ConnectAttempt(Loop& loop, const Address& to, Ended ended);
  ~ConnectAttempt();  // closes
  ConnectAttempt(const ConnectAttempt&) = delete;

  // It could not even be begun (then `ended` is not called): errno, else 0, and the system call's name.
  int refused() const { return refused_; }
  const char* step() const { return step_; }
  const Address& to() const { return to_; }
  // The connected socket: non-blocking, close-on-exec, the caller's to close. What the peer did meanwhile, a reset too,
  // is still to be read from it.
  int release();

 private:
  void look();
  int progress() const;

  Address to_;
  Ended ended_;
  int fd_ = -1;
  int refused_ = 0;
  const char* step_ = "socket";
  std::unique_ptr<Watch> watch_;
};

}  // namespace retrial::proxy
