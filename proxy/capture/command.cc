#include "proxy/capture/command.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "base/descriptor_limit.h"
#include "base/private_files.h"
#include "proxy/capture/channel.h"
#include "proxy/capture/filter.h"

namespace retrial::proxy::capture {
namespace {
[[noreturn]] void refuse(int channel, const char* step, int error_number, int status) {
  send_message(channel, Message::refused, error_number, step);
  _exit(status);
}

bool place_descriptors(const int wanted[3]) {
  int high[3];
  // First out of the way of 0, 1 and 2, for they may name each other.
  for (int i = 0; i < 3; ++i)
    if ((high[i] = wanted[i] < 0 ? -1 : fcntl(wanted[i], F_DUPFD_CLOEXEC, 3)) < 0 && wanted[i] >= 0) return false;
  for (int i = 0; i < 3; ++i)
    if (high[i] >= 0 && dup2(high[i], i) < 0) return false;
  return true;
}

[[noreturn]] void witness(int to_guard) {
  prctl(PR_SET_NAME, kWitness);
  close_all_but({to_guard});
  const std::int32_t self = getpid();
  if (write(to_guard, &self, sizeof self) != sizeof self) _exit(1);
  char byte;
  while (read(to_guard, &byte, 1) < 0 && errno == EINTR) {
  }
  tick();
  _exit(0);
}

// From here on every connect of this process and all that it starts is told to the supervisor.
void install(const CommandPlace& place) {
  const Filter filter = install_filter();
  if (filter.listener < 0) refuse(place.to_supervisor, "seccomp", filter.error_number, 126);
  if (!send_message(place.to_supervisor, Message::listener, filter.killable, "", filter.listener)) _exit(126);
  close(filter.listener);  // else the tree holds it, and its end is never seen

  const pid_t last = static_cast<pid_t>(syscall(SYS_clone, CLONE_PARENT | SIGCHLD, nullptr, nullptr, nullptr, nullptr));
  if (last == 0) witness(place.to_guard);
  if (last < 0) refuse(place.to_supervisor, "clone", errno, 126);
  tick();
  tick();  // twice: shows whether this kernel's ids follow one another
}

// What a handler of ours caught becomes default by exec itself; SIGPIPE is ignored by us and not by our caller.
void restore_signals(const Launch& launch, const CommandPlace& place) {
  signal(SIGPIPE, SIG_DFL);
  for (const int number : launch.ignored) signal(number, SIG_IGN);
  for (int number = 1; number < NSIG; ++number) {
    // Between the unblocking and exec a handler of ours would still run, here.
    struct sigaction action;
    if (sigaction(number, nullptr, &action) == 0 && action.sa_handler != SIG_IGN && action.sa_handler != SIG_DFL)
      signal(number, SIG_DFL);
  }
  sigprocmask(SIG_SETMASK, &place.mask, nullptr);
}
}  // namespace

void close_all_but(std::initializer_list<int> keep) {
  for (unsigned from = 0;;) {
    unsigned next = ~0u;
    for (const int fd : keep)
      if (static_cast<unsigned>(fd) >= from && static_cast<unsigned>(fd) < next) next = static_cast<unsigned>(fd);
    if (next > from && syscall(SYS_close_range, from, next == ~0u ? next : next - 1, 0) != 0) {
      // A container may refuse close_range.
      for (unsigned fd = from; fd < next && fd < 65536; ++fd) close(static_cast<int>(fd));
    }
    if (next == ~0u) return;
    from = next + 1;
  }
}

void run_command(const Launch& launch, const CommandPlace& place) {
  // Until the filter stands, the guard's death must end us: it could not be told whose child we are.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_NAME, "retrial-command");
  if (getppid() != place.guard) _exit(126);
  if (launch.directory && chdir(launch.directory) != 0) refuse(place.to_supervisor, "chdir", errno, 126);
  if (!place_descriptors(launch.descriptors)) refuse(place.to_supervisor, "dup2", errno, 126);

  if (launch.filtered) install(place);
  setpgid(0, launch.own_group ? 0 : place.group);
  prctl(PR_SET_PDEATHSIG, 0);
  restore_signals(launch, place);
  restore_descriptor_limit();
  restore_umask();
  if (launch.probe) {
    close(place.to_supervisor);
    close(place.to_guard);
    _exit(launch.probe(launch.probe_context));
  }
  environ = const_cast<char**>(launch.environment.data());  // execvp reads PATH there
  execvp(launch.argv[0], launch.argv.data());
  refuse(place.to_supervisor, "exec", errno, errno == ENOENT ? 127 : 126);
}

}  // namespace retrial::proxy::capture
