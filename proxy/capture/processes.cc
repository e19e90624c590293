#include "proxy/capture/processes.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unordered_map>
#include <unordered_set>

namespace retrial::proxy::capture {
namespace {
struct Entry {  // linux_dirent64
  unsigned long long inode;
  long long offset;
  unsigned short size;
  unsigned char type;
  char name[1];  // and on, to its zero
};

ssize_t read_small(pid_t pid, const char* what, char* to, size_t room) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", pid, what);
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  const ssize_t n = read(fd, to, room - 1);
  close(fd);
  to[n > 0 ? n : 0] = 0;
  return n;
}

// The number after `key` in /proc/PID/status; -1 if there is none.
long status_field(pid_t pid, const char* key) {
  char text[4096];
  if (read_small(pid, "status", text, sizeof text) <= 0) return -1;
  const char* at = strstr(text, key);
  return at ? strtol(at + strlen(key), nullptr, 10) : -1;
}

struct Round {
  pid_t self;
  pid_t spare;
  void (*ended)(const Stat&, bool, void*);
  void* context;
  long own_filters;  // -1: every child
  bool any;
  pid_t hopeless[16];  // children that we may not end
  int hopeless_count;
};

bool end_one(const Stat& stat, void* context) {
  auto& round = *static_cast<Round*>(context);
  if (stat.parent != round.self || stat.pid == round.spare) return true;
  if (round.own_filters >= 0 && stat.state != 'Z' && status_field(stat.pid, "\nSeccomp_filters:") <= round.own_filters)
    return true;
  if (round.own_filters >= 0 && stat.state == 'Z') return true;  // may be a child that someone else waits for
  for (int i = 0; i < round.hopeless_count; ++i)
    if (round.hopeless[i] == stat.pid) return true;
  // Our own child, not yet waited for: the pid cannot be another's.
  const bool ours = stat.state == 'Z' || kill(stat.pid, SIGKILL) == 0 || errno == ESRCH;
  if (stat.state != 'Z' && round.ended) round.ended(stat, ours, round.context);
  if (!ours) {
    if (round.hopeless_count < 16) round.hopeless[round.hopeless_count++] = stat.pid;
    return round.hopeless_count < 16;
  }
  round.any = true;
  while (waitpid(stat.pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  return true;
}

void end_rounds(Round round) {
  for (int i = 0; i < 10'000; ++i) {
    round.any = false;
    for_each_process(end_one, &round);
    if (!round.any) return;
  }
}
}  // namespace

bool read_stat(pid_t pid, Stat& stat) {
  char text[1024];
  if (read_small(pid, "stat", text, sizeof text) <= 0) return false;
  const char* open_bracket = strchr(text, '(');
  const char* close_bracket = strrchr(text, ')');  // a name may hold brackets
  if (!open_bracket || !close_bracket || close_bracket <= open_bracket) return false;
  stat.pid = pid;
  const size_t length = static_cast<size_t>(close_bracket - open_bracket - 1);
  const size_t kept = length < sizeof stat.name - 1 ? length : sizeof stat.name - 1;
  memcpy(stat.name, open_bracket + 1, kept);
  stat.name[kept] = 0;
  unsigned long long user = 0, system = 0;
  long long child_user = 0, child_system = 0;
  if (sscanf(close_bracket + 1, " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %lld %lld", &stat.state,
             &stat.parent, &user, &system, &child_user, &child_system) != 6)
    return false;
  stat.child_ticks = static_cast<unsigned long long>(child_user + child_system);
  stat.ticks = user + system + stat.child_ticks;
  return true;
}

bool for_each_process(bool (*see)(const Stat& stat, void* context), void* context) {
  const int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (proc < 0) return false;
  alignas(8) char buffer[8192];
  bool go_on = true;
  for (long n; go_on && (n = syscall(SYS_getdents64, proc, buffer, sizeof buffer)) > 0;) {
    for (long at = 0; go_on && at < n;) {
      const auto* entry = reinterpret_cast<const Entry*>(buffer + at);
      at += entry->size;
      const int pid = atoi(entry->name);
      if (Stat stat; pid > 0 && read_stat(pid, stat)) go_on = see(stat, context);
    }
  }
  close(proc);
  return true;
}

bool has_children(pid_t but) {
  struct Search {
    pid_t self;
    pid_t but;
    bool found;
  } search{getpid(), but, false};
  for_each_process(
      [](const Stat& stat, void* context) {
        auto& wanted = *static_cast<Search*>(context);
        wanted.found = stat.parent == wanted.self && stat.pid != wanted.but && stat.state != 'Z';
        return !wanted.found;
      },
      &search);
  return search.found;
}

void end_children(pid_t spare, void (*ended)(const Stat& stat, bool ours, void* context), void* context) {
  end_rounds({getpid(), spare, ended, context, -1, false, {}, 0});
}

void end_filtered_children() {
  const long own = status_field(getpid(), "\nSeccomp_filters:");
  if (own >= 0) end_rounds({getpid(), 0, nullptr, nullptr, own, false, {}, 0});
}

Nanos cpu_time_below(pid_t root) {
  std::unordered_map<pid_t, Stat> all;
  for_each_process(
      [](const Stat& stat, void* to) {
        static_cast<std::unordered_map<pid_t, Stat>*>(to)->emplace(stat.pid, stat);
        return true;
      },
      &all);
  const auto top = all.find(root);
  if (top == all.end()) return 0;
  unsigned long long ticks = top->second.child_ticks;
  std::unordered_map<pid_t, bool> below{{root, true}, {0, false}, {1, root == 1}};
  for (const auto& [pid, stat] : all) {
    // Up to the first ancestor that is known; a walk is as long as the tree is deep.
    pid_t at = pid;
    std::unordered_set<pid_t> path;
    auto known = below.find(at);
    while (known == below.end() && path.insert(at).second) {
      const auto up = all.find(at);
      at = up == all.end() ? 0 : up->second.parent;
      known = below.find(at);
    }
    const bool inside = known != below.end() && known->second;
    for (const pid_t step : path) below[step] = inside;
    if (inside && pid != root) ticks += stat.ticks;
  }
  return static_cast<Nanos>(ticks) * (kSecond / sysconf(_SC_CLK_TCK));
}

Nanos busy_time(pid_t thread) {
  char text[128];
  if (read_small(thread, "schedstat", text, sizeof text) <= 0) return 0;
  char* rest = nullptr;
  const auto ran = strtoll(text, &rest, 10);
  return ran + strtoll(rest, nullptr, 10);
}

bool descends(pid_t process, pid_t root) {
  for (Stat stat; process > 1 && process != root; process = stat.parent)
    if (!read_stat(process, stat)) return false;
  return process == root;
}

pid_t process_of(pid_t thread) {
  // tgkill with a thread that leads its own group, the common case, saves the reading of a file.
  if (syscall(SYS_tgkill, thread, thread, 0) == 0 || errno == EPERM) return thread;
  const long process = status_field(thread, "\nTgid:");
  return process > 0 ? static_cast<pid_t>(process) : 0;
}

}  // namespace retrial::proxy::capture
