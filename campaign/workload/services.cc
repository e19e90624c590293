#include "campaign/workload/services.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <regex>
#include <sstream>
#include <utility>

#include "base/clock.h"
#include "base/descriptor_limit.h"
#include "base/private_files.h"
#include "base/text.h"
#include "campaign/workload/data_folder.h"
#include "campaign/workload/listeners.h"
#include "campaign/workload/open_files.h"
#include "proxy/net/address.h"
#include "trace/recording/redact.h"

namespace retrial::campaign {
namespace {

constexpr Nanos kReadyWithin = 60 * kSecond, kStopWithin = 5 * kSecond;

constexpr Nanos kResetPatience = 300 * kSecond;

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
  if (in < 0 || out < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0) _exit(126);
  close_range(3, ~0u, 0);
  restore_descriptor_limit();
  restore_umask();
  execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
  _exit(127);
}

// Looks again and again, ever more seldom, until it holds or the time is over.
bool holds_within(Nanos time, const std::function<bool()>& it) {
  SystemClock clock;
  auto until = clock.now() + time;
  for (int wait = 1; !it(); wait = std::min(20, 2 * wait)) {  // ms
    if (clock.now() >= until) return false;
    poll(nullptr, 0, wait);
  }
  return true;
}

int connect_to(const std::string& address) {
  auto at = proxy::Address::parse(address);
  if (!at) return -1;
  int s = socket(at->family(), SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (s < 0) return -1;
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

std::string whole(const std::filesystem::path& file, std::uintmax_t from = 0) {
  std::ifstream in(file);
  in.seekg(static_cast<std::streamoff>(from));
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
// ": what it said last"; empty where it said nothing.
std::string said_last(const std::filesystem::path& file) {
  auto line = last_line(file);
  return line.empty() ? line : ": " + line;
}

}  // namespace

Services::Services(const std::vector<Service>& services, std::filesystem::path logs, int slot)
    : logs_(std::move(logs)), slot_(slot) {
  for (auto& s : services) running_.push_back({&s});
}

Services::~Services() { (void)end(); }

Result<void> Services::end() {
  Result<void> well;
  for (auto& one : running_) stop_one(one);
  for (auto& one : running_) {
    auto& s = *one.service;
    if (!std::exchange(one.kept, false)) continue;
    std::error_code left;
    if (slot_)
      std::filesystem::remove_all(copy_for(s, slot_), left);
    else if (auto back = put_back(s.data, copy_for(s, 0)); !back)
      well = back;
  }
  return well;
}

std::filesystem::path Services::log_of(const Service& service) const {
  return logs_ / (slot_ ? fmt::format("service-{}-{}.log", service.name, slot_) : "service-" + service.name + ".log");
}

std::filesystem::path Services::copy_for(const Service& service, int slot) const {
  return logs_.parent_path() / "data" / (slot ? fmt::format("{}-{}", service.name, slot) : service.name);
}

// Apart, the service works on a copy that stands at its folder's place.
Result<void> Services::keep_data(Running& one) {
  auto& s = *one.service;
  if (s.data.empty()) return {};
  auto ok = check_data_folder(s.data, logs_);
  if (ok) ok = copy_folder(slot_ ? copy_for(s, 0) : s.data, copy_for(s, slot_));
  if (ok && slot_) ok = mount_over(s.data, copy_for(s, slot_));
  if (!ok) return fail(ok.error().line(), "[service." + s.name + "] data", ok.error().blame);
  one.kept = true;
  return {};
}

Result<void> Services::prepare() {
  if (!std::exchange(started_, true))
    if (auto ok = start(); !ok) return ok;
  return reset();
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
    if (auto ok = keep_data(one); !ok) return ok;
    if (auto ok = start_one(one); !ok) return ok;
  }
  return {};
}

Result<void> Services::start_one(Running& one) {
  std::error_code none;
  auto size = std::filesystem::file_size(log_of(*one.service), none);
  one.log_from = none ? 0 : size;
  one.pid = spawn(*one.service->start, log_of(*one.service));
  if (one.pid < 0) return fail_errno("cannot be started", errno, "[service." + one.service->name + "]");
  one.fresh = true;
  return wait_ready(one);
}

Result<void> Services::wait_ready(Running& one) {
  auto& s = *one.service;
  bool gone = false;
  auto ready = [&] {
    switch (s.ready.kind) {
      case Ready::Kind::at_once:
        break;
      case Ready::Kind::tcp:
        return accepts(s.address);
      case Ready::Kind::http:
        return answers_2xx(s.address, s.ready.text);
      case Ready::Kind::log:
        return std::regex_search(whole(log_of(s), one.log_from), std::regex(s.ready.text));
      case Ready::Kind::command: {
        int status = -1;
        waitpid(spawn(s.ready.text, log_of(s)), &status, 0);
        return status == 0;
      }
    }
    return true;
  };
  if (holds_within(kReadyWithin, [&] { return ready() || (gone = waitpid(one.pid, nullptr, WNOHANG) == one.pid); })) {
    if (!gone) return {};
    one.pid = -1;
    return fail(fmt::format("`{}` ended before it was ready{}", trace::redacted(*s.start), said_last(log_of(s))),
                "[service." + s.name + "]", Blame::user);
  }
  return fail(fmt::format("was not ready after 60 s; its log ends: {}", last_line(log_of(s))),
              "[service." + s.name + "]", Blame::user);
}

void Services::stop_one(Running& one) {
  if (one.pid <= 0) return;
  auto all_ended = [&] {
    pid_t ended;
    while ((ended = waitpid(-one.pid, nullptr, WNOHANG)) > 0) {
    }
    return ended < 0;
  };
  kill(-one.pid, SIGTERM);
  if (!holds_within(kStopWithin, all_ended)) {
    kill(-one.pid, SIGKILL);
    holds_within(kStopWithin, all_ended);
  }
  one.pid = -1;
}

// How it has ended by itself; empty: it has not. A command that has left a daemon behind, which answers, has not.
std::string Services::ended(const Running& one) {
  siginfo_t about{};
  if (one.pid <= 0 || waitid(P_PID, static_cast<id_t>(one.pid), &about, WEXITED | WNOHANG | WNOWAIT) != 0 ||
      about.si_pid != one.pid || (!one.service->address.empty() && accepts(one.service->address)))
    return {};
  return fmt::format("{} {}", about.si_code == CLD_EXITED ? "with status" : "by signal", about.si_status);
}

std::vector<std::string> Services::lost() {
  std::vector<std::string> lines;
  for (auto& one : running_)
    if (auto how = ended(one); !how.empty()) {
      auto last = last_line(log_of(*one.service));
      lines.push_back(fmt::format("[service.{}] ended {} during a run{}{}", one.service->name, how,
                                  last.empty() ? "" : "; its log ends: ", last));
    }
  return lines;
}

std::vector<std::string> Services::written(const std::vector<std::string>& apart) {
  std::vector<std::string> found;
  for (auto& one : running_) {
    if (one.pid <= 0) continue;
    auto own =
        one.service->data.empty() ? "" : std::filesystem::absolute(one.service->data).lexically_normal().string() + "/";
    for (auto& file : files_written_by(one.pid))
      if ((own.empty() || !file.starts_with(own)) &&
          std::ranges::none_of(apart, [&](auto& folder) { return lies_in(file, folder); }))
        found.push_back(fmt::format("[service.{}] {}", one.service->name, file));
  }
  return found;
}

std::vector<std::string> Services::strangers(const std::vector<std::string>& addresses) {
  std::vector<std::string> found;
  for (auto& address : addresses)
    if (auto at = proxy::Address::parse(address); at && accepts(address) && !listens_below(getpid(), at->port()))
      found.push_back(address);
  return found;
}

Result<void> Services::run_reset(const Service& s) const {
  auto on = "[service." + s.name + "]";
  auto command = trace::redacted(s.reset.command);
  auto pid = spawn(s.reset.command, log_of(s));
  if (pid < 0) return fail_errno(fmt::format("reset `{}` cannot be started", command), errno, on);
  int status = -1;
  bool left = false;
  bool over = holds_within(kResetPatience, [&] {
    left = abandoned_ && abandoned_();
    return left || waitpid(pid, &status, WNOHANG) == pid;
  });
  if (!over || left) {
    kill(-pid, SIGKILL);
    waitpid(pid, &status, 0);
    return fail(fmt::format("reset `{}` did not end within {}", command, show_duration(kResetPatience)), on,
                Blame::user);
  }
  if (status == 0) return {};
  return fail(fmt::format("reset `{}` ended with status {}{}", command,
                          WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), said_last(log_of(s))),
              on, Blame::user);
}

Result<void> Services::reset() {
  for (auto& one : running_) {
    auto& s = *one.service;
    bool spent = one.pid > 0 && !one.fresh && s.reset.kind == Reset::Kind::restart;
    if (spent || !ended(one).empty()) {
      stop_one(one);
      if (auto ok = spent && one.kept ? put_back(s.data, copy_for(s, 0)) : Result<void>(); !ok)
        return fail(ok.error().line(), "[service." + s.name + "] data", ok.error().blame);
      if (auto ok = start_one(one); !ok) return ok;
    }
    one.fresh = false;
    if (s.reset.kind == Reset::Kind::command)
      if (auto ok = run_reset(s); !ok) return ok;
  }
  return {};
}

}  // namespace retrial::campaign
