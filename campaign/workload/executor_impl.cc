#include "campaign/workload/executor_impl.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include "campaign/workload/agents/agent.h"
#include "proxy/capture/processes.h"

namespace retrial::campaign {
namespace {

constexpr Nanos kGrace = 5 * kSecond;  // that a command has to end by a signal that is passed on: CI kills after ten

// Then the terminal's Ctrl-C goes to the command too, which is of our process group.
bool in_foreground() {
  int terminal = open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (terminal < 0) return false;
  bool ours = tcgetpgrp(terminal) == getpgrp();
  close(terminal);
  return ours;
}

}  // namespace

Executor::Impl::Impl(Setting s, const Clock& c, Authorities authorities, Trust t, Securities services)
    : setting(std::move(s)),
      clock(c),
      trust(std::move(t)),
      leaves(authorities.ours, c),
      strangers(authorities.strangers, c),
      stand_ins(std::move(authorities.stand_ins)),
      securities(std::move(services)) {
  distrust.judges = [this](int pid) { return stand_ins->adds(pid); };
}

bool Executor::Impl::compresses() const {
  return !setting.real_time &&
         std::filesystem::absolute(setting.folder).string().find_first_of(": \t\n") == std::string::npos;
}

void Executor::Impl::prepare_agents() {
  auto folder = std::filesystem::absolute(setting.folder / "agents");
  for (auto* agent : agents())
    if (auto undone = agent->prepare(folder / agent->name(), compresses()); !undone.empty())
      trust.remarks.push_back(undone);
  if (!setting.real_time && !compresses())
    trust.remarks.push_back(
        "a blank or a colon is in the path of this campaign's folder, so clients wait in real time: --out elsewhere "
        "mends that (docs/time.md)");
}

// One of the run's own, and never what all of it comes of. It is started again where retrial.toml says how.
bool Executor::Impl::end_process(pid_t pid) const {
  if (!tree || pid == tree->root() || !proxy::capture::descends(pid, tree->root())) return false;
  auto again = orders ? restart_of(setting.processes, command_line(pid)) : "";
  if (kill(pid, SIGKILL) != 0) return false;
  if (!again.empty()) orders->give(again);
  return true;
}

proxy::Options Executor::Impl::options() {
  proxy::Options options{.keep_tags = setting.keep_tags,
                         .to_clients = &to_clients,
                         .distrust = &distrust,
                         .busy = proxy::capture::busy_time,
                         .end_process = [this](pid_t pid) { return end_process(pid); }};
  for (auto& [address, security] : securities)
    (address.empty() ? options.to_services : options.security_of[address]) = security.get();
  return options;
}

// The command shares our terminal and gets Ctrl-C itself; what does not end by it, we end. `kill` of us alone is
// passed on. A signal that our caller ignores (nohup, a job in the background) stays ignored.
void Executor::Impl::listen() {
  if (loop) return;
  loop = std::make_unique<proxy::Loop>();
  for (int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now{};
    if (sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN) continue;
    signals.push_back(std::make_unique<proxy::SignalWatch>(*loop, number, [this, number] {
      bool again = interrupted;
      interrupted = true;
      if (!tree) return;
      if (attached && !again) {
        if (number == SIGINT && in_foreground()) return;
        tree->signal(number);
        grace = std::make_unique<proxy::Timer>(*loop, [this] {
          if (tree) tree->kill();
        });
        grace->set(kGrace);
      } else {
        tree->kill();
      }
    }));
  }
}

std::filesystem::path trace_of(const std::filesystem::path& folder, std::uint64_t run) {
  return folder / "trace" / fmt::format("{:04}", run);
}
std::filesystem::path events_of(const std::filesystem::path& folder, std::uint64_t run) {
  return std::filesystem::absolute(folder / "events" / fmt::format("{:04}.jsonl", run));
}

}  // namespace retrial::campaign
