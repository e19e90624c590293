#include "proxy/time/page.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace retrial::proxy {

Result<std::unique_ptr<TimePage>> TimePage::make(const std::filesystem::path& file) {
  const auto size = sizeof(retrial_time_page);
  int fd = open(file.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  // Allocated, so that a full disk shows here and not in a store into the page.
  int error = fd < 0 ? errno : posix_fallocate(fd, 0, size);
  void* at = error ? MAP_FAILED : mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (!error && at == MAP_FAILED) error = errno;
  if (fd >= 0) close(fd);
  if (error) return fail_errno("cannot make the page of the client's clock", error, file.string());
  auto* page = static_cast<retrial_time_page*>(at);
  page->magic = RETRIAL_TIME_MAGIC;
  page->size = size;
  page->slice = RETRIAL_TIME_FOR_EVER;
  return std::unique_ptr<TimePage>(new TimePage(page));
}

TimePage::~TimePage() { munmap(page_, sizeof *page_); }

void TimePage::free_of_the_dead() {
  auto used = std::min<std::uint32_t>(__atomic_load_n(&page_->used, __ATOMIC_ACQUIRE), RETRIAL_TIME_SLOTS);
  std::size_t left = 0;
  for (std::uint32_t i = 0; i < used; i++) {
    auto& slot = page_->slot[i];
    auto thread = __atomic_load_n(&slot.thread, __ATOMIC_ACQUIRE);
    auto process = __atomic_load_n(&slot.process, __ATOMIC_RELAXED);
    if (thread <= 0 || process <= 0) continue;
    bool dead = kill(process, 0) != 0 && errno == ESRCH;
    if (dead) __atomic_store_n(&slot.until, 0, __ATOMIC_RELAXED);
    if (dead) __atomic_compare_exchange_n(&slot.thread, &thread, 0, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
    left += !dead;
  }
  sweep_at_ = std::max(kSweepAt, 2 * left);
}

void TimePage::read(std::vector<Slot>& into) {
  if (into.size() > sweep_at_) free_of_the_dead();
  into.clear();
  auto used = std::min<std::uint32_t>(__atomic_load_n(&page_->used, __ATOMIC_ACQUIRE), RETRIAL_TIME_SLOTS);
  for (std::uint32_t i = 0; i < used; i++) {
    auto& slot = page_->slot[i];
    auto thread = __atomic_load_n(&slot.thread, __ATOMIC_ACQUIRE);
    if (thread <= 0) continue;
    into.push_back({thread, __atomic_load_n(&slot.process, __ATOMIC_RELAXED),
                    __atomic_load_n(&slot.until, __ATOMIC_ACQUIRE), __atomic_load_n(&slot.waits, __ATOMIC_RELAXED),
                    slot.kind});
  }
}

}  // namespace retrial::proxy
