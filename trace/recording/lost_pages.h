#pragma once
#include <atomic>
#include <cstddef>

namespace retrial::trace {

// One of a list that only grows, as the handler may walk it at any time; a range that is gone leaves its place to the
// next.
struct GuardedRange {
  std::atomic<char*> begin{nullptr};  // null: free
  std::atomic<std::size_t> size{0};
  std::atomic<bool> lost{false};
  GuardedRange* next = nullptr;
};

// Keeps the process alive where a page of a mapped file cannot be had any more: another process has cut the file, or
// the disk fails. The kernel answers the next touch with SIGBUS (mmap(2)); for the ranges guarded here a handler of
// the process puts private memory in the place of what is lost and notes it. Any other SIGBUS has the effect that it
// would have without: that of the handler that was there before the first guard, or of none.
//
// The thread that touches the range must not block SIGBUS: the kernel then ends the process whatever is installed.
class LostPages {
 public:
  // From any thread. The range begins at a page and is mapped for as long as this lives.
  LostPages(void* begin, std::size_t size);
  LostPages() = default;  // guards nothing
  ~LostPages();
  LostPages(LostPages&& other) noexcept;
  LostPages& operator=(LostPages&& other) noexcept;

  // Whether anything was lost so far. What was written there since is gone.
  bool any() const { return range_->lost.load(std::memory_order_relaxed); }

 private:
  static inline GuardedRange none_;
  GuardedRange* range_ = &none_;
};

}  // namespace retrial::trace
