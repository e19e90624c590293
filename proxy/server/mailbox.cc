#include "proxy/server/mailbox.h"

#include <event2/event.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <utility>

namespace retrial::proxy {

Mailbox::Mailbox(Loop& loop) : wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  watch_ = std::make_unique<Watch>(loop, wake_, EV_READ, [this](short) { deliver(); });
}

Mailbox::~Mailbox() {
  watch_.reset();
  close(wake_);
}

void Mailbox::post(std::function<void()> call) {
  {
    std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(call));
  }
  eventfd_write(wake_, 1);
}

void Mailbox::deliver() {
  eventfd_t count;
  eventfd_read(wake_, &count);
  std::vector<std::function<void()>> calls;
  {
    std::lock_guard lock(mutex_);
    calls.swap(waiting_);
  }
  for (auto& call : calls) call();
}

}  // namespace retrial::proxy
