#pragma once
#include <filesystem>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "integration/agents/native/page.h"

namespace retrial::proxy {

// The page of one run (integration/agents/native/page.h), of which we are the only one to move the clock. Loop thread.
class TimePage {
 public:
  // Makes the file, which the processes of the tree map by its path.
  static Result<std::unique_ptr<TimePage>> make(const std::filesystem::path& file);
  ~TimePage();
  TimePage(const TimePage&) = delete;

  Nanos ahead() const { return __atomic_load_n(&page_->ahead, __ATOMIC_RELAXED); }
  void move(Nanos by) { __atomic_store_n(&page_->ahead, ahead() + by, __ATOMIC_RELEASE); }
  // No real sleep of a wait is longer from its next one on. At first: for ever, and no wait is cut.
  void slice(Nanos longest) { __atomic_store_n(&page_->slice, longest, __ATOMIC_RELAXED); }

  struct Slot {
    pid_t thread = 0;
    pid_t process = 0;
    Nanos until = 0;  // as in the page
    std::uint32_t waits = 0;
    std::uint32_t kind = 0;
  };
  // Those that are taken. Now and then frees those of processes that ended without giving theirs back.
  void read(std::vector<Slot>& into);

 private:
  explicit TimePage(retrial_time_page* page) : page_(page) {}
  void free_of_the_dead();
  retrial_time_page* page_;
  std::size_t sweep_at_ = kSweepAt;  // slots that are taken
  static constexpr std::size_t kSweepAt = 64;
};

// The client's clock: real time, and what it was moved on by.
class ClientClock final : public Clock {
 public:
  ClientClock(const Clock& real, const TimePage* page) : real_(real), page_(page) {}  // no page: the real one
  Nanos now() const override { return real_.now() + ahead(); }
  Nanos wall() const override { return real_.wall() + ahead(); }

 private:
  Nanos ahead() const { return page_ ? page_->ahead() : 0; }
  const Clock& real_;
  const TimePage* page_;
};

}  // namespace retrial::proxy
