#include "campaign/workload/one_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "campaign/workload/director.h"
#include "campaign/workload/listeners.h"
#include "campaign/workload/restart.h"
#include "campaign/workload/went_past.h"
#include "trace/executions.h"

namespace retrial::campaign {
namespace {

constexpr Nanos kLook = 50 * kMillisecond;  // how often a run is looked at
// Of a hang in company, which is looked at once more alone.
constexpr Nanos kPatienceInCompany = 100 * kMillisecond;
constexpr Nanos kLingers = 1800 * kSecond;  // of the client's time: whoever sends again by himself has done so by then

// Of all children that have ended so far.
Nanos cpu_of_children() {
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  Nanos all = 0;
  for (auto& time : {used.ru_utime, used.ru_stime}) all += time.tv_sec * kSecond + time.tv_usec * 1000;
  return all;
}

// Where no connect is seen, nothing is known of them.
proxy::Looker::Roles roles_in(Servers& servers, proxy::Way way) {
  if (way == proxy::Way::none) return {};
  return {.only_serves = [&](pid_t process) { return servers.only_serves(process); },
          .has_connected = [&](pid_t process) { return servers.has_connected(process); },
          .started_a_client = [&](pid_t process) { return servers.started_a_client(process); }};
}

}  // namespace

// A command while it runs, in this order: what stands below ends first.
struct OneRun::UnderWay {
  UnderWay(OneRun& run, CampaignDirector& d)
      : director(d),
        events(*run.of_.loop, *run.clock_, run.of_.clock, d),
        recorder(*run.recorder_, run.spec_.aims.empty()),
        proxy(*run.of_.loop, *run.clock_, d, recorder, run.of_.options()),
        watchdog(run.spec_, *run.clock_, run.of_.clock),
        timer(*run.of_.loop, [this, &run] {
          run.look(*this);
          timer.set(kLook);
        }) {
    events.proxy = &proxy;
  }

  CampaignDirector& director;
  RunEvents events;
  ArmingRecorder recorder;
  proxy::Proxy proxy;
  std::unique_ptr<proxy::Tree> tree;
  Watchdog watchdog;
  proxy::Timer timer;
  std::map<std::string, std::pair<Nanos, Nanos>> natives;  // that stood in the way of the clock: first and last
  std::optional<proxy::Compressor> compressor;
};

OneRun::OneRun(Executor::Impl& of, std::uint64_t number, const RunSpec& spec)
    : of_(of),
      setting_(of.setting),
      spec_(spec),
      name_(fmt::format("{:04}", number)),
      page_file_(std::filesystem::absolute(setting_.folder / "time" / (name_ + ".page"))),
      launch_(spec.launch) {
  run_.id = number;
  run_.kind = spec.kind;
  run_.case_id = spec.case_id;
  run_.tests = spec.tests;
}

Result<Aftermath> OneRun::execute() {
  if (auto ok = open_page(); !ok) return std::unexpected(ok.error());
  really_began_ = of_.clock.now();
  auto cpu_before = cpu_of_children();
  run_.wall_began = clock_->wall();
  if (auto ok = set_up(); !ok) return std::unexpected(ok.error());
  if (auto ok = watch(); !ok) return std::unexpected(ok.error());
  Aftermath aftermath;
  aftermath.cpu = cpu_of_children() - cpu_before;
  conclude(aftermath);
  return aftermath;
}

Result<void> OneRun::open_page() {
  if (of_.compresses()) {
    auto made = proxy::TimePage::make(page_file_);
    if (!made) return std::unexpected(made.error());
    page_ = std::move(*made);
    if (spec_.moves_clock()) proxy::Compressor::prepare(*page_);
  }
  clock_.emplace(of_.clock, page_.get());
  return {};
}

Result<void> OneRun::set_up() {
  auto events = std::filesystem::absolute(setting_.folder / "events");
  environment_ = {std::filesystem::absolute(setting_.folder / "agents"), events_of(setting_.folder, run_.id),
                  events / (name_ + ".only"), &of_.trust};
  if (page_) environment_.time_page = page_file_;
  std::ofstream(environment_.events, std::ios::app).close();
  if (!launch_.only.empty()) std::ofstream(environment_.only) << launch_.only << '\n';

  auto writer = trace::SegmentWriter::open(trace_of(setting_.folder, run_.id), 1u << 20);
  if (!writer) return std::unexpected(writer.error());
  writer_ = std::move(*writer);
  run_.began = clock_->now();
  if (auto ok = writer_->begin(run_); !ok) return ok;
  recorder_.emplace(*writer_, run_.id);

  if (setting_.capture.way == proxy::Way::none)
    if (auto ok = open_ways_in(); !ok) return ok;
  if (!setting_.application.empty())
    launch_.environment.push_back(fmt::format("RETRIAL_APPLICATION={}", fmt::join(setting_.application, ",")));
  if (setting_.causes) launch_.environment.push_back("RETRIAL_CAUSES=1");
  if (page_ && spec_.moves_clock() && !spec_.rest_before.empty()) {
    launch_.environment.push_back(fmt::format("RETRIAL_REST={}", trace::kRest / kSecond));
    launch_.environment.push_back("RETRIAL_REST_BEFORE=" + spec_.rest_before);
  }
  if (auto ok = open_orders(); !ok) return ok;
  looking_ = {.urls = spec_.look, .test = spec_.tests.size() == 1 ? spec_.tests.front() : ""};
  if (of_.orders) looking_.orders = of_.orders->at();
  if (spec_.measured) looking_.memory = events / (name_ + ".memory");
  events_.emplace(environment_.events, [this] { return clock_->now(); });
  return {};
}

Result<void> OneRun::open_ways_in() {
  auto opened = WaysIn::open(setting_.capture, *of_.loop, [this](proxy::Incoming in) {
    if (taking_)
      taking_->take(std::move(in));
    else
      close(in.client);
  });
  if (!opened) return std::unexpected(opened.error());
  ways_in_ = std::move(*opened);
  environment_.proxy = ways_in_->forward();
  for (auto& variable : ways_in_->environment()) launch_.environment.push_back(variable);
  return {};
}

Result<void> OneRun::open_orders() {
  of_.orders.reset();
  if (setting_.processes.empty()) return {};
  auto orders = Orders::make(std::filesystem::absolute(setting_.folder / "time" / (name_ + ".orders")));
  if (!orders) return std::unexpected(orders.error());
  of_.orders = std::move(*orders);
  return {};
}

proxy::Command OneRun::command() {
  auto argv = looking_.asks_for_nothing() ? launch_.argv : around(launch_.argv, looking_);
  proxy::Command command{std::move(argv), environment_for(launch_, environment_), {}};
  if (spec_.attached) return command;
  auto log = setting_.folder / "logs" / (name_ + ".log");
  log_ = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  nothing_ = open("/dev/null", O_RDONLY | O_CLOEXEC);
  command.in = nothing_;
  command.out = command.err = log_;
  command.own_group = true;
  return command;
}

Result<void> OneRun::watch() {
  auto start = command();
  Lift lift;
  if (spec_.lifts) lift = {spec_.attempts_limit, spec_.client_time_limit};
  CampaignDirector director(run_, *events_, spec_.aims, spec_.only_test, spec_.lessons, lift);
  director.read_as(setting_.profiles);
  director.describe(setting_.descriptions);
  director.tell_sites({std::filesystem::current_path(), setting_.folder / "agents" / "native" / "lines"});
  UnderWay under_way(*this, director);
  taking_ = &under_way.proxy;
  auto tree = proxy::Tree::start(*of_.loop, *clock_, start, setting_.capture.way, under_way.events);
  for (int descriptor : {log_, nothing_})
    if (descriptor >= 0) close(descriptor);
  if (!tree) {
    ways_in_.reset();
    return std::unexpected(tree.error());
  }
  under_way.tree = std::move(*tree);
  if (!looking_.asks_for_nothing()) director.spare(under_way.tree->pid());
  of_.tree = under_way.tree.get();
  of_.attached = spec_.attached;
  under_way.timer.set(kLook);
  if (page_ && spec_.moves_clock()) {
    under_way.compressor.emplace(*of_.loop, *page_, *clock_, under_way.tree->root(), surroundings(under_way));
    under_way.events.compressor = under_way.recorder.compressor = &*under_way.compressor;
    run_.compressed = true;
  }
  of_.loop->run();
  of_.tree = nullptr;
  if (auto failed = of_.orders ? of_.orders->failed() : ""; !failed.empty())
    run_.incomplete =
        fmt::format("the process that was ended was not started again: `{}` ([process]) cannot be run", failed);
  of_.orders.reset();
  ways_in_.reset();
  run_.capture = under_way.tree->counts();
  run_.capture.tunnels = under_way.proxy.tunnels();
  run_.connection_faults = under_way.proxy.connection_faults();
  note_clock(under_way);
  auto status = under_way.events.status.value_or(0);
  run_.stop = WIFSIGNALED(status) ? trace::Stop::signalled : trace::Stop::exited;
  run_.exit_code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  return {};  // the proxy ends what is still open, and records it
}

// Ends the command where it is time.
void OneRun::look(UnderWay& under_way) {
  if (stopped_ || under_way.events.status) return;
  auto& proxy = under_way.proxy;
  auto& recorder = under_way.recorder;
  auto& watchdog = under_way.watchdog;
  auto& director = under_way.director;
  stopped_ = watchdog.look(proxy, *under_way.tree, director.target_attempts(), director.in_vain(),
                           under_way.compressor ? under_way.compressor->last_wait() : 0);
  if (spec_.sampled_exchanges && recorder.exchanges >= spec_.sampled_exchanges) stopped_ = trace::Stop::deadline;
  if (spec_.after_fault && recorder.fired_at && clock_->now() - recorder.fired_at >= spec_.after_fault &&
      proxy.last_activity() - recorder.fired_at >= spec_.after_fault / 2)
    stopped_ = trace::Stop::deadline;
  if (!stopped_ && watchdog.idle_for(kLingers, proxy) && tests_are_over()) stopped_ = trace::Stop::hung;
  if (stopped_ == trace::Stop::held && spec_.lifts && proxy.held_since() != 0) {
    proxy.give_up_held(clock_->now() - spec_.hold);
    stopped_.reset();
  }
  if (stopped_) under_way.tree->kill();
}

// All tests of this run have said how they ended, and one has failed: what keeps the process now is what that one left
// open (oracles/failure.h, failed_and_was_over).
bool OneRun::tests_are_over() {
  events_->read_into(run_);
  auto result = [&](auto& test) { return trace::result_of(run_, test); };
  return !spec_.tests.empty() && !events_->open() && std::ranges::all_of(spec_.tests, result) &&
         std::ranges::any_of(spec_.tests, [&](auto& test) { return trace::bad(*result(test)); });
}

proxy::Compressor::Surroundings OneRun::surroundings(UnderWay& under_way) {
  auto pending = [this, &under_way] {
    look(under_way);  // an attempt, and a test's end, are noted before the clock is moved on
    events_->read_into(run_);
    auto& tree = *under_way.tree;
    auto& proxy = under_way.proxy;
    if (stopped_ || tree.command_ended() || tree.dialling() || proxy.awaited() > proxy.streaming()) return true;
    auto native = tree.native_open();
    if (native.empty()) return false;
    auto now = of_.clock.now();
    under_way.natives.try_emplace(native, now, now).first->second.second = now;
    return true;
  };
  proxy::Compressor::Surroundings around{
      .pending = pending,
      .next_limit = [&] { return under_way.watchdog.next(under_way.proxy, *under_way.tree); },
      .furthest = [&] { return under_way.watchdog.furthest(under_way.proxy); },
      .moved = [this, &under_way] { look(under_way); },
      .roles = roles_in(under_way.events.servers, setting_.capture.way)};
  if (spec_.lifts) around.patience = kPatienceInCompany;
  return around;
}

void OneRun::note_clock(UnderWay& under_way) {
  if (!under_way.compressor) return;
  run_.jumps = std::move(under_way.compressor->jumps);
  run_.real_time = under_way.compressor->real_time();
  for (auto& [line, times] : under_way.natives)
    if (times.second - times.first >= kLook) run_.real_time.push_back(line);  // else it was a query, or the like
  under_way.events.compressor = under_way.recorder.compressor = nullptr;
}

void OneRun::conclude(Aftermath& aftermath) {
  std::ifstream(looking_.memory) >> aftermath.memory;
  note_distrust(aftermath);
  events_->read_into(run_);
  run_.ended = clock_->now();
  aftermath.in_command = of_.clock.now() - really_began_;
  clock_.reset();
  page_.reset();
  std::error_code left;
  std::filesystem::remove(page_file_, left);
  if (stopped_) run_.stop = *stopped_;
  if (of_.interrupted) run_.stop = trace::Stop::interrupted;
  aftermath.runners = events_->runners();
  aftermath.installed = events_->installed();
  aftermath.made_serial = events_->made_serial();
  aftermath.troubles = events_->troubles();
  std::filesystem::remove(environment_.events, left);  // what tests threw stands in it as it came
  std::filesystem::remove(looking_.memory, left);
  if (!spec_.only_test.empty() && run_.results.empty() && !stopped_)
    run_.results.push_back({spec_.only_test, trace::Phase::test, run_.exit_code == 0 ? "passed" : "failed", 0,
                            run_.exit_code == 0 ? std::vector<trace::Thrown>{} : events_->uncaught()});
  if (recorder_->lost()) run_.incomplete = fmt::format("{} (records lost: {})", recorder_->failed(), recorder_->lost());
  if (auto why = went_past(run_.capture, of_.reached); run_.incomplete.empty()) run_.incomplete = std::move(why);
  if (run_.incomplete.empty()) run_.incomplete = went_unseen(run_.capture);
  if (run_.incomplete.empty()) run_.incomplete = went_unheard(run_, aftermath.troubles);
  aftermath.reached = run_.capture.reached;
  aftermath.beyond = run_.capture.beyond;
  aftermath.incomplete = run_.incomplete;
  if (auto closed = writer_->end(run_); !closed && run_.incomplete.empty())
    aftermath.incomplete = "the trace could not be ended: " + closed.error().line();
}

void OneRun::note_distrust(Aftermath& aftermath) {
  auto met = of_.distrust.settle();
  aftermath.failed_distrusting = met.first;
  for (auto& pair : met.pairs) {
    auto line = pair +
                " (its client does not trust our certificate: it pins one, or has an authority in "
                "its code, out of reach of our agents; to see into it, have its tests name that authority in "
                "SSL_CERT_FILE, or whatever it reads, in place of the code)";
    run_.capture.not_seen.push_back(line);
    aftermath.distrusting.push_back(std::move(line));
  }
  aftermath.clients = of_.distrust.known();
}

}  // namespace retrial::campaign
