#pragma once
#include <atomic>
#include <cstddef>
#include <memory>

#include "proxy/net/heap.h"

namespace retrial::proxy {

// How much of the heap the loops of a server may have in use, all together. From any thread.
struct MemoryBudget {
  explicit MemoryBudget(std::size_t bytes, std::size_t its_loops = 1, const Heap& counted = Heap::own())
      : limit(bytes), loops(its_loops), heap(counted) {}
  const std::size_t limit, loops;
  const Heap& heap;
  std::atomic<std::size_t> held{0};  // by the clients of all loops, as far as they have told; 0 while there is plenty
};

// What one loop does to keep to it. It allocates a part of what is left, then it is spent: it reads nothing
// until it has looked at the whole again. Loop thread only; without a budget nothing is bounded.
//
//   in use               what look() says
//   to 7/8 of the limit  nothing is to be freed
//   above                so much of what its clients hold as leads to 3/4 of the limit. Nothing where it is not theirs:
//   a
//                        loop's clients hold less than half of what those of a loop do on average, or all loops' less
//                        than a quarter of what is too much
class MemoryWatch {
 public:
  explicit MemoryWatch(std::shared_ptr<MemoryBudget> budget);
  bool spent() const { return budget_ && budget_->heap.by_this_thread() > may_reach_; }

  bool scarce();                          // looks, and says whether look() wants to know what is held
  std::size_t to_free(std::size_t held);  // of `held`, all that this loop's clients hold
  std::size_t limit() const { return budget_->limit; }
  std::size_t in_use() const { return in_use_; }  // when it looked

 private:
  std::shared_ptr<MemoryBudget> budget_;
  std::size_t in_use_ = 0, told_ = 0;
  std::int64_t may_reach_ = 0;
};

}  // namespace retrial::proxy
