#include "campaign/workload/services.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <regex>
#include <sstream>

#include "base/descriptor_limit.h"
#include "base/private_files.h"
#include "base/text.h"
#include "proxy/net/address.h"
#include "trace/recording/redact.h"

namespace retrial::campaign {
namespace {

constexpr int kReadyTries = 3000;  // of 20 ms

// `sh -c command` in a process group of its own that dies with us. Output to `log`.
pid_t spawn(const std::string& command, const std::filesystem::path& log) {
  auto parent = getpid();
  auto pid = fork();
  if (pid != 0) return pid;
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(1);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  int in = open("/dev/null", O_RDONLY), out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  dup2(in, 0);
  dup2(out, 1);
  dup2(out, 2);
  close_range(3, ~0u, 0);
  restore_descriptor_limit();
  restore_umask();
  execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
  _exit(127);
}

void wait_a_little() { poll(nullptr, 0, 20); }

int connect_to(const std::string& address) {
  auto at = proxy::Address::parse(address);
  if (!at) return -1;
  int s = socket(at->family(), SOCK_STREAM | SOCK_CLOEXEC, 0);
  timeval limit{2, 0};
  setsockopt(s, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  if (connect(s, at->get(), at->size()) == 0) return s;
  close(s);
  return -1;
}

bool accepts(const std::string& address) {
  int s = connect_to(address);
  if (s >= 0) close(s);
  return s >= 0;
}

bool answers_2xx(const std::string& address, const std::string& path) {
  int s = connect_to(address);
  if (s < 0) return false;
  auto request = fmt::format("GET {} HTTP/1.0\r\nHost: {}\r\n\r\n", path, address);
  char head[16] = {};
  bool ok = write(s, request.data(), request.size()) == static_cast<ssize_t>(request.size()) &&
            read(s, head, sizeof head - 1) >= 12 && head[9] == '2';
  close(s);
  return ok;
}

std::string whole(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string last_line(const std::filesystem::path& file) {
  auto text = whole(file);
  auto end = trim(text);
  auto at = end.rfind('\n');
  return trace::redacted(at == end.npos ? end : end.substr(at + 1));
}

}  // namespace

Services::Services(const std::vector<Service>& services, std::filesystem::path logs) : logs_(std::move(logs)) {
  for (auto& s : services) running_.push_back({&s});
}

Services::~Services() {
  for (auto& one : running_) stop_one(one);
}

std::filesystem::path Services::log_of(const Service& service) const {
  return logs_ / ("service-" + service.name + ".log");
}

Result<void> Services::start() {
  for (auto& one : running_) {
    if (!one.service->start) continue;
    if (!one.service->address.empty() && accepts(one.service->address)) {
      remarks_.push_back(
          fmt::format("[service.{}] {} answers already: it is used as it stands, and not started or reset by us",
                      one.service->name, one.service->address));
      continue;
    }
    if (auto ok = start_one(one); !ok) return ok;
  }
  return {};
}

Result<void> Services::start_one(Running& one) {
  one.pid = spawn(*one.service->start, log_of(*one.service));
  if (one.pid < 0) return fail_errno("cannot be started", errno, "[service." + one.service->name + "]");
  return wait_ready(one);
}

Result<void> Services::wait_ready(Running& one) {
  auto& s = *one.service;
  for (int i = 0; i < kReadyTries; i++) {
    bool ready = true;
    switch (s.ready.kind) {
      case Ready::Kind::at_once:
        break;
      case Ready::Kind::tcp:
        ready = accepts(s.address);
        break;
      case Ready::Kind::http:
        ready = answers_2xx(s.address, s.ready.text);
        break;
      case Ready::Kind::log:
        ready = std::regex_search(whole(log_of(s)), std::regex(s.ready.text));
        break;
      case Ready::Kind::command: {
        int status = -1;
        waitpid(spawn(s.ready.text, log_of(s)), &status, 0);
        ready = status == 0;
        break;
      }
    }
    if (ready) return {};
    int status = 0;
    if (one.pid > 0 && waitpid(one.pid, &status, WNOHANG) == one.pid) {
      one.pid = -1;
      return fail(fmt::format("`{}` ended before it was ready: {}", trace::redacted(*s.start), last_line(log_of(s))),
                  "[service." + s.name + "]", Blame::user);
    }
    wait_a_little();
  }
  return fail(fmt::format("was not ready after 60 s; its log ends: {}", last_line(log_of(s))),
              "[service." + s.name + "]", Blame::user);
}

void Services::stop_one(Running& one) {
  if (one.pid <= 0) return;
  kill(-one.pid, SIGTERM);
  int status;
  for (int i = 0; i < 250 && waitpid(one.pid, &status, WNOHANG) == 0; i++) wait_a_little();
  kill(-one.pid, SIGKILL);
  waitpid(one.pid, &status, 0);
  one.pid = -1;
}

bool Services::can_reset() const {
  for (auto& one : running_)
    if (one.service->reset.kind == Reset::Kind::command ||
        (one.service->reset.kind == Reset::Kind::restart && one.pid > 0))
      return true;
  return false;
}

Result<void> Services::reset() {
  for (auto& one : running_) {
    auto& s = *one.service;
    if (s.reset.kind == Reset::Kind::restart && one.pid > 0) {
      stop_one(one);
      if (auto ok = start_one(one); !ok) return ok;
    } else if (s.reset.kind == Reset::Kind::command) {
      int status = -1;
      waitpid(spawn(s.reset.command, log_of(s)), &status, 0);
      if (status != 0)
        return fail(fmt::format("reset `{}` failed: {}", trace::redacted(s.reset.command), last_line(log_of(s))),
                    "[service." + s.name + "]", Blame::user);
    }
  }
  return {};
}

}  // namespace retrial::campaign
