#pragma once
#include <cstddef>
#include <cstdint>

namespace retrial::proxy {

// The heap as its allocator counts it: what this process and the libraries in it have allocated and not freed.
// jemalloc counts (`stats.allocated`, `thread.allocated`); with another allocator, as sanitizers bring one, all is 0.
class Heap {
 public:
  virtual std::size_t in_use() const = 0;           // of the process; takes microseconds. From any thread
  virtual std::int64_t by_this_thread() const = 0;  // allocated by whoever asks, less what it has freed; nanoseconds

  static const Heap& own();

 protected:
  ~Heap() = default;
};

}  // namespace retrial::proxy
