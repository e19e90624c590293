#include "proxy/capture/places.h"

#include <fcntl.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace retrial::proxy::capture {
namespace {
constexpr Nanos kLookAgain = 300'000;
constexpr std::uint64_t kSurelyRead =
    2'000'000;                     // ns of CPU after the answer; the way to the kernel's copy takes microseconds
constexpr Nanos kBlind = kSecond;  // where /proc does not tell

// First bytes of /proc/TID/what; "" if there is none.
struct ThreadFile {
  ThreadFile(pid_t thread, const char* what) {
    char path[48];
    snprintf(path, sizeof path, "/proc/%d/%s", thread, what);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    gone = n < 0 && (errno == ENOENT || errno == ESRCH);
    if (fd >= 0) close(fd);
    text[n < 0 ? 0 : n] = 0;
  }
  char text[128];
  bool gone;
};
std::uint64_t cpu_of(pid_t thread) { return strtoull(ThreadFile(thread, "schedstat").text, nullptr, 10); }
}  // namespace

Places::Places(Loop& loop, const Clock& clock, std::function<void()> arrivals)
    : clock_(clock), arrivals_(std::move(arrivals)), look_(loop, [this] { look_again(); }) {}

void Places::enter(const Place& place, const Holder& holder, std::function<bool()> answer) {
  heard(holder.thread);
  if (held_.contains(place)) arrivals_();
  if (const auto it = held_.find(place); it != held_.end() && has_read(it->second)) release(place);
  auto& held = held_[place];
  if (held.holder.thread) {
    ++waited_;
    if (waiting_++ == 0) look_.set(kLookAgain);
    held.waiting.push_back({holder, std::move(answer)});
  } else if (!take(place, held, holder, answer)) {
    release(place);
  }
}

bool Places::take(const Place& place, Held& held, const Holder& holder, const std::function<bool()>& answer) {
  held.holder = holder;
  held.since = clock_.now();
  by_thread_[holder.thread] = place;
  by_inode_[holder.inode] = place;
  held.had_run = held.waiting.empty() ? 0 : cpu_of(holder.thread);
  return answer();
}

void Places::release(const Place& place) {
  for (auto it = held_.find(place); it != held_.end();) {
    auto& held = it->second;
    by_thread_.erase(held.holder.thread);
    by_inode_.erase(held.holder.inode);
    held.holder = {};
    if (held.waiting.empty()) {
      held_.erase(it);
      return;
    }
    const Waiting next = std::move(held.waiting.front());
    held.waiting.pop_front();
    --waiting_;
    if (take(place, held, next.holder, next.answer)) return;
  }
}

void Places::heard(pid_t thread) {
  if (const auto it = by_thread_.find(thread); it != by_thread_.end()) release(Place(it->second));
}
void Places::arrived(ino_t inode) {
  if (const auto it = by_inode_.find(inode); it != by_inode_.end()) release(Place(it->second));
}

// A thread that we answered is on its way until it sleeps again: in its connect, after the copy, or later.
bool Places::has_read(const Held& held) const {
  const ThreadFile call(held.holder.thread, "syscall");
  if (call.gone || isdigit(static_cast<unsigned char>(call.text[0])) || call.text[0] == '-') return true;
  const std::uint64_t has_run = cpu_of(held.holder.thread);
  if (call.text[0] == 0 || has_run == 0) return clock_.now() - held.since > kBlind;
  return held.had_run && has_run - held.had_run > kSurelyRead;
}

void Places::look_again() {
  arrivals_();
  std::vector<Place> read;
  for (auto& [place, held] : held_) {
    if (held.waiting.empty()) continue;
    if (has_read(held))
      read.push_back(place);
    else if (held.had_run == 0)
      held.had_run = cpu_of(held.holder.thread);  // counted from the first look
  }
  for (const auto& place : read) release(place);
  if (waiting_) look_.set(kLookAgain);
}

}  // namespace retrial::proxy::capture
