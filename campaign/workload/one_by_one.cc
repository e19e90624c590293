#include "campaign/workload/one_by_one.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/result.h"
#include "base/text.h"
#include "campaign/workload/adapters/adapter.h"
#include "campaign/workload/adapters/executable.h"
#include "campaign/workload/shell_script.h"

namespace retrial::campaign {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;
constexpr std::size_t kMostText = 4000;     // of what a failed test had to say, its end
constexpr std::size_t kMostKept = 1 << 16;  // of its output, while it runs
constexpr std::size_t kMostListed = 64u << 20;

struct Test {
  std::string id;
  Words argv;
  bool told_within = false;  // a hook within it tells of tests of its own, whose ids begin with `id`
};

struct Ran {
  int status = 0;  // as the shell has it
  std::string text;
};

// What it leaves in the background may keep the pipe open, and write to it, when it has ended.
void take_output(int from, int process, const std::function<void(std::string_view)>& taken) {
  char some[16384];
  std::size_t left = kMostKept;  // once it has ended: what a pipe holds
  for (bool ended = false; left > 0;) {
    pollfd both[] = {{from, POLLIN, 0}, {process, POLLIN, 0}};
    if (poll(both, ended ? 1 : 2, ended ? 0 : -1) < 0 && errno == EINTR) continue;
    if (both[0].revents != 0) {
      auto n = read(from, some, sizeof some);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return;
      auto size = static_cast<std::size_t>(n);
      taken({some, size});
      if (ended) left -= std::min(left, size);
    } else if (ended) {
      return;
    } else {
      ended = both[1].revents != 0;
    }
  }
}

// `taken` is handed all that it writes to its output and, if asked for, its errors. It is a process group of its own:
// what a script sends to its group (`kill 0`) is not for us.
int run(const Words& argv, bool errors, const std::function<void(std::string_view)>& taken) {
  int pipe[2];
  if (pipe2(pipe, O_CLOEXEC) != 0) return 126;
  auto pid = fork();
  if (pid == 0) {
    setpgid(0, 0);
    dup2(pipe[1], 1);
    if (errors) dup2(pipe[1], 2);
    std::vector<char*> words;
    for (auto& word : argv) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    execvp(words[0], words.data());
    _exit(errno == ENOENT ? 127 : 126);
  }
  close(pipe[1]);
  if (pid > 0) {
    auto process = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
    take_output(pipe[0], process, taken);
    if (process >= 0) close(process);
  }
  close(pipe[0]);
  int status = 0;
  while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (pid < 0) return 126;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

Ran run_and_pass_on(const Words& argv) {
  Ran ran;
  ran.status = run(argv, true, [&](std::string_view some) {
    for (auto left = some; !left.empty();) {
      auto n = write(1, left.data(), left.size());
      if (n < 0 && errno != EINTR) break;
      left.remove_prefix(n > 0 ? static_cast<std::size_t>(n) : 0);
    }
    ran.text += some;
    if (ran.text.size() > kMostKept) ran.text.erase(0, ran.text.size() - kMostKept);
  });
  return ran;
}

std::optional<std::string> output_of(const Words& argv) {
  std::string text;
  auto status = run(argv, false, [&](std::string_view some) {
    if (text.size() < kMostListed) text += some;
  });
  if (status >= 126) return {};
  return text;
}

Words with(Words argv, std::initializer_list<std::string> more) {
  argv.insert(argv.end(), more.begin(), more.end());
  return argv;
}

std::string in_one_line(std::string name) {
  std::ranges::replace(name, '\n', ' ');
  return name;
}

// What the tests of a CTest are, it tells as JSON (cmake-file-api's form). One that is a program of GoogleTest's tells
// of more itself.
Result<std::vector<Test>> ctest_tests(const Words& argv) {
  auto said = output_of(with(argv, {"--show-only=json-v1"}));
  auto listed = Json::parse(said.value_or(""), nullptr, false);
  if (!listed.is_object() || !listed.contains("tests"))
    return fail("does not list its tests (--show-only=json-v1): CMake 3.14 or later, in a folder that was built",
                argv.front(), Blame::user);
  std::vector<Test> tests;
  for (auto& one : listed["tests"]) {
    auto name = one.value("name", "");
    if (name.empty() || !one.contains("command")) continue;  // not built
    auto command = one["command"].get<Words>();
    Test test{in_one_line(name), with(argv, {"-R", exactly(kCtest, name), "--output-on-failure"})};
    if (getenv("RETRIAL_NO_TIME_LIMIT")) test.argv = with(test.argv, {"--timeout", "100000000"});
    test.told_within = is_program_with(command, {"gtest_list_tests", "_ZN7testing14InitGoogleTest"});
    if (test.told_within) test.id = std::string(program_name(command[program_at(command)])) + " > ";
    tests.push_back(std::move(test));
  }
  return tests;
}

// Version 2 has an option of its own for names alone.
Result<std::vector<Test>> catch2_tests(const Words& argv) {
  auto said = output_of(with(argv, {"--list-test-names-only"}));
  if (!said || said->empty() || said->contains("list-test-names-only"))
    said = output_of(with(argv, {"--list-tests", "--verbosity", "quiet"}));
  if (!said) return fail("does not list its tests", argv.front(), Blame::user);
  std::vector<Test> tests;
  auto program = std::string(program_name(argv[program_at(argv)]));
  for (auto line : split(*said, '\n')) {
    std::string name(trim(line));
    if (name.size() > 1 && name.front() == '"' && name.back() == '"') name = name.substr(1, name.size() - 2);
    if (!name.empty()) tests.push_back({program + " > " + name, with(argv, {exactly(kCatch2, name)})});
  }
  return tests;
}

void tell(Json event) {
  auto* file = getenv("RETRIAL_EVENTS");
  if (!file) return;
  event["pid"] = getpid();
  auto line = event.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  int fd = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) return;
  [[maybe_unused]] auto n = write(fd, line.data(), line.size());
  close(fd);
}

long now() {
  auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(since).count();
}

// An exception of the program's is what the test was told; of all else nothing is known but that it failed.
Json chain_of(const Ran& ran) {
  auto text = ran.text.size() > kMostText ? ran.text.substr(ran.text.size() - kMostText) : ran.text;
  if (ran.status > 128) text += fmt::format("\nended by signal {}", ran.status - 128);
  bool thrown =
      ran.text.contains("due to unexpected exception") || ran.text.contains("terminate called after throwing");
  return Json::array(
      {{{"type", thrown ? "C++ exception" : "Failed"}, {"msg", text}, {"link", "raised"}, {"in_test", !thrown}}});
}

int run_and_tell(const Test& test) {
  tell({{"ev", "start"}, {"id", test.id}, {"phase", "test"}, {"at", now()}});
  auto begun = now();
  auto ran = run_and_pass_on(test.argv);
  tell({{"ev", "end"}, {"id", test.id}, {"phase", "test"}, {"at", now()}});
  auto outcome = ran.status ? "failed" : ran.text.contains("***Skipped") ? "skipped" : "passed";
  tell({{"ev", "result"},
        {"id", test.id},
        {"phase", "test"},
        {"outcome", outcome},
        {"ms", now() - begun},
        {"chain", ran.status ? chain_of(ran) : Json::array()}});
  return ran.status;
}

// The ids that are asked for; none: all.
std::optional<std::set<std::string>> asked_for() {
  auto* file = getenv("RETRIAL_ONLY");
  if (!file) return {};
  std::set<std::string> ids;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) ids.insert(line);
  return ids;
}

bool is_wanted(const Test& test, const std::optional<std::set<std::string>>& ids) {
  if (!ids || (!test.told_within && ids->contains(test.id))) return true;
  return test.told_within && std::ranges::any_of(*ids, [&](auto& id) { return id.starts_with(test.id); });
}

// Its shell tells when a command begins and ends, and how (shell_script.h). One that the script ended in is told here,
// and what came of each; of one in which a runner told of its own tests, nothing did.
int run_script(const Words& argv) {
  auto script = shell_script(argv);
  auto* file = getenv("RETRIAL_EVENTS");
  if (!script || !file) return run_and_pass_on(argv).status;
  tell({{"ev", "agent"}, {"language", "native"}, {"runner", kScript}});
  std::ifstream before(file, std::ios::ate | std::ios::binary);
  auto from = before.tellg();
  auto status = run_and_pass_on(telling(*script)).status;

  std::ifstream events(file, std::ios::binary);
  events.seekg(from);
  struct Came {
    double ms = 0;
    int status = 0;
  };
  std::vector<std::pair<std::string, Came>> all;
  std::optional<std::pair<std::string, double>> open;
  bool told_within = false;
  auto over = [&](double at, int with) {
    if (!told_within) all.push_back({open->first, {at - open->second, with}});
    open.reset();
  };
  for (std::string line; std::getline(events, line);) {
    auto event = Json::parse(line, nullptr, false);
    if (!event.is_object()) continue;
    auto kind = event.value("ev", "");
    if (event.contains("runner")) told_within = true;
    if (!event.contains("status")) continue;
    auto at = event.value("at", 0.0);
    if (kind == "start") open = {event.value("id", ""), at}, told_within = false;
    if (kind == "end" && open) over(at, event.value("status", 0));
  }
  if (open) {
    std::ifstream up("/proc/uptime");
    double seconds = 0;
    up >> seconds;
    tell({{"ev", "end"}, {"id", open->first}, {"phase", "test"}, {"at", seconds * 1000}});
    over(seconds * 1000, status);
  }
  for (auto& [id, came] : all)
    tell({{"ev", "result"},
          {"id", id},
          {"phase", "test"},
          {"outcome", came.status ? "failed" : "passed"},
          {"ms", came.ms},
          {"chain", Json::array()}});
  return status;
}

}  // namespace

std::string exactly(std::string_view runner, std::string_view name) {
  bool regex = runner == kCtest;
  std::string out = regex ? "^" : "";
  for (char c : name) {
    if (std::string_view(regex ? "\\^$.*+?()[]|" : "\\,[]\"").contains(c)) out += '\\';
    out += c;
  }
  return regex ? out + "$" : out;
}

std::vector<std::string> one_by_one(std::string_view runner, const std::vector<std::string>& argv) {
  std::vector<std::string> around{"/proc/self/exe", "each", "--of", std::string(runner), "--"};
  char self[4096];
  if (auto n = readlink(around[0].c_str(), self, sizeof self); n > 0)
    around[0].assign(self, static_cast<std::size_t>(n));
  around.insert(around.end(), argv.begin(), argv.end());
  return around;
}

int run_one_by_one(std::string_view runner, const std::vector<std::string>& argv) {
  if (runner == kScript) return run_script(argv);
  auto tests = runner == kCtest ? ctest_tests(argv) : catch2_tests(argv);
  if (!tests) {
    fmt::print(stderr, "retrial: {}\n", tests.error().line());
    return 2;
  }
  auto ids = asked_for();
  int status = 0;
  bool announced = false;
  for (auto& test : *tests) {
    if (!is_wanted(test, ids)) continue;
    if (!test.told_within && !std::exchange(announced, true))
      tell({{"ev", "agent"}, {"language", "native"}, {"runner", runner}});
    status = std::max(status, test.told_within ? run_and_pass_on(test.argv).status : run_and_tell(test));
  }
  return status;
}

}  // namespace retrial::campaign
