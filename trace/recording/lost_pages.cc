#include "trace/recording/lost_pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <utility>

namespace retrial::trace {

namespace {

std::mutex changing;
std::atomic<GuardedRange*> ranges{nullptr};
struct sigaction before{};
const auto kPage = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
static_assert(std::atomic<char*>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

// Whether the lost page was one of ours, and is memory again. mmap is the bare system call here: safe in a handler.
bool put_memory(char* lost) {
  for (auto* r = ranges.load(std::memory_order_acquire); r; r = r->next) {
    auto* begin = r->begin.load(std::memory_order_acquire);
    auto size = r->size.load(std::memory_order_relaxed);
    if (!begin || lost < begin || lost >= begin + size || r->begin.load(std::memory_order_acquire) != begin) continue;
    auto* page = lost - reinterpret_cast<std::uintptr_t>(lost) % kPage;
    auto* memory = ::mmap(page, static_cast<std::size_t>(begin + size - page), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (memory == MAP_FAILED) return false;
    r->lost.store(true, std::memory_order_relaxed);
    return true;
  }
  return false;
}

void on_sigbus(int number, siginfo_t* info, void* context) {
  auto error = errno;
  if (info->si_code == BUS_ADRERR && put_memory(static_cast<char*>(info->si_addr))) {
    errno = error;
    return;
  }
  if (before.sa_flags & SA_SIGINFO) return before.sa_sigaction(number, info, context);
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) return before.sa_handler(number);
  // The same touch comes again on return and meets what was there before; what somebody sent does not come by itself.
  ::sigaction(number, &before, nullptr);
  if (info->si_code <= 0) ::raise(number);
}

void install() {
  if (::sigaction(SIGBUS, nullptr, &before) != 0) return;
  struct sigaction ours{};
  ours.sa_sigaction = on_sigbus;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&ours.sa_mask);
  ::sigaction(SIGBUS, &ours, nullptr);
}

}  // namespace

LostPages::LostPages(void* begin, std::size_t size) {
  std::lock_guard lock(changing);
  static const bool installed = (install(), true);
  (void)installed;
  range_ = ranges.load();
  while (range_ && range_->begin.load()) range_ = range_->next;
  if (!range_) {
    range_ = new GuardedRange;  // stays
    range_->next = ranges.load();
    ranges.store(range_, std::memory_order_release);
  }
  range_->lost = false;
  range_->size = size;
  range_->begin.store(static_cast<char*>(begin), std::memory_order_release);
}
LostPages::~LostPages() {
  if (range_ == &none_) return;
  std::lock_guard lock(changing);
  range_->begin.store(nullptr, std::memory_order_release);
}
LostPages::LostPages(LostPages&& other) noexcept : range_(std::exchange(other.range_, &none_)) {}
LostPages& LostPages::operator=(LostPages&& other) noexcept {
  std::swap(range_, other.range_);
  return *this;
}

}  // namespace retrial::trace
