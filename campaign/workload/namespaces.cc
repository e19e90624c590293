#include "campaign/workload/namespaces.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>

namespace retrial::campaign {
namespace {

constexpr int kNamespaces = CLONE_NEWNET | CLONE_NEWNS;

bool write_once(const char* file, const std::string& text) {
  int fd = open(file, O_WRONLY | O_CLOEXEC);
  bool written = fd >= 0 && write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  auto why = errno;
  if (fd >= 0) close(fd);
  errno = why;
  return written;
}

bool keep_user(uid_t user, gid_t group) {
  return write_once("/proc/self/setgroups", "deny") &&
         write_once("/proc/self/gid_map", fmt::format("{0} {0} 1", group)) &&
         write_once("/proc/self/uid_map", fmt::format("{0} {0} 1", user));
}

bool bring_loopback_up() {
  int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ifreq lo{};
  std::strncpy(lo.ifr_name, "lo", sizeof lo.ifr_name - 1);
  lo.ifr_flags = IFF_UP;
  bool up = s >= 0 && ioctl(s, SIOCSIFFLAGS, &lo) == 0;
  auto why = errno;
  if (s >= 0) close(s);
  errno = why;
  return up;
}

// Is that process in another namespace of this kind ("user") than we?
bool differs(pid_t process, std::string_view kind) {
  struct stat theirs{}, ours{};
  return stat(fmt::format("/proc/{}/ns/{}", process, kind).c_str(), &theirs) == 0 &&
         stat(fmt::format("/proc/self/ns/{}", kind).c_str(), &ours) == 0 && theirs.st_ino != ours.st_ino;
}

std::unexpected<Error> refused(const char* step) {
  return fail_errno("this machine or container allows no network namespaces", errno, step);
}

}  // namespace

Result<void> leave_namespaces() {
  auto user = geteuid();
  auto group = getegid();
  if (unshare(kNamespaces) != 0) {
    if (unshare(kNamespaces | CLONE_NEWUSER) != 0) return refused("unshare");
    if (!keep_user(user, group)) return refused("uid_map");
  }
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return refused("mount");
  if (!bring_loopback_up()) return refused("loopback");
  return {};
}

Result<void> enter_namespaces_of(pid_t process) {
  std::error_code error;
  auto directory = std::filesystem::current_path(error);
  auto kinds = kNamespaces | (differs(process, "user") ? CLONE_NEWUSER : 0);
  int fd = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
  bool there = fd >= 0 && setns(fd, kinds) == 0 && chdir(directory.c_str()) == 0;
  auto why = errno;
  if (fd >= 0) close(fd);
  if (!there) return fail_errno("the namespaces of a run cannot be entered", why);
  return {};
}

}  // namespace retrial::campaign
