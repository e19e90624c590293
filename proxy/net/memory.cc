#include "proxy/net/memory.h"

#include <algorithm>
#include <utility>

namespace retrial::proxy {

MemoryWatch::MemoryWatch(std::shared_ptr<MemoryBudget> budget) : budget_(std::move(budget)) {
  if (budget_) scarce();
}

bool MemoryWatch::scarce() {
  if (!budget_) return false;
  in_use_ = budget_->heap.in_use();
  // A part of what is left: never so much that what grows by doubling goes far beyond the limit, nor so little that
  // nobody is heard.
  auto left = budget_->limit - std::min(budget_->limit, in_use_);
  auto step = std::clamp(left / (2 * budget_->loops), budget_->limit / 64, budget_->limit / 16);
  may_reach_ = budget_->heap.by_this_thread() + static_cast<std::int64_t>(step);
  bool scarce = in_use_ > budget_->limit / 8 * 7;
  if (!scarce) budget_->held -= std::exchange(told_, 0);
  return scarce;
}

std::size_t MemoryWatch::to_free(std::size_t held) {
  auto all = budget_->held += held - std::exchange(told_, held);
  auto target = budget_->limit / 4 * 3;
  if (held < all / (2 * budget_->loops) || all < (in_use_ - target) / 4) return 0;
  return static_cast<std::size_t>(static_cast<double>(held) * static_cast<double>(in_use_ - target) /
                                  static_cast<double>(in_use_));
}

}  // namespace retrial::proxy
