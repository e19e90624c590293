#include "proxy/capture/tree.h"

#include <csignal>

#include "proxy/capture/supervisor.h"

namespace retrial::proxy {

std::string_view show(Way way) { return way == Way::getfd ? "getfd" : way == Way::rewrite ? "rewrite" : "none"; }

struct Tree::Impl {
  std::unique_ptr<capture::Supervisor> supervisor;
};

namespace {
std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (const auto& text : texts) all.push_back(const_cast<char*>(text.c_str()));
  all.push_back(nullptr);
  return all;
}
}  // namespace

Tree::Tree(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Tree::~Tree() = default;

Result<std::unique_ptr<Tree>> Tree::start(Loop& loop, const Clock& clock, const Command& command, Way way,
                                          TreeEvents& events) {
  if (command.argv.empty()) return fail("no command was given", {}, Blame::user);
  capture::Launch launch;
  launch.argv = pointers(command.argv);
  launch.environment = pointers(command.environment);
  if (!command.directory.empty()) launch.directory = command.directory.c_str();
  launch.descriptors[0] = command.in;
  launch.descriptors[1] = command.out;
  launch.descriptors[2] = command.err;
  launch.own_group = command.own_group;
  launch.ignored = command.ignored_signals;
  // In the background of its terminal, what reads there or sets it would be stopped, and never go on.
  if (command.own_group) launch.ignored.insert(launch.ignored.end(), {SIGTTIN, SIGTTOU});
  launch.filtered = way != Way::none;
  auto supervisor = capture::Supervisor::start(loop, clock, launch, way, events);
  if (!supervisor) return std::unexpected(supervisor.error());
  return std::unique_ptr<Tree>(new Tree(std::make_unique<Impl>(std::move(*supervisor))));
}

void Tree::signal(int number) { impl_->supervisor->signal(number); }
void Tree::kill() { impl_->supervisor->kill(); }
pid_t Tree::pid() const { return impl_->supervisor->pid(); }
bool Tree::command_ended() const { return impl_->supervisor->command_ended(); }
pid_t Tree::root() const { return impl_->supervisor->root(); }
std::string Tree::native_open() const { return impl_->supervisor->native_open(); }
bool Tree::dialling() const { return impl_->supervisor->dialling(); }
Nanos Tree::cpu_time() const { return impl_->supervisor->cpu_time(); }
Nanos Tree::unanswered_since() const { return impl_->supervisor->unanswered_since(); }
const trace::CaptureCounts& Tree::counts() const { return impl_->supervisor->counts(); }

std::vector<int> ignored_signals() {
  std::vector<int> ignored;
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action;
    if (sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) ignored.push_back(number);
  }
  return ignored;
}
int shell_status(const Error& not_started) { return not_started.what == capture::kNotFound ? 127 : 126; }

}  // namespace retrial::proxy
