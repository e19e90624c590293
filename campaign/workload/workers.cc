#include "campaign/workload/workers.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <vector>

namespace retrial::campaign {
namespace {

using Json = nlohmann::json;

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t came = 0;
void note(int number) { came = number; }

sigset_t those_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (int number : kSignals) sigaddset(&set, number);
  return set;
}

// What a worker says on its pipe: its aftermath, or why there is none.
std::string told(const Result<Aftermath>& result) {
  if (!result) {
    auto& e = result.error();
    return Json{{"what", e.what}, {"on", e.on}, {"blame", static_cast<int>(e.blame)}}.dump(
        -1, ' ', false, Json::error_handler_t::replace);
  }
  auto& a = *result;
  return Json{{"runners", a.runners},
              {"installed", a.installed},
              {"made_serial", a.made_serial},
              {"reached", a.reached},
              {"beyond", a.beyond},
              {"refusing", a.clients.refusing},
              {"trusting", a.clients.trusting},
              {"distrusting", a.distrusting},
              {"failed_distrusting", a.failed_distrusting},
              {"troubles", a.troubles},
              {"in_command", a.in_command},
              {"incomplete", a.incomplete},
              {"cpu", a.cpu},
              {"memory", a.memory}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<Aftermath> heard(const std::string& said) {
  auto json = Json::parse(said, nullptr, false);
  if (!json.is_object()) return fail("the process of this run ended without a word", "", Blame::us);
  if (json.contains("what"))
    return std::unexpected(Error{json["what"], json["on"], static_cast<Blame>(json["blame"].get<int>())});
  Aftermath a;
  json["runners"].get_to(a.runners);
  json["installed"].get_to(a.installed);
  json["made_serial"].get_to(a.made_serial);
  json["reached"].get_to(a.reached);
  json["beyond"].get_to(a.beyond);
  json["refusing"].get_to(a.clients.refusing);
  json["trusting"].get_to(a.clients.trusting);
  json["distrusting"].get_to(a.distrusting);
  json["failed_distrusting"].get_to(a.failed_distrusting);
  json["troubles"].get_to(a.troubles);
  json["in_command"].get_to(a.in_command);
  json["incomplete"].get_to(a.incomplete);
  json["cpu"].get_to(a.cpu);
  json["memory"].get_to(a.memory);
  return a;
}

// One run in its slot. What the slot could not be for it makes it incomplete.
Result<Aftermath> run_in(Slot& slot, Executor& executor, std::uint64_t number, const RunSpec& spec) {
  if (auto ready = slot.prepare(); !ready) return std::unexpected(ready.error());
  auto aftermath = executor.execute_only(number, spec);
  if (!aftermath || !aftermath->incomplete.empty()) return aftermath;
  if (slot.apart() && !aftermath->beyond.empty()) {
    aftermath->incomplete = fmt::format(
        "a run tried to reach {}, which the suite without faults does not do and which is out of reach of runs side by "
        "side: --workers 1 has them one after another",
        *aftermath->beyond.begin());
    return aftermath;
  }
  auto lost = slot.lost();
  if (!lost) return std::unexpected(lost.error());
  aftermath->incomplete = std::move(*lost);
  return aftermath;
}

[[noreturn]] void say(const Result<Aftermath>& result, int to) {
  auto said = told(result);
  for (std::size_t at = 0; at < said.size();) {
    auto n = write(to, said.data() + at, said.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    at += static_cast<std::size_t>(n);
  }
  _exit(0);  // nothing of our parent's is flushed or removed a second time
}

}  // namespace

int cores() {
  cpu_set_t all;
  CPU_ZERO(&all);
  return sched_getaffinity(0, sizeof all, &all) == 0 ? CPU_COUNT(&all) : 1;
}

Workers::Workers(Executor& executor, Slots& slots, const Clock& clock, int most)
    : executor_(executor), slots_(slots), clock_(clock), most_(most) {
  came = 0;
  for (int number : kSignals) {
    struct sigaction take{}, had{};
    take.sa_handler = note;
    sigaction(number, nullptr, &had);
    if (had.sa_handler == SIG_IGN) continue;
    before_[number] = had;
    sigaction(number, &take, nullptr);
  }
}

Workers::~Workers() {
  for (auto& [number, one] : under_way_) {
    kill(one.pid, SIGKILL);  // its guard ends the command's tree
    waitpid(one.pid, nullptr, 0);
    close(one.from);
  }
  for (auto& [number, had] : before_) sigaction(number, &had, nullptr);
}

int Workers::free_slot() const {
  int slot = 0;
  while (std::ranges::any_of(under_way_, [&](auto& one) { return one.second.slot == slot; })) slot++;
  return slot;
}

Result<std::uint64_t> Workers::begin(RunSpec spec) {
  auto place = free_slot();
  auto slot = slots_.at(place);
  if (!slot) return std::unexpected(slot.error());
  int pipe[2];
  if (pipe2(pipe, O_CLOEXEC) != 0) return fail_errno("a run cannot be begun", errno, "pipe");
  auto number = executor_.next();
  auto us = getpid();
  std::fflush(nullptr);
  auto pid = fork();
  if (pid == 0) {
    auto there = (*slot)->enter();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != us) _exit(0);
    for (auto& [signal, had] : before_) sigaction(signal, &had, nullptr);
    close(pipe[0]);
    say(there ? run_in(**slot, executor_, number, spec) : std::unexpected(there.error()), pipe[1]);
  }
  close(pipe[1]);
  if (pid < 0) {
    auto why = errno;
    close(pipe[0]);
    return fail_errno("a run cannot be begun", why, "fork");
  }
  under_way_[number] = {.spec = std::move(spec),
                        .slot = place,
                        .pid = pid,
                        .from = pipe[0],
                        .begun = clock_.now(),
                        .done = std::make_unique<TestsDone>(executor_.events_of(number))};
  return number;
}

double Workers::busy() const { return wall_ ? static_cast<double>(cpu_) / static_cast<double>(wall_) : 1; }

void Workers::pass_on_signals() {
  if (!came) return;
  executor_.interrupt();
  for (auto& [number, one] : under_way_) kill(one.pid, came);
  came = 0;
}

std::size_t Workers::tests_done(std::uint64_t number) {
  auto one = under_way_.find(number);
  return one == under_way_.end() ? 0 : one->second.done->count();
}

std::optional<Workers::Ended> Workers::wait(const std::function<void()>& meanwhile) {
  auto blocked = those_signals();
  while (!under_way_.empty()) {
    std::vector<pollfd> fds;
    std::vector<std::uint64_t> numbers;
    for (auto& [number, one] : under_way_) {
      fds.push_back({one.from, POLLIN, 0});
      numbers.push_back(number);
    }
    sigset_t open;
    sigprocmask(SIG_BLOCK, &blocked, &open);
    pass_on_signals();
    timespec second{.tv_sec = 1, .tv_nsec = 0};
    auto ready = ppoll(fds.data(), fds.size(), meanwhile ? &second : nullptr, &open);
    sigprocmask(SIG_SETMASK, &open, nullptr);
    if (ready == 0) meanwhile();
    for (std::size_t i = 0; ready > 0 && i < fds.size(); i++) {
      if (!fds[i].revents) continue;
      char buffer[4096];
      auto n = read(fds[i].fd, buffer, sizeof buffer);
      if (n > 0)
        under_way_[numbers[i]].said.append(buffer, static_cast<std::size_t>(n));
      else if (n == 0)
        return end(numbers[i]);
    }
  }
  pass_on_signals();
  return {};
}

Workers::Ended Workers::end(std::uint64_t number) {
  auto one = std::move(under_way_.extract(number).mapped());
  close(one.from);
  rusage used{};  // its own, and that of the tree below it
  while (wait4(one.pid, nullptr, 0, &used) < 0 && errno == EINTR) {
  }
  for (auto& time : {used.ru_utime, used.ru_stime}) cpu_ += time.tv_sec * kSecond + time.tv_usec * 1000;
  wall_ += clock_.now() - one.begun;
  auto aftermath = heard(one.said);
  if (one.said.empty() && executor_.interrupted()) aftermath = fail("interrupted");
  if (!aftermath) return {number, std::unexpected(aftermath.error())};
  return {number, executor_.take(number, one.spec, *aftermath)};
}

}  // namespace retrial::campaign
