#include "proxy/net/queue.h"

namespace retrial::proxy {
namespace {
constexpr std::size_t kKeep = 16 << 10;
}  // namespace

void Queue::drop(std::size_t bytes) {
  gone_ += bytes;
  if (gone_ < bytes_.size()) {
    if (gone_ < (bytes_.size() >> 1)) return;
    bytes_.erase(0, gone_);
  } else if (bytes_.capacity() > kKeep) {
    std::string().swap(bytes_);
  } else {
    bytes_.clear();
  }
  gone_ = 0;
}

}  // namespace retrial::proxy
