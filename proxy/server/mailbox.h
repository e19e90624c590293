#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "proxy/net/loop.h"

namespace retrial::proxy {

// The way into a loop from other threads: what is posted runs on the loop's thread, in order. Made and destroyed where
// the loop runs, or while it does not.
class Mailbox {
 public:
  explicit Mailbox(Loop& loop);
  ~Mailbox();
  Mailbox(const Mailbox&) = delete;

  void post(std::function<void()> call);  // from any thread

 private:
  void deliver();

  int wake_;
  std::mutex mutex_;
  std::vector<std::function<void()>> waiting_;
  std::unique_ptr<Watch> watch_;
};

}  // namespace retrial::proxy
