#include "campaign/workload/look.h"

#include <fmt/format.h>
#include <netdb.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <optional>

#include "campaign/workload/restart.h"
#include "trace/look.h"

namespace retrial::campaign {
namespace {

constexpr std::string_view kScheme = "http://";
constexpr timeval kLookPatience{10, 0};
constexpr std::size_t kMostAnswer = 1u << 20;  // an answer that is longer is left unread

volatile pid_t child = 0;
void pass_on(int number, siginfo_t* info, void*) {
  bool by_terminal = info->si_code == SI_KERNEL;  // it tells both
  if (child > 0 && !by_terminal) kill(child, number);
}

struct Url {
  std::string host, port, path;
};
std::optional<Url> parse(std::string_view url) {
  if (!url.starts_with(kScheme)) return {};
  url.remove_prefix(kScheme.size());
  auto slash = url.find('/');
  auto authority = url.substr(0, slash);
  auto colon = authority.rfind(':');
  if (colon == authority.npos || colon == 0 || colon + 1 == authority.size()) return {};
  Url parsed{std::string(authority.substr(0, colon)), std::string(authority.substr(colon + 1)),
             slash == url.npos ? "/" : std::string(url.substr(slash))};
  if (parsed.port.find_first_not_of("0123456789") != std::string::npos) return {};
  if (parsed.path.find_first_of(" \t\r\n") != std::string::npos) return {};
  if (parsed.host.starts_with('[') && parsed.host.ends_with(']'))
    parsed.host = parsed.host.substr(1, parsed.host.size() - 2);
  return parsed;
}

std::string encoded(std::string_view text) {
  std::string out;
  for (unsigned char c : text) {
    if (c > ' ' && c < 0x7f && c != '%')
      out += static_cast<char>(c);
    else
      out += fmt::format("%{:02X}", c);
  }
  return out;
}

int connected(const Url& url) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  if (getaddrinfo(url.host.c_str(), url.port.c_str(), &hints, &found) != 0) return -1;
  int fd = -1;
  for (auto* at = found; at && fd < 0; at = at->ai_next) {
    fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) continue;
    for (int option : {SO_RCVTIMEO, SO_SNDTIMEO})
      setsockopt(fd, SOL_SOCKET, option, &kLookPatience, sizeof kLookPatience);
    if (connect(fd, at->ai_addr, at->ai_addrlen) == 0) break;
    close(fd);
    fd = -1;
  }
  freeaddrinfo(found);
  return fd;
}

void ask(const Url& url, const std::string& test) {
  int fd = connected(url);
  if (fd < 0) {
    fmt::print(stderr, "retrial: --look: nobody answers at {}:{}, so nothing is known of {}\n", url.host, url.port,
               url.path);
    return;
  }
  auto request = fmt::format(
      "GET {} HTTP/1.1\r\nhost: {}:{}\r\naccept: */*\r\nx-retrial-site: {}:1:{}\r\n{}connection: close\r\n\r\n",
      url.path, url.host, url.port, trace::kLookSite, trace::kLookSite,
      test.empty() ? "" : fmt::format("x-retrial-test: {}\r\n", encoded(test)));
  char buffer[16384];
  std::size_t got = 0;
  if (send(fd, request.data(), request.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(request.size()))
    for (ssize_t n; got < kMostAnswer && (n = recv(fd, buffer, sizeof buffer, 0)) > 0;)
      got += static_cast<std::size_t>(n);
  close(fd);
}

[[noreturn]] void execute(const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (auto& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  int why = errno;
  fmt::print(stderr, "retrial: {}: the command cannot be run: {}\n", command[0], std::strerror(why));
  std::fflush(stderr);
  _exit(why == ENOENT ? 127 : 126);
}

}  // namespace

Result<void> check_look(const std::string& url) {
  if (parse(url)) return {};
  return fail(fmt::format("expected a URL with a port, such as http://127.0.0.1:8080/orders, got \"{}\"", url), {},
              Blame::user);
}

std::vector<std::string> around(std::vector<std::string> argv, const Looking& looking) {
  std::vector<std::string> all{"/proc/self/exe", "look"};
  char self[4096];
  if (auto n = readlink(all[0].c_str(), self, sizeof self); n > 0) all[0].assign(self, static_cast<std::size_t>(n));
  for (auto& url : looking.urls) all.insert(all.end(), {"--url", url});
  if (!looking.test.empty()) all.insert(all.end(), {"--test", looking.test});
  if (!looking.orders.empty()) all.insert(all.end(), {"--orders", looking.orders});
  if (!looking.memory.empty()) all.insert(all.end(), {"--memory", looking.memory});
  all.push_back("--");
  all.insert(all.end(), argv.begin(), argv.end());
  return all;
}

int look_after(const std::vector<std::string>& command, const Looking& looking) {
  std::fflush(nullptr);
  child = fork();
  if (child < 0) return 126;
  if (child == 0) execute(command);
  struct sigaction passing{};
  passing.sa_sigaction = pass_on;
  passing.sa_flags = SA_SIGINFO | SA_RESTART;
  for (int number : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2}) sigaction(number, &passing, nullptr);
  int status = wait_for(child, looking.orders);
  child = 0;
  if (!looking.memory.empty()) {
    rusage used{};
    getrusage(RUSAGE_CHILDREN, &used);
    std::ofstream(looking.memory) << used.ru_maxrss * 1024;
  }
  for (auto& url : looking.urls)
    if (auto parsed = parse(url)) ask(*parsed, looking.test);
  if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
  signal(WTERMSIG(status), SIG_DFL);
  kill(getpid(), WTERMSIG(status));
  return 128 + WTERMSIG(status);
}

}  // namespace retrial::campaign
