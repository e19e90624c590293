#include "proxy/server/worker.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <csignal>
#include <future>

namespace retrial::proxy {
namespace {
constexpr Nanos kDrainLook = 10 * kMillisecond;  // how often it is seen whether the last connection has gone

// What is recorded as fired the director is told as well, and what is over is counted.
class Firing final : public Recorder {
 public:
  Firing(std::unique_ptr<Recorder> to, RuleDirector& director, Meter* meter)
      : to_(std::move(to)), director_(director), meter_(meter) {}
  void head(const trace::Exchange& e) override { to_->head(e); }
  void answer(const trace::Exchange& e) override { to_->answer(e); }
  void fired(const trace::Exchange& e) override {
    to_->fired(e);
    director_.firing(e);
  }
  void over(const trace::Exchange& e) override {
    to_->over(e);
    if (meter_) meter_->over(e);
  }

 private:
  std::unique_ptr<Recorder> to_;
  RuleDirector& director_;
  Meter* meter_;
};
}  // namespace

Worker::Saying::Saying(QuietLog& to, Loop& loop)
    : to_(to), reminder_(loop, [this] {
        waiting_ = false;
        to_.remind();
        wait();
      }) {}

void Worker::Saying::say(Level level, std::string_view line) {
  to_.say(level, line);
  wait();
}

void Worker::Saying::wait() {
  if (waiting_) return;
  auto due = to_.due();
  if (!due) return;
  waiting_ = true;
  reminder_.set(*due);
}

Worker::Worker(Setting setting, SharedCalls& calls, Incomplete& incomplete, const Clock& clock, QuietLog& log)
    : setting_(std::move(setting)),
      incomplete_(incomplete),
      clock_(clock),
      log_(log, loop_),
      mailbox_(loop_),
      director_(setting_.rules, calls, clock, setting_.place),
      look_(loop_, [this] { look(); }) {
  std::unique_ptr<Recorder> kept = std::make_unique<NoRecorder>();
  if (setting_.writer) {
    auto trace = std::make_unique<TraceRecorder>(
        *setting_.writer, setting_.run.id,
        [this](TraceRecorder::Trouble trouble, const std::string& line) { told(trouble, line); });
    trace_ = trace.get();
    kept = std::move(trace);
  }
  recorder_ = std::make_unique<Firing>(std::move(kept), director_, setting_.meter);
  setting_.options.say = [this](const std::string& line) { log_.say(Log::Level::warning, line); };
  proxy_ = std::make_unique<Proxy>(loop_, clock_, director_, *recorder_, setting_.options);
}

Worker::~Worker() {
  if (!thread_.joinable()) return;
  stop();
  join();
}

void Worker::start(std::vector<ListenerSocket> sockets) {
  open(std::move(sockets));
  // Signals are for the thread that started us, but for what a thread brings upon itself
  // (trace/recording/lost_pages.h).
  sigset_t all, before;
  sigfillset(&all);
  for (int own : {SIGBUS, SIGSEGV, SIGFPE, SIGILL}) sigdelset(&all, own);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  thread_ = std::thread([this] {
    pthread_setname_np(pthread_self(), fmt::format("retrial-loop-{}", setting_.place.loop).c_str());
    loop_.run();
    end();
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Worker::change(std::vector<ListenerSocket> sockets, std::shared_ptr<const Rules> rules) {
  auto moved = std::make_shared<std::vector<ListenerSocket>>(std::move(sockets));
  mailbox_.post([this, moved, rules = std::move(rules)] {
    director_.follow(rules);
    open(std::move(*moved));
  });
}

void Worker::follow(std::shared_ptr<const Rules> rules) {
  mailbox_.post([this, rules = std::move(rules)] { director_.follow(rules); });
}

void Worker::let_go() {
  mailbox_.post([this] {
    if (proxy_) proxy_->give_up_held(clock_.now());
  });
}

// A socket that stays keeps its place in the kernel, with what waits in it; one that goes hands on what has connected.
void Worker::open(std::vector<ListenerSocket> sockets) {
  std::vector<Open> next;
  for (auto& d : sockets) {
    auto stays = std::find_if(open_.begin(), open_.end(), [&](auto& o) { return o.key == d.key; });
    if (stays != open_.end()) {
      stays->listener->lead(d.mode, std::move(d.options));
      next.push_back(std::move(*stays));
      open_.erase(stays);
    } else {
      auto has_room = [this] { return proxy_->has_room(); };
      auto take = [this](Incoming incoming) { proxy_->take(std::move(incoming)); };
      next.push_back(
          {d.key, std::make_unique<Listener>(loop_, d.fd, d.mode, std::move(d.options), has_room, take, log_)});
    }
  }
  open_ = std::move(next);
}

void Worker::drain(std::function<void()> drained) {
  mailbox_.post([this, drained = std::move(drained)] {
    open_.clear();
    proxy_->drain();
    when_drained_ = drained;
    look();
  });
}

void Worker::look() {
  if (!when_drained_) return;
  if (!drained()) return look_.set(kDrainLook);
  std::exchange(when_drained_, nullptr)();
}

void Worker::stop() {
  mailbox_.post([this] { loop_.stop(); });
}

void Worker::join() {
  if (thread_.joinable()) thread_.join();
}

Worker::State Worker::ask() {
  auto answer = std::make_shared<std::promise<State>>();
  auto state = answer->get_future();
  mailbox_.post([this, answer] {
    auto unrecorded = trace_ ? trace_->lost() : 0;
    answer->set_value({proxy_->counts(), proxy_->connections(), proxy_->open_exchanges(), unrecorded});
  });
  return state.get();
}

void Worker::end() {
  open_.clear();
  proxy_->cut();
  proxy_.reset();  // ends what is still open, and records it
  setting_.run.ended = clock_.now();
  if (trace_) incomplete_.lost(trace_->lost());
}

void Worker::end_trace() {
  if (!setting_.writer) return;
  if (setting_.run.ended == 0) setting_.run.ended = clock_.now();  // it never ran: another's start was refused
  setting_.run.incomplete = incomplete_.why();
  auto ok = setting_.writer->end(setting_.run);
  if (ok) return;
  auto why = "the trace could not be ended: " + ok.error().line();
  if (incomplete_.say(why)) log_.say(Log::Level::error, why + "; this run is incomplete");
}

void Worker::told(TraceRecorder::Trouble trouble, const std::string& line) {
  if (trouble == TraceRecorder::Trouble::over) return log_.say(Log::Level::warning, line);
  incomplete_.say(line);
  log_.say(Log::Level::error, line + "; this run is incomplete, forwarding goes on, and each record is tried again");
}

}  // namespace retrial::proxy
