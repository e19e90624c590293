#include "proxy/time/look.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "proxy/capture/guard.h"
#include "proxy/time/go_program.h"
#include "proxy/time/limits.h"

namespace retrial::proxy {
namespace {

constexpr int kStays = 6;  // looks: 4 ms lie between two where there is nothing to jump for

// A file of /proc that is small. Empty where it cannot be read.
class Text {
 public:
  explicit Text(const char* path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    auto got = read(fd, room_.data(), room_.size());
    close(fd);
    size_ = got > 0 ? static_cast<std::size_t>(got) : 0;
  }
  std::string_view view() const { return {room_.data(), size_}; }

 private:
  std::array<char, 4096> room_;
  std::size_t size_ = 0;
};
struct Path {
  Path(pid_t process, pid_t thread, const char* what) {
    *fmt::format_to_n(text.data(), text.size() - 1, "/proc/{}/task/{}/{}", process, thread, what).out = 0;
  }
  std::array<char, 64> text;
};
Text file_of(pid_t process, pid_t thread, const char* what) { return Text(Path(process, thread, what).text.data()); }

// The JVM's own threads wake up by the clock (50 ms, 1 s, 5 s), and none of it is a client's wait.
bool ticks_by_itself(std::string_view name) {
  constexpr std::string_view kTicking[] = {"VM Periodic Tas", "VM Thread",      "G1 ",
                                           "C1 Compiler",     "C2 Compiler",    "Monitor Deflati",
                                           "Service Thread",  "Sweeper thread", "Common-Cleaner",
                                           "GC Thread",       "Reference Handl"};
  return std::ranges::any_of(kTicking, [name](auto begin) { return name.starts_with(begin); });
}

// `go test` and `go run` wait for what they have started, and are no client.
bool is_go_tool(pid_t pid) {
  std::array<char, 512> program;
  auto size = readlink(fmt::format("/proc/{}/exe", pid).c_str(), program.data(), program.size());
  return size > 0 && std::string_view(program.data(), static_cast<std::size_t>(size)).ends_with("/bin/go");
}

std::uint64_t last_number(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  auto space = text.rfind(' ');
  if (space != text.npos) text.remove_prefix(space + 1);
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

bool Looker::is(pid_t process, std::uint32_t kind) const {
  return std::ranges::any_of(slots_, [&](auto& s) { return s.process == process && (kind == 0 || s.kind == kind); });
}

void Looker::until(Nanos at) {
  look_.first = look_.first == 0 ? at : std::min(look_.first, at);
  look_.last = std::max(look_.last, at);
}

bool Looker::apart(pid_t process) { return unmoved_.contains(process) && roles_.only_serves(process); }

bool Looker::keeps_to_itself(pid_t process) const {
  return !roles_.has_connected(process) && is_go_program(fmt::format("/proc/{}/exe", process).c_str());
}

bool Looker::thread(pid_t pid, pid_t tid, bool judged) {
  const auto stat = file_of(pid, tid, "stat");
  auto text = stat.view();
  auto open_bracket = text.find('('), close_bracket = text.rfind(')');
  if (close_bracket == text.npos || close_bracket + 2 >= text.size()) return false;  // it has gone
  char state = text[close_bracket + 2];
  if (state == 'Z' || state == 'X') return true;
  // Also inside a wait: what was waited for may have come, and the thread not have run yet.
  if (state != 'S') return false;
  auto name = text.substr(open_bracket + 1, close_bracket - open_bracket - 1);
  auto slot = std::ranges::find_if(slots_, [&](auto& s) {
    return s.thread == tid && s.process == pid && s.kind == RETRIAL_TIME_THREAD && s.until != 0;
  });
  if (slot != slots_.end()) {
    look_.threads.push_back({tid, 'w', slot->waits});
    if (ticks_by_itself(name) || slot->until == RETRIAL_TIME_FOR_EVER) return true;
    if (slot->until <= now_) return false;
    until(slot->until);
    return true;
  }
  look_.threads.push_back({tid, 's', last_number(file_of(pid, tid, "schedstat").view())});
  if (!thoroughly_ || !judged) return true;
  // A Go runtime's own threads (sysmon) sleep by themselves.
  const auto call = file_of(pid, tid, "syscall");
  if (!has_limit(call.view()) || is(pid, RETRIAL_TIME_GO)) return true;
  if (keeps_to_itself(pid) && !(roles_.started_a_client(pid) && waits_for_timer_of_go(call.view()))) return true;
  // On its way into a wait, or out of it, it looks the same, and is not for long.
  if (auto slices = look_.threads.back().mark; is(pid, 0)) {
    auto& passing = passing_[tid];
    passing = {slices, passing.slices == slices ? passing.looks + 1 : 1};
    if (passing.looks < kStays) {
      if (!roles_.only_serves(pid)) look_.real = pid;
      return false;
    }
  }
  unmoved_.insert(pid);
  if (apart(pid)) return true;
  look_.real = pid;
  return false;
}

bool Looker::children(pid_t pid, pid_t tid) {
  const auto kids = file_of(pid, tid, "children");
  auto text = kids.view();
  if (text.size() >= 4096) return false;
  for (const char *at = text.data(), *end = at + text.size(); at < end;) {
    pid_t kid = 0;
    auto [next, error] = std::from_chars(at, end, kid);
    if (error != std::errc{}) break;
    if (!process(kid, true)) return false;
    at = next + 1;
  }
  return true;
}

bool Looker::process(pid_t pid, bool ours) {
  bool judged = ours && pid != root_;
  if (judged && thoroughly_ && !is(pid, 0)) {
    judged = !is_go_tool(pid);
    if (judged) unmoved_.insert(pid);
    bool foreign = !keeps_to_itself(pid) || roles_.started_a_client(pid);
    if (judged && !apart(pid) && foreign) look_.foreign.insert(pid);
  }
  bool looked_at = !apart(pid);
  DIR* folder = opendir(fmt::format("/proc/{}/task", pid).c_str());
  if (!folder) return true;
  bool fine = true;
  auto self = static_cast<pid_t>(syscall(SYS_gettid));
  for (dirent* entry; fine && (entry = readdir(folder));) {
    pid_t tid = std::atoi(entry->d_name);
    if (tid <= 0) continue;
    if (tid != self && looked_at) fine = thread(pid, tid, judged);
    if (fine && ours) fine = children(pid, tid);
  }
  closedir(folder);
  return fine;
}

// A process arms its kernel timers anew from a wait of the page: one must be under way.
bool Looker::timers() {
  for (auto& slot : slots_) {
    if (slot.kind != RETRIAL_TIME_TIMERS || slot.until == 0) continue;
    if (slot.until < now_ - kSecond) continue;  // it has long since told; no wait has come by to say so
    bool here = false, waits = false;
    for (auto& seen : look_.threads) {
      auto thread = std::ranges::find(slots_, seen.thread, &TimePage::Slot::thread);
      if (thread == slots_.end() || thread->process != slot.process) continue;
      here = true;
      waits |= seen.how == 'w';
    }
    if (!here) continue;  // of a process that is gone
    if (!waits || slot.until <= now_) return false;
    until(slot.until);
  }
  return true;
}

Look Looker::look(Nanos now, bool thoroughly) {
  page_.read(slots_);
  look_ = {};
  now_ = now;
  thoroughly_ = thoroughly;
  look_.idle = process(root_, true) && process(getpid(), false) && timers();
  return std::move(look_);
}

std::string describe_unmoved(pid_t process, bool registered) {
  const Text comm(fmt::format("/proc/{}/comm", process).c_str());
  auto name = comm.view().substr(0, comm.view().find('\n'));
  if (name == capture::kWitness) return {};
  std::string_view why = "raw system calls";
  if (!registered) {
    // Of an ELF file: an interpreter (ld.so) is what loads what is preloaded.
    const Text head(fmt::format("/proc/{}/exe", process).c_str());
    auto bytes = head.view();
    if (bytes.empty())
      why = "its program cannot be read";
    else if (bytes.find("ld-musl") != bytes.npos)
      why = "musl";
    else if (bytes.find("ld-linux") == bytes.npos)
      why = "static";
    else
      why = "nothing could be preloaded";
  }
  return fmt::format("{}[{}] ({})", name, process, why);
}

}  // namespace retrial::proxy
