#include "proxy/capture/guard.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>

#include "proxy/capture/channel.h"
#include "proxy/capture/command.h"
#include "proxy/capture/processes.h"

namespace retrial::proxy::capture {
namespace {
struct Watched {
  int channel;
  pid_t supervisor;
  pid_t command;  // 0: has ended
  pid_t witness;  // 0: none, or has ended
  int to_witness;
};

void reap(Watched& watch) {
  int status = 0;
  for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) > 0;) {
    if (ended == watch.command) {
      watch.command = 0;
      send_message(watch.channel, Message::status, status);
    } else if (ended == watch.witness) {
      watch.witness = 0;
    }
  }
}

// What ends by itself with the command may end in peace: Python's resource tracker unlinks its shared memory only then.
void give_grace(Watched& watch, int signals) {
  constexpr int kGrace = 200, kStep = 10;  // ms
  for (int waited = 0; waited < kGrace; waited += kStep) {
    reap(watch);
    if (!has_children(watch.witness)) return;
    pollfd fds[2] = {{signals, POLLIN, 0}, {watch.channel, POLLIN, 0}};
    poll(fds, 2, kStep);
    if (fds[1].revents) return;  // the supervisor is in a hurry, or gone
    signalfd_siginfo got;
    if (fds[0].revents && read(signals, &got, sizeof got) != sizeof got) return;
  }
}

enum class Why { command_ended, supervisor_says, supervisor_gone };

[[noreturn]] void close_down(Watched& watch, Why why) {
  if (watch.command) {
    kill(watch.command, SIGKILL);
    int status = 0;
    while (waitpid(watch.command, &status, 0) < 0 && errno == EINTR) {
    }
    send_message(watch.channel, Message::status, status);
  }
  const auto tell = [](const Stat& stat, bool ours, void* channel) {
    send_message(*static_cast<int*>(channel), ours ? Message::left_over : Message::beyond_us, stat.pid, stat.name);
  };
  end_children(watch.witness, why == Why::command_ended ? +tell : nullptr, &watch.channel);
  close(watch.to_witness);
  if (why == Why::supervisor_gone) end_children(0, nullptr, nullptr);  // nobody would answer its tick
  if (watch.witness) waitpid(watch.witness, nullptr, 0);
  _exit(0);
}

[[noreturn]] void watch_over(Watched watch, int signals) {
  pollfd fds[2] = {{signals, POLLIN, 0}, {watch.channel, POLLIN, 0}};
  for (;;) {
    poll(fds, 2, -1);
    if (fds[0].revents) {
      signalfd_siginfo got;
      if (read(signals, &got, sizeof got) == sizeof got && got.ssi_signo == SIGUSR1 && getppid() != watch.supervisor)
        close_down(watch, Why::supervisor_gone);
      reap(watch);
      if (!watch.command) {
        give_grace(watch, signals);
        close_down(watch, getppid() == watch.supervisor ? Why::command_ended : Why::supervisor_gone);
      }
    }
    if (fds[1].revents) {
      Message message;
      int none = -1;
      if (!receive_message(watch.channel, message, none)) close_down(watch, Why::supervisor_gone);
      if (message.kind == Message::end) close_down(watch, Why::supervisor_says);
      if (message.kind == Message::signal && watch.command) kill(watch.command, message.value);
    }
  }
}

[[noreturn]] void guard(const Launch& launch, pid_t supervisor, int channel, int start, const sigset_t& mask) {
  prctl(PR_SET_NAME, "retrial-guard");
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  // Comes when the thread that forked us ends; the parent's pid then says whether the process did.
  prctl(PR_SET_PDEATHSIG, SIGUSR1);
  if (getppid() != supervisor) _exit(126);
  const pid_t group = getpgrp();
  setpgid(0, 0);  // Ctrl-C and the killing of a group do not reach us
  // All signals are blocked already, and stay so: a stopped group that loses its last parent is sent SIGHUP by the
  // kernel.
  struct sigaction plain{};
  struct sigaction inherited{};
  sigaction(SIGCHLD, &plain, &inherited);
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGCHLD);
  sigaddset(&wanted, SIGUSR1);
  const int signals = signalfd(-1, &wanted, SFD_CLOEXEC);
  int pair[2];
  if (signals < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
    send_message(start, Message::refused, errno, "guard");
    _exit(126);
  }
  const pid_t self = getpid();
  const pid_t command = fork();
  if (command == 0) {
    sigaction(SIGCHLD, &inherited, nullptr);
    run_command(launch, {start, pair[1], self, group, mask});
  }
  if (command < 0) {
    send_message(start, Message::refused, errno, "fork");
    _exit(126);
  }
  close(start);
  close(pair[1]);
  // What we were forked with is open here too: an end of a pipe or a connection that we held would never be seen to
  // close.
  close_all_but({channel, signals, pair[0]});
  std::int32_t told = 0;
  const bool has_witness = read(pair[0], &told, sizeof told) == sizeof told;
  send_message(channel, Message::process, command);
  watch_over({channel, supervisor, command, has_witness ? told : 0, pair[0]}, signals);
}

Result<void> refusal(const Message& message, const Launch& launch) {
  const std::string_view step = message.text;
  const char* program = launch.argv.empty() ? "" : launch.argv[0];
  if (step == "exec" && message.value == ENOENT) return fail(std::string(kNotFound), program, Blame::user);
  if (step == "exec") return fail_errno("the command cannot be run", message.value, program, Blame::user);
  if (step == "chdir")
    return fail_errno("cannot change to this directory", message.value, launch.directory, Blame::user);
  if (step == "seccomp" && message.value == EBUSY)
    return fail("a Retrial inside a Retrial: another seccomp listener is above this process, and the kernel allows one",
                "seccomp", Blame::user);
  if (step == "seccomp")
    return fail_errno(
        "the kernel or the container refuses seccomp user notification (Linux 5.9 or later has it), and no other way "
        "of "
        "capture is here yet",
        message.value, "seccomp");
  return fail_errno("cannot start the command", message.value, message.text);
}
}  // namespace

Result<Guard> start_guard(const Launch& launch, const std::function<Result<void>(int, bool)>& have_listener) {
  int channel[2], start[2];
  if (!make_channel(channel)) return fail_errno("cannot make a channel to the guard", errno);
  if (!make_channel(start)) {
    const int error_number = errno;
    close(channel[0]), close(channel[1]);
    return fail_errno("cannot make a channel to the command", error_number);
  }
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  // No handler of ours may run in the guard, whose memory looks as if it were us.
  sigset_t all, mask;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &mask);
  const pid_t supervisor = getpid();
  const pid_t process = fork();
  if (process == 0) {
    close(channel[0]), close(start[0]);
    guard(launch, supervisor, channel[1], start[1], mask);
  }
  const int fork_error = errno;
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  close(channel[1]), close(start[1]);
  Guard made{process, 0, channel[0]};
  Result<void> well = process < 0 ? Result<void>(fail_errno("cannot fork", fork_error)) : Result<void>();
  bool filtered = false;
  Message message;
  // The end of `start` says that the program runs, or that its process is gone.
  for (int fd = -1; well && receive_message(start[0], message, fd);) {
    if (message.kind == Message::listener && fd >= 0) {
      filtered = true;
      well = have_listener(fd, message.value != 0);
    } else if (message.kind == Message::refused) {
      well = refusal(message, launch);
    }
  }
  close(start[0]);
  int none = -1;
  while (well && made.command == 0 && receive_message(channel[0], message, none))
    if (message.kind == Message::process) made.command = message.value;
  if (well && (filtered != launch.filtered || made.command == 0))
    well = fail("the guard of the command's processes ended before it could start");
  if (well) return made;
  close(channel[0]);  // the guard ends what there is
  if (process > 0)
    while (waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
    }
  return std::unexpected(well.error());
}

}  // namespace retrial::proxy::capture
