#include "campaign/execution.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "campaign/agents.h"
#include "campaign/environment.h"
#include "campaign/trust.h"
#include "certs/leaf_store.h"
#include "proxy/exchange/distrust.h"
#include "proxy/server/trace_recorder.h"
#include "trace/correlator.h"
#include "trace/segment.h"

namespace retrial::campaign {
namespace {

constexpr Nanos kLook = 50 * kMillisecond;     // how often a run is looked at
constexpr Nanos kSettle = 30 * kMillisecond;   // for what the dead command's sockets still have to say
constexpr Nanos kHungAfter = 60 * kSecond;     // design: idle for 60 s and 5 times the longest gap
constexpr Nanos kIdleCpu = 20 * kMillisecond;  // of CPU within a second: a tree that uses less is idle

// Looks at a run from time to time, and says when and why it has to be ended. A connect that is never answered is held
// like an exchange.
class Watchman {
 public:
  Watchman(const Order& order, const Clock& clock)
      : order_(order), clock_(clock), began_(clock.now()), cpu_at_(began_) {}

  std::optional<trace::Stop> look(const proxy::Proxy& proxy, const proxy::Tree& tree,
                                  const CampaignDirector& director) {
    auto now = clock_.now();
    if (order_.attempts_limit && director.target_attempts() > order_.attempts_limit) return trace::Stop::capped;
    auto held = proxy.held_since();
    if (auto unanswered = tree.unanswered_since(); unanswered && (!held || unanswered < held)) held = unanswered;
    if (order_.hold && held && now - held >= order_.hold) return trace::Stop::held;
    if (order_.deadline && now - began_ >= order_.deadline && !held) return trace::Stop::deadline;
    if (now - cpu_at_ >= kSecond) {
      auto cpu = tree.cpu_time();
      if (cpu - cpu_ > kIdleCpu) idle_since_ = now;
      cpu_ = cpu;
      cpu_at_ = now;
    }
    auto quiet = now - std::max({proxy.last_activity(), idle_since_, began_});
    if (order_.aim && proxy.open_exchanges() == 0 && !held && quiet > std::max(kHungAfter, 5 * proxy.longest_gap()))
      return trace::Stop::hung;
    return {};
  }

 private:
  const Order& order_;
  const Clock& clock_;
  Nanos began_, cpu_at_, cpu_ = 0, idle_since_ = 0;
};

class Ended final : public proxy::TreeEvents {
 public:
  Ended(proxy::Loop& loop, const Clock& clock, proxy::Director& director)
      : clock_(clock), director_(director), settle_(loop, [&loop] { loop.stop(); }) {}
  void connected(proxy::Captured connection) override { proxy->take(connection); }
  proxy::ConnectDecision connecting(const proxy::Address& service, pid_t pid) override {
    return director_.at_connect({service.show(), pid, clock_.now()});
  }
  void met(const proxy::Address& service, pid_t pid, const trace::FaultSpec& fault,
           std::string_view not_fired) override {
    proxy->met(service.show(), pid, fault, not_fired);
  }
  void ended(int wait_status) override {
    status = wait_status;
    settle_.set(kSettle);
  }
  proxy::Proxy* proxy = nullptr;
  std::optional<int> status;

 private:
  const Clock& clock_;
  proxy::Director& director_;
  proxy::Timer settle_;
};

int open_log(const std::filesystem::path& file) {
  return open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
}

// How services are verified: by address, "" all others.
using Securities = std::map<std::string, std::unique_ptr<proxy::TlsToService>>;

// A certificate that does not verify is the client's to judge: it is shown one like it.
Result<Securities> securities_for(const Executor::Setting& setting, const Trust& trust) {
  auto all = setting.security;
  all.try_emplace("");
  Securities made;
  for (auto& [address, settings] : all) {
    settings.mirrors = true;
    if (settings.ca.empty()) settings.also = trust.roots;
    auto security = proxy::TlsToService::make(settings);
    if (!security) return std::unexpected(security.error());
    made[address] = std::move(*security);
  }
  return made;
}

struct Authorities {
  certs::Authority ours;
  certs::Authority strangers;  // signs for services of an authority that nobody here knows
};

}  // namespace

struct Executor::Impl {
  Setting setting;
  const Clock& clock;
  Trust trust;
  certs::LeafStore leaves, strangers;
  proxy::TlsToClients to_clients{leaves, &strangers};
  Securities securities;
  proxy::Distrust distrust;
  std::set<std::string> distrusting;
  bool failed_distrusting = false;
  proxy::Loop loop;
  std::uint64_t runs = 0;
  Nanos in_commands = 0;
  bool interrupted = false;
  proxy::Tree* tree = nullptr;  // of the run under way
  bool attached = false;
  std::vector<std::unique_ptr<proxy::SignalWatch>> signals;

  proxy::Options options() {
    proxy::Options options{.keep_tags = setting.keep_tags, .to_clients = &to_clients, .distrust = &distrust};
    for (auto& [address, security] : securities)
      (address.empty() ? options.to_services : options.security_of[address]) = security.get();
    return options;
  }

  Impl(Setting s, const Clock& c, const Authorities& authorities, Trust t, Securities services)
      : setting(std::move(s)),
        clock(c),
        trust(std::move(t)),
        leaves(authorities.ours, c),
        strangers(authorities.strangers, c),
        securities(std::move(services)) {
    // The command shares our terminal and gets Ctrl-C itself; what does not end by it, we end. `kill` of us alone is
    // passed on. A signal that our caller ignores (nohup, a job in the background) stays ignored.
    for (int number : {SIGINT, SIGTERM, SIGHUP}) {
      struct sigaction now{};
      if (sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN) continue;
      signals.push_back(std::make_unique<proxy::SignalWatch>(loop, number, [this, number] {
        bool again = interrupted;
        interrupted = true;
        if (!tree) return;
        if (attached && !again) {
          if (number != SIGINT) tree->signal(number);
        } else {
          tree->kill();
        }
      }));
    }
  }
};

Executor::Executor(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Executor::~Executor() = default;
bool Executor::interrupted() const { return impl_->interrupted; }
std::filesystem::path Executor::log_of(std::uint64_t run) const {
  return impl_->setting.folder / "logs" / fmt::format("{:04}.log", run);
}
const std::vector<std::string>& Executor::remarks() const { return impl_->trust.remarks; }
const std::set<std::string>& Executor::distrusting() const { return impl_->distrusting; }
bool Executor::failed_distrusting() const { return impl_->failed_distrusting; }
Nanos Executor::in_commands() const { return impl_->in_commands; }

Result<std::unique_ptr<Executor>> Executor::open(Setting setting, const Clock& clock) {
  std::error_code error;
  for (auto part : {"trace", "logs", "agents", "events"}) {
    std::filesystem::create_directories(setting.folder / part, error);
    if (error) return fail("cannot be made: " + error.message(), (setting.folder / part).string(), Blame::user);
  }
  if (auto ok = unpack_agents(setting.folder / "agents"); !ok) return std::unexpected(ok.error());
  auto authority = certs::Authority::make(clock);
  if (!authority) return std::unexpected(authority.error());
  auto strangers = certs::Authority::make(clock);
  if (!strangers) return std::unexpected(strangers.error());
  auto trust = write_trust(*authority, setting.folder / "trust", RootPlaces::of_this_machine(), &*strangers);
  if (!trust) return std::unexpected(trust.error());
  auto securities = securities_for(setting, *trust);
  if (!securities) return std::unexpected(securities.error());
  return std::unique_ptr<Executor>(new Executor(std::make_unique<Impl>(
      std::move(setting), clock, Authorities{*authority, *strangers}, std::move(*trust), std::move(*securities))));
}

Result<trace::Run> Executor::execute(const Order& order) {
  auto& s = impl_->setting;
  auto& clock = impl_->clock;
  trace::Run run;
  run.id = ++impl_->runs;
  run.kind = order.kind;
  run.case_id = order.case_id;
  run.tests = order.tests;
  run.wall_began = clock.wall();
  auto name = fmt::format("{:04}", run.id);

  AgentSetting agents{std::filesystem::absolute(s.folder / "agents"),
                      std::filesystem::absolute(s.folder / "events" / (name + ".jsonl")),
                      std::filesystem::absolute(s.folder / "events" / (name + ".only")), &impl_->trust};
  {
    std::ofstream(agents.events, std::ios::app);
  }
  if (!order.launch.only.empty()) std::ofstream(agents.only) << order.launch.only << '\n';

  auto writer = trace::SegmentWriter::open(s.folder / "trace" / name, 1u << 20);
  if (!writer) return std::unexpected(writer.error());
  run.began = clock.now();
  if (auto ok = (*writer)->begin(run); !ok) return std::unexpected(ok.error());

  proxy::Proxy* taking = nullptr;
  std::unique_ptr<WaysIn> ways_in;
  auto launch = order.launch;
  if (s.capture.way == proxy::Way::none) {
    auto opened = WaysIn::open(s.capture, impl_->loop, [&](proxy::Incoming in) {
      if (taking)
        taking->take(std::move(in));
      else
        close(in.client);
    });
    if (!opened) return std::unexpected(opened.error());
    ways_in = std::move(*opened);
    agents.proxy = ways_in->forward();
    for (auto& variable : ways_in->environment()) launch.environment.push_back(variable);
  }
  proxy::Command command{order.launch.argv, environment_for(launch, agents), {}};
  int log = -1, nothing = -1;
  if (!order.attached) {
    log = open_log(log_of(run.id));
    nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    command.in = nothing;
    command.out = command.err = log;
  }

  Events events(agents.events);
  CampaignDirector director(run, events, order.aim, order.only_test, order.lessons);
  director.read_as(s.profiles);
  proxy::TraceRecorder recorder(**writer, run.id);
  std::optional<trace::Stop> stopped;
  {
    Ended ended(impl_->loop, clock, director);
    proxy::Proxy proxy(impl_->loop, clock, director, recorder, impl_->options());
    ended.proxy = taking = &proxy;
    auto tree = proxy::Tree::start(impl_->loop, clock, command, s.capture.way, ended);
    if (log >= 0) close(log);
    if (nothing >= 0) close(nothing);
    if (!tree) {
      ways_in.reset();
      return std::unexpected(tree.error());
    }
    impl_->tree = tree->get();
    impl_->attached = order.attached;

    Watchman watchman(order, clock);
    proxy::Timer timer(impl_->loop, [&] {
      if (!stopped && !ended.status)
        if ((stopped = watchman.look(proxy, **tree, director))) (*tree)->kill();
      timer.set(kLook);
    });
    timer.set(kLook);
    impl_->loop.run();
    impl_->tree = nullptr;
    ways_in.reset();
    run.capture = (*tree)->counts();
    run.capture.tunnels = proxy.tunnels();
    run.connection_faults = proxy.connection_faults();
    auto status = ended.status.value_or(0);
    run.stop = WIFSIGNALED(status) ? trace::Stop::signalled : trace::Stop::exited;
    run.exit_code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  }  // the proxy ends what is still open, and records it
  auto met = impl_->distrust.settle();
  impl_->failed_distrusting = met.first;
  for (auto& pair : met.pairs) {
    auto line = pair + " (its client does not trust our certificate: it pins one, or has an authority in its code)";
    impl_->distrusting.insert(line);
    run.capture.not_seen.push_back(std::move(line));
  }
  run.ended = clock.now();
  impl_->in_commands += run.ended - run.began;
  if (stopped) run.stop = *stopped;
  if (impl_->interrupted) run.stop = trace::Stop::interrupted;
  events.read_into(run);
  if (!order.only_test.empty() && run.results.empty() && !stopped)
    run.results.push_back({order.only_test, trace::Phase::test, run.exit_code == 0 ? "passed" : "failed", 0, {}});
  run.incomplete = recorder.failed();

  auto closed = (*writer)->end(run);
  auto stored = trace::read_run(s.folder / "trace" / name, run.id);
  if (!closed && run.incomplete.empty()) run.incomplete = "the trace could not be ended: " + closed.error().line();
  if (!stored) {
    if (run.incomplete.empty()) run.incomplete = "the trace could not be read back: " + stored.error().line();
    return run;
  }
  run.exchanges = std::move(stored->exchanges);
  trace::Correlator::confirm(run.exchanges, order.lessons);
  return run;
}

}  // namespace retrial::campaign
