#include "client.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/io_uring.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <thread>

#include "harness.h"

namespace retrial::test {
using proxy::Address;
namespace {
constexpr const char* kMark = "RETRIAL_TEST_CLIENT";
using Arguments = std::vector<std::string>;

Address to(const std::string& host, const std::string& port) {
  const bool v6 = host.find(':') != host.npos;
  return *Address::parse((v6 ? "[" + host + "]" : host) + ":" + port);
}
const char* outcome(int result) { return result == 0 ? "ok" : strerrorname_np(errno); }
int open_socket(const Address& address, int flags = 0) {
  return socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
}
int connect_to(int fd, const Address& address) { return connect(fd, address.get(), address.size()); }
std::string peer_of(int fd) {
  Address peer;
  socklen_t size = sizeof peer.storage_;
  return getpeername(fd, peer.get(), &size) == 0 ? peer.show() : strerrorname_np(errno);
}
// "hello 127.0.0.1", the service's answer; or what went wrong.
std::string ask(int fd) {
  fcntl(fd, F_SETFL, 0);
  if (send(fd, "hi\n", 3, MSG_NOSIGNAL) != 3) return strerrorname_np(errno);
  std::string all;
  char buffer[256];
  ssize_t n;
  while ((n = recv(fd, buffer, sizeof buffer, 0)) > 0) all.append(buffer, static_cast<std::size_t>(n));
  if (n < 0) return strerrorname_np(errno);
  if (!all.empty() && all.back() == '\n') all.pop_back();
  return all;
}
bool answered(int fd) { return ask(fd).starts_with("hello "); }
void wait_writable(int fd) {
  pollfd ready{fd, POLLOUT, 0};
  while (poll(&ready, 1, 10'000) < 0 && errno == EINTR) {
  }
}
int pending_error(int fd) {
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
  return error;
}

// HOST PORT N: one after another, one address for all
int sequential(const Arguments& a) {
  const Address address = to(a[1], a[2]);
  int good = 0;
  for (int i = 0; i < std::stoi(a[3]); ++i) {
    const int fd = open_socket(address);
    good += connect_to(fd, address) == 0 && answered(fd);
    close(fd);
  }
  printf("%d answered\n", good);
  return 0;
}

// HOST PORT: non-blocking, with poll
int non_blocking(const Arguments& a) {
  const Address address = to(a[1], a[2]);
  const int fd = open_socket(address, SOCK_NONBLOCK);
  printf("connect %s\n", outcome(connect_to(fd, address)));
  wait_writable(fd);
  const int error = pending_error(fd);
  printf("SO_ERROR %s\n", error ? strerrorname_np(error) : "0");
  if (!error) printf("peer %s\nanswer %s\n", peer_of(fd).c_str(), ask(fd).c_str());
  return 0;
}

// HOST PORT [bind HOST] [v6only]: blocking, everything told
int blocking(const Arguments& a) {
  const Address address = to(a[1], a[2]);
  const int fd = open_socket(address), on = 1;
  for (std::size_t i = 3; i < a.size(); ++i) {
    if (a[i] == "v6only") setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    if (a[i] == "bind") {
      const Address from = to(a[++i], "0");
      printf("bind %s\n", outcome(bind(fd, from.get(), from.size())));
    }
  }
  printf("before %s\n", peer_of(fd).c_str());
  const int result = connect_to(fd, address);
  printf("connect %s\n", outcome(result));
  if (result == 0) printf("peer %s\nanswer %s\n", peer_of(fd).c_str(), ask(fd).c_str());
  return 0;
}

// HOST PORT THREADS: all at once, one address for all; told how many were answered, refused, or else
int parallel(const Arguments& a) {
  const Address address = to(a[1], a[2]);
  std::atomic<int> good{0}, other{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < std::stoi(a[3]); ++i)
    threads.emplace_back([&] {
      const int fd = open_socket(address);
      (connect_to(fd, address) == 0 && answered(fd) ? good : other)++;
      close(fd);
    });
  for (auto& thread : threads) thread.join();
  printf("%d answered, %d not\n", good.load(), other.load());
  return 0;
}

// HOST PORT: connect again on a connected socket, and after AF_UNSPEC
int again(const Arguments& a) {
  const Address address = to(a[1], a[2]);
  int fd = open_socket(address);
  printf("first %s\n", outcome(connect_to(fd, address)));
  printf("second %s\n", outcome(connect_to(fd, address)));
  printf("answer %s\n", ask(fd).c_str());
  fd = open_socket(address);
  printf("first %s\n", outcome(connect_to(fd, address)));
  const sockaddr none{};
  printf("unspec %s\n", outcome(connect(fd, &none, sizeof(sockaddr_in))));
  printf("peer %s\n", peer_of(fd).c_str());
  printf("again %s\n", outcome(connect_to(fd, address)));
  printf("answer %s\n", ask(fd).c_str());
  return 0;
}

// HOST PORT: what the kernel refuses by itself
int wrong(const Arguments& a) {
  const Address address = to(a[1], a[2]), six = to("::1", a[2]);
  int fd = open_socket(address);
  printf("short %s\n", outcome(connect(fd, address.get(), 4)));
  printf("pointer %s\n", outcome(connect(fd, reinterpret_cast<const sockaddr*>(8), sizeof(sockaddr_in))));
  printf("descriptor %s\n", outcome(connect_to(-1, address)));
  fd = open("/dev/null", O_RDONLY);
  printf("no socket %s\n", outcome(connect_to(fd, address)));
  printf("v4 socket %s\n", outcome(connect_to(open_socket(address), six)));
  printf("v6 socket %s\n", outcome(connect_to(open_socket(six), address)));
  return 0;
}

// AF_UNIX and UDP
int other_families(const Arguments&) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  snprintf(name.sun_path + 1, 90, "retrial-test-%d", getpid());
  const socklen_t size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + strlen(name.sun_path + 1));
  const auto* unix_address = reinterpret_cast<const sockaddr*>(&name);
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0), fd = socket(AF_UNIX, SOCK_STREAM, 0);
  if (bind(listener, unix_address, size) != 0 || listen(listener, 1) != 0) return 1;
  // As glibc does before it looks anybody up: no connection of the program's.
  sockaddr_un cache{AF_UNIX, "/var/run/nscd/socket"};
  if (int there = socket(AF_UNIX, SOCK_STREAM, 0); there >= 0) {
    (void)!connect(there, reinterpret_cast<const sockaddr*>(&cache), sizeof cache);
    close(there);
  }
  printf("unix %s\n", outcome(connect(fd, unix_address, size)));
  const int receiver = socket(AF_INET, SOCK_DGRAM, 0), sender = socket(AF_INET, SOCK_DGRAM, 0);
  Address address = to("127.0.0.1", "0");
  socklen_t length = address.size();
  if (bind(receiver, address.get(), length) != 0) return 1;
  getsockname(receiver, address.get(), &length);
  printf("udp %s\n", outcome(connect_to(sender, address)));
  printf("peer as it was given: %s\n", peer_of(sender) == address.show() ? "yes" : "no");
  char byte = 'x';
  printf("sent %zd\n", send(sender, &byte, 1, 0));
  printf("received %zd\n", recv(receiver, &byte, 1, 0));
  io_uring_params parameters{};
  const int ring = static_cast<int>(syscall(SYS_io_uring_setup, 4, &parameters));
  printf("io_uring %s\n", ring < 0 ? strerrorname_np(errno) : "ok");
  return 0;
}

struct Child {
  const Arguments* arguments;
};
int connect_in_child(void* context) {
  const auto& a = *static_cast<Child*>(context)->arguments;
  const Address address = to(a[1], a[2]);
  const int fd = open_socket(address);
  return connect_to(fd, address) == 0 && answered(fd) ? 0 : 1;
}
int status_of(pid_t child) {
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
// HOST PORT: by every kind of child
int children(const Arguments& a) {
  Child child{&a};
  pid_t pid = fork();
  if (pid == 0) _exit(connect_in_child(&child));
  printf("fork %d\n", status_of(pid));
  static char stack[256 * 1024];
  pid = clone(connect_in_child, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, &child);
  printf("vfork %d\n", status_of(pid));
  auto argv = client({"seq", a[1], a[2], "1"});
  std::vector<char*> pointers;
  for (auto& text : argv) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  fflush(stdout);
  if (posix_spawn(&pid, pointers[0], nullptr, nullptr, pointers.data(), environ) != 0) return 1;
  printf("posix_spawn %d\n", status_of(pid));
  return 0;
}

// PORT: an address in read-only memory, private and shared
int read_only(const Arguments& a) {
  const Address address = to("127.0.0.1", a[1]);
  for (const int sharing : {MAP_PRIVATE, MAP_SHARED}) {
    void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, sharing | MAP_ANONYMOUS, -1, 0);
    memcpy(page, address.get(), address.size());
    mprotect(page, 4096, PROT_READ);
    const int fd = open_socket(address);
    printf("connect %s\n", outcome(connect(fd, static_cast<sockaddr*>(page), address.size())));
    printf("answer %s\n", ask(fd).c_str());
  }
  return 0;
}

// PORT: a daemon that connects, and we end; "pid N" is told
int leave_daemon(const Arguments& a) {
  int ready[2];
  if (pipe(ready) != 0) return 1;
  if (fork() == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    const Address address = to("127.0.0.1", a[1]);
    const int fd = open_socket(address);
    const pid_t self = connect_to(fd, address) == 0 ? getpid() : 0;
    if (write(ready[1], &self, sizeof self) != sizeof self) _exit(1);
    for (int i = 0; i < 3; ++i) close(i);
    for (;;) pause();
  }
  wait(nullptr);
  pid_t pid = 0;
  if (read(ready[0], &pid, sizeof pid) != sizeof pid) return 1;
  printf("pid %d\n", pid);
  if (a.size() > 2) {  // and stay
    printf("pid %d\n", getpid());
    fflush(stdout);
    for (;;) pause();
  }
  return 0;
}

std::atomic<int> signals;
// PORT N: a signal every 100 us, handled without SA_RESTART; told how many connects were interrupted before they had
// begun
int interrupted(const Arguments& a) {
  struct sigaction action{};
  action.sa_handler = [](int) { signals++; };
  sigaction(SIGALRM, &action, nullptr);
  const itimerval often{{0, 100}, {0, 100}}, never{};
  setitimer(ITIMER_REAL, &often, nullptr);
  const Address address = to("127.0.0.1", a[1]);
  int lost = 0;
  for (int i = 0; i < std::stoi(a[2]); ++i) {
    const int fd = open_socket(address);
    if (connect_to(fd, address) != 0) {
      wait_writable(fd);
      char byte = 0;
      lost += send(fd, &byte, 1, MSG_NOSIGNAL) < 0;
    }
    close(fd);
  }
  setitimer(ITIMER_REAL, &never, nullptr);
  printf("%d\n", lost);
  return 0;
}

// HOST PORT: connects in a network of its own, where there is nothing
int elsewhere(const Arguments& a) {
  if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return printf("not allowed\n"), 0;
  const Address address = to(a[1], a[2]);
  printf("connect %s\n", outcome(connect_to(open_socket(address), address)));
  return 0;
}

// HOST PORT: begins, and does not wait; bound to the device lo, so that nothing leaves this host
int outside(const Arguments& a) {
  const Address address = to(a[1], a[2]);
  const int fd = open_socket(address, SOCK_NONBLOCK);
  if (setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "lo", 3) == 0) connect_to(fd, address);
  return 0;
}

int end_with(const Arguments& a) {
  if (a[1] == "status") return std::stoi(a[2]);
  raise(std::stoi(a[2]));
  return 0;
}

int wait_for_signal(const Arguments&) {
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGTERM);
  sigprocmask(SIG_BLOCK, &wanted, nullptr);
  const int signals_fd = signalfd(-1, &wanted, 0);
  signalfd_siginfo got;
  if (read(signals_fd, &got, sizeof got) != sizeof got) return 1;
  printf("got %u\n", got.ssi_signo);
  return 7;
}

int about(const Arguments&) {
  char directory[4096];
  printf("directory %s\n", getcwd(directory, sizeof directory));
  printf("ours %s\n", getenv("RETRIAL_TEST_VARIABLE") ? getenv("RETRIAL_TEST_VARIABLE") : "-");
  struct sigaction pipe_action, usr_action;
  sigaction(SIGPIPE, nullptr, &pipe_action);
  sigaction(SIGUSR2, nullptr, &usr_action);
  printf("SIGPIPE %s\n", pipe_action.sa_handler == SIG_DFL ? "default" : "not default");
  printf("SIGUSR2 %s\n", usr_action.sa_handler == SIG_IGN ? "ignored" : "not ignored");
  sigset_t mask;
  sigprocmask(SIG_BLOCK, nullptr, &mask);
  int blocked = 0, open_fds = 0;
  for (int i = 1; i < NSIG; ++i) blocked += sigismember(&mask, i) == 1;
  for (int fd = 3; fd < 1024; ++fd) open_fds += fcntl(fd, F_GETFD) >= 0;
  int waits = waitpid(-1, nullptr, WNOHANG);
  printf("blocked %d, open %d, children %s\n", blocked, open_fds, waits < 0 && errno == ECHILD ? "none" : "some");
  char line[64] = "";
  const ssize_t n = read(0, line, sizeof line);
  printf("read %.*s\n", static_cast<int>(n < 0 ? 0 : n), line);
  return 0;
}

// WAY ROLE...: supervises a tree itself
int supervise(const Arguments& a) {
  const auto way = a[1] == "getfd" ? proxy::Way::getfd : proxy::Way::rewrite;
  setvbuf(stdout, nullptr, _IONBF, 0);
  proxy::Loop loop;
  const SystemClock clock;
  struct Events final : proxy::TreeEvents {
    explicit Events(proxy::Loop& of) : loop(of) {}
    void connected(proxy::Captured c) override { kept.push_back(c); }
    void ended(int) override { loop.stop(); }
    proxy::Loop& loop;
    std::vector<proxy::Captured> kept;
  } events(loop);
  proxy::Command command;
  command.argv = client({a.begin() + 2, a.end()});
  command.environment = client_environment();
  auto tree = proxy::Tree::start(loop, clock, command, way, events);
  if (!tree) return printf("%s\n", tree.error().line().c_str()), 2;
  printf("pid %d\n", (*tree)->pid());
  loop.run();
  return 0;
}

// WAY ROLE...: the same, and relays; prints what the role printed and how many connects were seen
int captured(const Arguments& a) {
  const auto run =
      run_captured(a[1] == "getfd" ? proxy::Way::getfd : proxy::Way::rewrite, client({a.begin() + 2, a.end()}));
  printf("%s%sseen %d\n", run.error.c_str(), run.output.c_str(), static_cast<int>(run.counts.seen));
  return 0;
}

int choose(const Arguments&) {
  const auto way = proxy::choose_way();
  printf("%s\n", way ? std::string(show(*way)).c_str() : way.error().line().c_str());
  return 0;
}

// ROLE...: under a filter that refuses what Docker's default profile refuses without CAP_SYS_PTRACE
int as_in_docker(const Arguments& a) {
  const auto no = [](std::uint32_t call, std::uint32_t error) {
    return std::array<sock_filter, 2>{sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
                                      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error)};
  };
  std::vector<sock_filter> code{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const auto& pair :
       {no(SYS_pidfd_getfd, EPERM), no(SYS_kcmp, EPERM), no(SYS_process_madvise, EPERM), no(SYS_bpf, EPERM),
        no(SYS_perf_event_open, EPERM), no(SYS_open_by_handle_at, EPERM), no(SYS_mount, EPERM), no(SYS_umount2, EPERM),
        no(SYS_setns, EPERM), no(SYS_unshare, EPERM), no(SYS_fsopen, EPERM), no(SYS_syslog, EPERM),
        no(SYS_keyctl, EPERM), no(SYS_userfaultfd, EPERM), no(SYS_io_uring_setup, EPERM), no(SYS_clone3, ENOSYS)})
    code.insert(code.end(), pair.begin(), pair.end());
  code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) return 98;
  return run_role({a.begin() + 1, a.end()});
}

// ROLE...: under a filter that refuses any further one
int without_seccomp(const Arguments& a) {
  sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_seccomp, 0, 1),
                        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
                        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program{sizeof code / sizeof *code, code};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) return 98;
  return run_role({a.begin() + 1, a.end()});
}

// HOST PORT blocking|non-blocking N: one after another on sockets of their own, none answered for longer than 100 ms;
// the next connect of a socket after a refusal is told as well
int patient(const Arguments& a) {
  const Address address = to(a[1], a[2]);
  const bool waits = a[3] == "blocking";
  for (int i = 0; i < std::stoi(a[4]); ++i) {
    const int fd = open_socket(address, waits ? 0 : SOCK_NONBLOCK);
    const timeval limit{0, 100'000};
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    const int result = connect_to(fd, address);
    printf("connect %s", outcome(result));
    if (!waits) {
      pollfd ready{fd, POLLOUT, 0};
      printf(", %s", poll(&ready, 1, 100) ? "ready" : "silent");
      if (ready.revents) printf(", SO_ERROR %d", pending_error(fd));
    }
    printf(", peer %s", peer_of(fd).c_str());
    printf(", %s\n", peer_of(fd) == "ENOTCONN" ? "-" : ask(fd).c_str());
    close(fd);
  }
  return 0;
}

// HOST PORT: what a socket says that was refused, each time that it is asked to connect
int stubborn(const Arguments& a) {
  const Address address = to(a[1], a[2]);
  for (const int flags : {0, int{SOCK_NONBLOCK}}) {
    const int fd = open_socket(address, flags);
    for (int i = 0; i < 3; ++i) {
      printf("%s ", outcome(connect_to(fd, address)));
      wait_writable(fd);
    }
    printf("%s\n", ask(fd).c_str());
  }
  return 0;
}

// HOST PORT: threads share one address; told how many were answered, refused, or else
int mixed(const Arguments& a) {
  const Address address = to(a[1], a[2]);
  std::atomic<int> good{0}, refused{0}, other{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < std::stoi(a[3]); ++i)
    threads.emplace_back([&] {
      const int fd = open_socket(address);
      const int result = connect_to(fd, address);
      (result != 0 && errno == ECONNREFUSED ? refused : result == 0 && answered(fd) ? good : other)++;
      close(fd);
    });
  for (auto& thread : threads) thread.join();
  printf("%d answered, %d refused, %d not\n", good.load(), refused.load(), other.load());
  return 0;
}

using Role = int (*)(const Arguments&);
const std::map<std::string, Role>& roles() {
  static const std::map<std::string, Role> all{
      {"seq", sequential},      {"nb", non_blocking},         {"blocking", blocking},   {"parallel", parallel},
      {"patient", patient},     {"stubborn", stubborn},       {"mixed", mixed},         {"again", again},
      {"wrong", wrong},         {"other", other_families},    {"children", children},   {"read-only", read_only},
      {"daemon", leave_daemon}, {"interrupted", interrupted}, {"elsewhere", elsewhere}, {"end", end_with},
      {"outside", outside},     {"wait", wait_for_signal},    {"about", about},         {"supervise", supervise},
      {"choose", choose},       {"captured", captured},       {"docker", as_in_docker}, {"no-seccomp", without_seccomp},
  };
  return all;
}

// Before main, which is GoogleTest's.
__attribute__((constructor)) void be_a_client() {
  if (!getenv(kMark)) return;
  Arguments arguments;
  {
    std::ifstream file("/proc/self/cmdline");
    for (std::string argument; std::getline(file, argument, '\0');) arguments.push_back(argument);
  }
  arguments.erase(arguments.begin());
  const int status = run_role(arguments);
  fflush(stdout);
  _exit(status);
}
}  // namespace

std::vector<std::string> client(std::vector<std::string> role) {
  role.insert(role.begin(), "/proc/self/exe");
  return role;
}
std::vector<std::string> client_environment() {
  std::vector<std::string> all{std::string(kMark) + "=1", "RETRIAL_TEST_VARIABLE=set"};
  for (char** at = environ; *at; ++at)
    if (!std::string_view(*at).starts_with(kMark) && !std::string_view(*at).starts_with("RETRIAL_TEST_VARIABLE"))
      all.push_back(*at);
  return all;
}
int run_role(const std::vector<std::string>& arguments) {
  const auto role = arguments.empty() ? roles().end() : roles().find(arguments[0]);
  return role == roles().end() ? 99 : role->second(arguments);
}

}  // namespace retrial::test
