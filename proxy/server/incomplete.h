#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <mutex>
#include <string>

namespace retrial::proxy {

// Why a run is not recorded whole, shared by the loops that record it: what one of them could not write makes the run
// of all of them incomplete. From any thread.
class Incomplete {
 public:
  // False where something was said before: the first is kept.
  bool say(const std::string& why) {
    std::lock_guard lock(mutex_);
    if (!why_.empty()) return false;
    why_ = why;
    return true;
  }
  void lost(std::uint64_t records) {
    std::lock_guard lock(mutex_);
    lost_ += records;
  }
  std::string why() const {  // empty: nothing is missing so far
    std::lock_guard lock(mutex_);
    return lost_ ? fmt::format("{} (records lost: {})", why_, lost_) : why_;
  }

 private:
  mutable std::mutex mutex_;
  std::string why_;
  std::uint64_t lost_ = 0;
};

}  // namespace retrial::proxy
