#include "campaign/workload/execution.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "campaign/workload/agents/agent.h"
#include "campaign/workload/agents/files.h"
#include "campaign/workload/environment.h"
#include "campaign/workload/listeners.h"
#include "campaign/workload/look.h"
#include "campaign/workload/restart.h"
#include "campaign/workload/shortened_log.h"
#include "campaign/workload/trust.h"
#include "campaign/workload/watchdog.h"
#include "certs/leaf_store.h"
#include "proxy/capture/processes.h"
#include "proxy/connections/distrust.h"
#include "proxy/server/trace_recorder.h"
#include "proxy/time/compressor.h"
#include "trace/calls/correlator.h"
#include "trace/fault_name.h"
#include "trace/recording/segment.h"

namespace retrial::campaign {
namespace {

constexpr Nanos kLook = 50 * kMillisecond;  // how often a run is looked at
constexpr Nanos kSettle = kMillisecond;     // between two looks at what the dead command's sockets still have to say
constexpr int kSettleLooks = 30;
constexpr Nanos kLingers = 1800 * kSecond;  // of the client's time: whoever sends again by himself has done so by then

// All tests of this run have said how they ended, and one has failed: what keeps the process now is what that one left
// open (oracles/failure.h, failed_and_was_over).
bool tests_are_over(const RunSpec& spec, Events& events, trace::Run& run) {
  events.read_into(run);
  auto result = [&](auto& test) { return trace::result_of(run, test); };
  return !spec.tests.empty() && !events.open() && std::ranges::all_of(spec.tests, result) &&
         std::ranges::any_of(spec.tests, [&](auto& test) { return trace::bad(*result(test)); });
}

// Where no connect is seen, nothing is known of them.
proxy::Looker::Roles roles_in(Servers& servers, proxy::Way way) {
  if (way == proxy::Way::none) return {};
  return {.only_serves = [&](pid_t process) { return servers.only_serves(process); },
          .has_connected = [&](pid_t process) { return servers.has_connected(process); }};
}
constexpr Nanos kBrief = 100 * kMillisecond;  // of a delay

class Ended final : public proxy::TreeEvents {
 public:
  Ended(proxy::Loop& loop, const Clock& clock, const Clock& real, proxy::Director& director)
      : servers(real), loop_(loop), clock_(clock), director_(director), settle_(loop, [this] { settle(); }) {}
  void connected(proxy::Captured connection) override { proxy->take(connection); }
  proxy::ConnectDecision connecting(const proxy::Address& service, pid_t pid) override {
    servers.connected(pid, service.port());
    auto decision = director_.at_connect({service.show(), pid, clock_.now()});
    if (compressor && !trace::is_pass(decision.fault)) compressor->arm();
    return decision;
  }
  void met(const proxy::Address& service, pid_t pid, const trace::FaultSpec& fault,
           std::string_view not_fired) override {
    proxy->met(service.show(), pid, fault, not_fired);
  }
  void ended(int wait_status) override {
    status = wait_status;
    callbacks_ = loop_.callbacks();
    settle_.set(kSettle);
  }
  proxy::Proxy* proxy = nullptr;
  proxy::Compressor* compressor = nullptr;
  Servers servers;
  std::optional<int> status;

 private:
  // Until nothing is open, and nothing has come since the last look.
  void settle() {
    bool quiet = proxy->connections() == 0 && loop_.callbacks() == callbacks_ + 1;
    callbacks_ = loop_.callbacks();
    if (quiet || ++looks_ == kSettleLooks) return loop_.stop();
    settle_.set(kSettle);
  }

  proxy::Loop& loop_;
  const Clock& clock_;
  proxy::Director& director_;
  proxy::Timer settle_;
  std::uint64_t callbacks_ = 0;  // of the loop, at the last look
  int looks_ = 0;
};

// Arms the compressor by the first fault that fires, or (`at_once`) the first exchange. Of a short delay once it is
// over: it is there for others to come first, whom looks at them would keep from it on a busy machine.
class ArmingRecorder final : public proxy::Recorder {
 public:
  ArmingRecorder(proxy::Recorder& recorder, bool at_once) : recorder_(recorder), at_once_(at_once) {}
  void head(const trace::Exchange& e) override {
    recorder_.head(e);
    exchanges++;
    if (compressor && at_once_) compressor->arm();
  }
  void answer(const trace::Exchange& e) override { recorder_.answer(e); }
  void fired(const trace::Exchange& e) override {
    recorder_.fired(e);
    if (fired_at == 0) fired_at = e.fired_at;
    bool brief = e.fault.name == trace::FaultName::delay && e.fault.delay <= kBrief;
    if (compressor && !brief) compressor->arm();
  }
  void over(const trace::Exchange& e) override {
    recorder_.over(e);
    if (compressor && e.fired) compressor->arm();
  }
  proxy::Compressor* compressor = nullptr;
  std::uint64_t exchanges = 0;
  Nanos fired_at = 0;  // the first fault

 private:
  proxy::Recorder& recorder_;
  bool at_once_;
};

std::filesystem::path trace_of(const std::filesystem::path& folder, std::uint64_t run) {
  return folder / "trace" / fmt::format("{:04}", run);
}

int open_log(const std::filesystem::path& file) {
  return open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

// How services are verified: by address, "" all others.
using Securities = std::map<std::string, std::unique_ptr<proxy::TlsToService>>;

// A certificate that does not verify is the client's to judge: it is shown one like it.
Result<Securities> securities_for(const Executor::Setting& setting, const Trust& trust, certs::StandIns& stand_ins) {
  auto all = setting.security;
  all.try_emplace("");
  Securities made;
  for (auto& [address, settings] : all) {
    settings.mirrors = true;
    if (settings.ca.empty()) settings.also = trust.roots, settings.stand_ins = &stand_ins;
    auto security = proxy::TlsToService::make(settings);
    if (!security) return std::unexpected(security.error());
    made[address] = std::move(*security);
  }
  return made;
}

Nanos cpu_of(const rusage& used) {
  Nanos all = 0;
  for (auto& time : {used.ru_utime, used.ru_stime}) all += time.tv_sec * kSecond + time.tv_usec * 1000;
  return all;
}

struct Authorities {
  certs::Authority ours;
  certs::Authority strangers;  // signs for services of an authority that nobody here knows
  std::unique_ptr<certs::StandIns> stand_ins;
};

}  // namespace

std::string went_past(const trace::CaptureCounts& capture, std::set<std::string>& reached) {
  reached.insert(capture.reached.begin(), capture.reached.end());
  for (auto& service : capture.missed)
    if (reached.contains(service))
      return fmt::format(
          "a connection to {} went past Retrial, which this machine did not let reach the service in time: what was "
          "said "
          "there was not seen",
          service);
  return {};
}

std::string went_unseen(const trace::CaptureCounts& capture) {
  for (auto& name : capture.not_seen)
    for (int want : {EMFILE, ENFILE, ENOMEM, ENOBUFS})
      if (name.ends_with(fmt::format(": {})", std::strerror(want))))
        return fmt::format("Retrial could not look at a connection: {}; a higher limit (ulimit -n) helps", name);
  return {};
}

struct Executor::Impl {
  Setting setting;
  const Clock& clock;
  Trust trust;
  certs::LeafStore leaves, strangers;
  std::unique_ptr<certs::StandIns> stand_ins;
  proxy::TlsToClients to_clients{leaves, &strangers};
  Securities securities;
  proxy::Distrust distrust;
  std::set<std::string> distrusting, reached, runners, installed, troubles;
  bool failed_distrusting = false;
  std::unique_ptr<proxy::Loop> loop;  // from the first run of this process on
  std::uint64_t runs = 0;
  Nanos in_commands = 0, taken = 0;  // the last run, at
  bool interrupted = false;
  proxy::Tree* tree = nullptr;     // of the run under way
  std::unique_ptr<Orders> orders;  // likewise
  bool attached = false;
  std::vector<std::unique_ptr<proxy::SignalWatch>> signals;

  // What is preloaded is named in a list that knows no quotes.
  bool compresses() const {
    return !setting.real_time &&
           std::filesystem::absolute(setting.folder).string().find_first_of(": \t\n") == std::string::npos;
  }

  void prepare_agents() {
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
  bool end_process(pid_t pid) const {
    if (!tree || pid == tree->root() || !proxy::capture::descends(pid, tree->root())) return false;
    auto again = orders ? restart_of(setting.processes, command_line(pid)) : "";
    if (kill(pid, SIGKILL) != 0) return false;
    if (!again.empty()) orders->give(again);
    return true;
  }

  proxy::Options options() {
    proxy::Options options{.keep_tags = setting.keep_tags,
                           .to_clients = &to_clients,
                           .distrust = &distrust,
                           .busy = proxy::capture::busy_time,
                           .end_process = [this](pid_t pid) { return end_process(pid); }};
    for (auto& [address, security] : securities)
      (address.empty() ? options.to_services : options.security_of[address]) = security.get();
    return options;
  }

  Impl(Setting s, const Clock& c, Authorities authorities, Trust t, Securities services)
      : setting(std::move(s)),
        clock(c),
        trust(std::move(t)),
        leaves(authorities.ours, c),
        strangers(authorities.strangers, c),
        stand_ins(std::move(authorities.stand_ins)),
        securities(std::move(services)) {
    distrust.judges = [this](int pid) { return stand_ins->adds(pid); };
  }

  // The command shares our terminal and gets Ctrl-C itself; what does not end by it, we end. `kill` of us alone is
  // passed on. A signal that our caller ignores (nohup, a job in the background) stays ignored.
  void listen() {
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
          if (number != SIGINT) tree->signal(number);
        } else {
          tree->kill();
        }
      }));
    }
  }
};

Executor::Executor(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Executor::~Executor() {
  std::error_code left;
  for (auto* agent : agents())
    std::filesystem::remove_all(impl_->setting.folder / "agents" / agent->name() / Agent::kCache, left);
}
bool Executor::interrupted() const { return impl_->interrupted; }
void Executor::interrupt() { impl_->interrupted = true; }
std::uint64_t Executor::next() { return ++impl_->runs; }
std::filesystem::path Executor::log_of(std::uint64_t run) const {
  return impl_->setting.folder / "logs" / fmt::format("{:04}.log", run);
}
const std::vector<std::string>& Executor::remarks() const { return impl_->trust.remarks; }
const std::set<std::string>& Executor::distrusting() const { return impl_->distrusting; }
const std::set<std::string>& Executor::runners() const { return impl_->runners; }
const std::set<std::string>& Executor::troubles() const { return impl_->troubles; }
const std::set<std::string>& Executor::reached() const { return impl_->reached; }
const std::set<std::string>& Executor::installed() const { return impl_->installed; }
std::set<std::string> Executor::opened() const { return impl_->distrust.known().trusting; }
bool Executor::failed_distrusting() const { return impl_->failed_distrusting; }
Nanos Executor::in_commands() const { return impl_->in_commands; }

Result<std::unique_ptr<Executor>> Executor::open(Setting setting, const Clock& clock) {
  std::error_code error;
  for (auto part : {"trace", "logs", "agents", "events", "time"}) {
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
  auto stand_ins = certs::StandIns::make(*authority, clock, trust->folder / "stand-ins");
  if (!stand_ins) return std::unexpected(stand_ins.error());
  auto securities = securities_for(setting, *trust, **stand_ins);
  if (!securities) return std::unexpected(securities.error());
  auto impl =
      std::make_unique<Impl>(std::move(setting), clock, Authorities{*authority, *strangers, std::move(*stand_ins)},
                             std::move(*trust), std::move(*securities));
  impl->prepare_agents();
  return std::unique_ptr<Executor>(new Executor(std::move(impl)));
}

Result<trace::Run> Executor::execute(const RunSpec& spec) {
  auto run = next();
  auto aftermath = execute_only(run, spec);
  if (!aftermath) return std::unexpected(aftermath.error());
  return take(run, spec, *aftermath);
}

Result<trace::Run> Executor::take(std::uint64_t number, const RunSpec& spec, const Aftermath& aftermath) {
  impl_->runners = aftermath.runners;
  impl_->installed = aftermath.installed;
  impl_->troubles.insert(aftermath.troubles.begin(), aftermath.troubles.end());
  impl_->reached.insert(aftermath.reached.begin(), aftermath.reached.end());
  impl_->distrust.learn(aftermath.clients);
  impl_->distrusting.insert(aftermath.distrusting.begin(), aftermath.distrusting.end());
  impl_->failed_distrusting = aftermath.failed_distrusting;
  // Of several that went side by side the time counts once.
  auto now = impl_->clock.now();
  impl_->in_commands += now - std::max(now - aftermath.in_command, impl_->taken);
  impl_->taken = now;
  auto stored = trace::read_run(trace_of(impl_->setting.folder, number), number);
  if (!stored) {
    trace::Run lost{.id = number, .kind = spec.kind, .case_id = spec.case_id, .tests = spec.tests};
    lost.incomplete = "the trace could not be read back: " + stored.error().line();
    return lost;
  }
  stored->cpu = aftermath.cpu;
  stored->memory = aftermath.memory;
  shorten_log(log_of(number));
  stored->capture.reached = aftermath.reached;
  stored->capture.beyond = aftermath.beyond;
  if (!aftermath.incomplete.empty()) stored->incomplete = aftermath.incomplete;
  trace::Correlator::correlate_each_test(*stored, spec.lessons);
  return stored;
}

Result<Aftermath> Executor::execute_only(std::uint64_t number, const RunSpec& spec) {
  impl_->listen();
  auto& s = impl_->setting;
  trace::Run run;
  run.id = number;
  run.kind = spec.kind;
  run.case_id = spec.case_id;
  run.tests = spec.tests;
  auto name = fmt::format("{:04}", run.id);
  auto page_file = std::filesystem::absolute(s.folder / "time" / (name + ".page"));
  std::unique_ptr<proxy::TimePage> page;
  if (impl_->compresses()) {
    auto made = proxy::TimePage::make(page_file);
    if (!made) return std::unexpected(made.error());
    page = std::move(*made);
    if (spec.moves_clock()) proxy::Compressor::prepare(*page);
  }
  proxy::ClientClock clock(impl_->clock, page.get());
  auto really_began = impl_->clock.now();
  rusage before{};
  getrusage(RUSAGE_CHILDREN, &before);
  auto cpu_before = cpu_of(before);
  run.wall_began = clock.wall();

  EnvironmentSetting environment{std::filesystem::absolute(s.folder / "agents"),
                                 std::filesystem::absolute(s.folder / "events" / (name + ".jsonl")),
                                 std::filesystem::absolute(s.folder / "events" / (name + ".only")), &impl_->trust};
  if (page) environment.time_page = page_file;
  {
    std::ofstream(environment.events, std::ios::app);
  }
  if (!spec.launch.only.empty()) std::ofstream(environment.only) << spec.launch.only << '\n';

  auto writer = trace::SegmentWriter::open(trace_of(s.folder, run.id), 1u << 20);
  if (!writer) return std::unexpected(writer.error());
  run.began = clock.now();
  if (auto ok = (*writer)->begin(run); !ok) return std::unexpected(ok.error());

  proxy::Proxy* taking = nullptr;
  std::unique_ptr<WaysIn> ways_in;
  auto launch = spec.launch;
  if (s.capture.way == proxy::Way::none) {
    auto opened = WaysIn::open(s.capture, *impl_->loop, [&](proxy::Incoming in) {
      if (taking)
        taking->take(std::move(in));
      else
        close(in.client);
    });
    if (!opened) return std::unexpected(opened.error());
    ways_in = std::move(*opened);
    environment.proxy = ways_in->forward();
    for (auto& variable : ways_in->environment()) launch.environment.push_back(variable);
  }
  if (!s.application.empty())
    launch.environment.push_back(fmt::format("RETRIAL_APPLICATION={}", fmt::join(s.application, ",")));
  impl_->orders.reset();
  if (!s.processes.empty()) {
    auto orders = Orders::make(std::filesystem::absolute(s.folder / "time" / (name + ".orders")));
    if (!orders) return std::unexpected(orders.error());
    impl_->orders = std::move(*orders);
  }
  Looking looking{.urls = spec.look, .test = spec.tests.size() == 1 ? spec.tests.front() : ""};
  if (impl_->orders) looking.orders = impl_->orders->at();
  if (spec.measured) looking.memory = std::filesystem::absolute(s.folder / "events" / (name + ".memory"));
  auto argv = looking.asks_for_nothing() ? launch.argv : around(launch.argv, looking);
  proxy::Command command{std::move(argv), environment_for(launch, environment), {}};
  int log = -1, nothing = -1;
  if (!spec.attached) {
    log = open_log(log_of(run.id));
    nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    command.in = nothing;
    command.out = command.err = log;
  }

  Events events(environment.events);
  Lift lift;
  if (spec.lifts) lift = {spec.attempts_limit, spec.client_time_limit};
  CampaignDirector director(run, events, spec.aims, spec.only_test, spec.lessons, lift);
  director.read_as(s.profiles);
  director.describe(s.descriptions);
  proxy::TraceRecorder recorder(**writer, run.id);
  ArmingRecorder arming(recorder, spec.aims.empty());
  std::optional<trace::Stop> stopped;
  {
    Ended ended(*impl_->loop, clock, impl_->clock, director);
    proxy::Proxy proxy(*impl_->loop, clock, director, arming, impl_->options());
    ended.proxy = taking = &proxy;
    auto tree = proxy::Tree::start(*impl_->loop, clock, command, s.capture.way, ended);
    if (log >= 0) close(log);
    if (nothing >= 0) close(nothing);
    if (!tree) {
      ways_in.reset();
      return std::unexpected(tree.error());
    }
    impl_->tree = tree->get();
    impl_->attached = spec.attached;

    Watchdog watchdog(spec, clock, impl_->clock);
    auto look = [&] {
      if (stopped || ended.status) return;
      stopped = watchdog.look(proxy, **tree, director.target_attempts(), director.in_vain(),
                              ended.compressor ? ended.compressor->last_wait() : 0);
      if (spec.sampled_exchanges && arming.exchanges >= spec.sampled_exchanges) stopped = trace::Stop::deadline;
      if (spec.after_fault && arming.fired_at && clock.now() - arming.fired_at >= spec.after_fault &&
          proxy.last_activity() - arming.fired_at >= spec.after_fault / 2)
        stopped = trace::Stop::deadline;
      if (!stopped && watchdog.idle_for(kLingers, proxy) && tests_are_over(spec, events, run))
        stopped = trace::Stop::hung;
      if (stopped == trace::Stop::held && spec.lifts && proxy.held_since() != 0) {
        proxy.give_up_held(clock.now() - spec.hold);
        stopped.reset();
      }
      if (stopped) (*tree)->kill();
    };
    proxy::Timer timer(*impl_->loop, [&] {
      look();
      timer.set(kLook);
    });
    timer.set(kLook);
    std::map<std::string, std::pair<Nanos, Nanos>> natives;  // that stood in the way: first and last
    std::optional<proxy::Compressor> compressor;
    if (page && spec.moves_clock()) {
      auto pending = [&] {
        look();  // an attempt is noted before the clock is moved on
        if (stopped || (*tree)->command_ended() || (*tree)->dialling() || proxy.awaited() > proxy.streaming())
          return true;
        auto native = (*tree)->native_open();
        if (native.empty()) return false;
        auto now = impl_->clock.now();
        natives.try_emplace(native, now, now).first->second.second = now;
        return true;
      };
      compressor.emplace(*impl_->loop, *page, clock, (*tree)->root(),
                         proxy::Compressor::Surroundings{.pending = pending,
                                                         .next_limit = [&] { return watchdog.next(proxy, **tree); },
                                                         .furthest = [&] { return watchdog.furthest(proxy); },
                                                         .moved = look,
                                                         .roles = roles_in(ended.servers, s.capture.way)});
      ended.compressor = arming.compressor = &*compressor;
      run.compressed = true;
    }
    impl_->loop->run();
    impl_->tree = nullptr;
    impl_->orders.reset();
    ways_in.reset();
    run.capture = (*tree)->counts();
    run.capture.tunnels = proxy.tunnels();
    run.connection_faults = proxy.connection_faults();
    if (compressor) {
      run.jumps = std::move(compressor->jumps);
      run.real_time = compressor->real_time();
      for (auto& [line, times] : natives)
        if (times.second - times.first >= kLook) run.real_time.push_back(line);  // else it was a query, or the like
      ended.compressor = arming.compressor = nullptr;
    }
    auto status = ended.status.value_or(0);
    run.stop = WIFSIGNALED(status) ? trace::Stop::signalled : trace::Stop::exited;
    run.exit_code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  }  // the proxy ends what is still open, and records it
  Aftermath aftermath;
  rusage after{};
  getrusage(RUSAGE_CHILDREN, &after);
  aftermath.cpu = cpu_of(after) - cpu_before;
  std::ifstream(looking.memory) >> aftermath.memory;
  auto met = impl_->distrust.settle();
  aftermath.failed_distrusting = met.first;
  for (auto& pair : met.pairs) {
    auto line = pair +
                " (its client does not trust our certificate: it pins one, or has an authority in "
                "its code, out of reach of our agents; to see into it, have its tests name that authority in "
                "SSL_CERT_FILE, or whatever it reads, in place of the code)";
    run.capture.not_seen.push_back(line);
    aftermath.distrusting.push_back(std::move(line));
  }
  aftermath.clients = impl_->distrust.known();
  run.ended = clock.now();
  aftermath.in_command = impl_->clock.now() - really_began;
  page.reset();
  std::error_code left;
  std::filesystem::remove(page_file, left);
  if (stopped) run.stop = *stopped;
  if (stopped == trace::Stop::interrupted) run.incomplete = "the budget ended while it was under way";
  if (impl_->interrupted) run.stop = trace::Stop::interrupted;
  events.read_into(run);
  aftermath.runners = events.runners();
  aftermath.installed = events.installed();
  aftermath.troubles = events.troubles();
  std::filesystem::remove(environment.events, left);  // what tests threw stands in it as it came
  std::filesystem::remove(looking.memory, left);
  if (!spec.only_test.empty() && run.results.empty() && !stopped)
    run.results.push_back({spec.only_test, trace::Phase::test, run.exit_code == 0 ? "passed" : "failed", 0,
                           run.exit_code == 0 ? std::vector<trace::Thrown>{} : events.uncaught()});
  if (recorder.lost()) run.incomplete = fmt::format("{} (records lost: {})", recorder.failed(), recorder.lost());
  if (auto why = went_past(run.capture, impl_->reached); run.incomplete.empty()) run.incomplete = std::move(why);
  if (run.incomplete.empty()) run.incomplete = went_unseen(run.capture);
  aftermath.reached = run.capture.reached;
  aftermath.beyond = run.capture.beyond;
  aftermath.incomplete = run.incomplete;
  if (auto closed = (*writer)->end(run); !closed && run.incomplete.empty())
    aftermath.incomplete = "the trace could not be ended: " + closed.error().line();
  return aftermath;
}

}  // namespace retrial::campaign
