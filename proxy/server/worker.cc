#include "proxy/server/worker.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <csignal>
#include <future>

namespace retrial::proxy {
namespace {
constexpr Nanos kDrainLook = 10 * kMillisecond;  // how often it is seen whether the last connection has gone

// What is recorded as fired the director is told as well.
class Firing final : public Recorder {
 public:
  Firing(std::unique_ptr<Recorder> to, RuleDirector& director) : to_(std::move(to)), director_(director) {}
  void head(const trace::Exchange& e) override { to_->head(e); }
  void answer(const trace::Exchange& e) override { to_->answer(e); }
  void fired(const trace::Exchange& e) override {
    to_->fired(e);
    director_.firing(e);
  }
  void over(const trace::Exchange& e) override { to_->over(e); }

 private:
  std::unique_ptr<Recorder> to_;
  RuleDirector& director_;
};
}  // namespace

Worker::Worker(Setting setting, SharedCalls& calls, const Clock& clock, Log& log)
    : setting_(std::move(setting)),
      clock_(clock),
      log_(log),
      mailbox_(loop_),
      director_(setting_.rules, calls, clock, setting_.place),
      look_(loop_, [this] { look(); }) {
  std::unique_ptr<Recorder> kept = std::make_unique<NoRecorder>();
  if (setting_.writer)
    kept = std::make_unique<TraceRecorder>(*setting_.writer, setting_.run.id, [this](const std::string& why) {
      setting_.run.incomplete = why;
      log_.say(Log::Level::error, why + "; from here on this run is incomplete, forwarding goes on");
    });
  recorder_ = std::make_unique<Firing>(std::move(kept), director_);
  setting_.options.say = [this](const std::string& line) {
    if (auto told = repeats_.tell(line, clock_.now()); !told.empty()) log_.say(Log::Level::warning, told);
  };
  proxy_ = std::make_unique<Proxy>(loop_, clock_, director_, *recorder_, setting_.options);
}

Worker::~Worker() {
  if (!thread_.joinable()) return;
  stop();
  join();
}

void Worker::start(std::vector<Doorway> doorways) {
  open(std::move(doorways));
  // Signals are for the thread that started us.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  thread_ = std::thread([this] {
    pthread_setname_np(pthread_self(), fmt::format("retrial-loop-{}", setting_.place.loop).c_str());
    loop_.run();
    end();
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Worker::change(std::vector<Doorway> doorways, std::shared_ptr<const Rules> rules) {
  auto moved = std::make_shared<std::vector<Doorway>>(std::move(doorways));
  mailbox_.post([this, moved, rules = std::move(rules)] {
    director_.follow(rules);
    open(std::move(*moved));
  });
}

// A socket that stays keeps its place in the kernel, with what waits in it; one that goes hands on what has connected.
void Worker::open(std::vector<Doorway> doorways) {
  std::vector<Open> next;
  for (auto& d : doorways) {
    auto stays = std::find_if(open_.begin(), open_.end(), [&](auto& o) { return o.key == d.key; });
    if (stays != open_.end()) {
      stays->listener->lead(d.mode, std::move(d.entrance));
      next.push_back(std::move(*stays));
      open_.erase(stays);
    } else {
      auto take = [this](Incoming incoming) { proxy_->take(std::move(incoming)); };
      next.push_back({d.key, std::make_unique<Listener>(loop_, d.fd, d.mode, std::move(d.entrance), take, log_)});
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
  mailbox_.post(
      [this, answer] { answer->set_value({proxy_->counts(), proxy_->connections(), proxy_->open_exchanges()}); });
  return state.get();
}

void Worker::end() {
  open_.clear();
  proxy_.reset();  // ends what is still open, and records it
  if (!setting_.writer) return;
  auto& run = setting_.run;
  run.ended = clock_.now();
  if (auto ok = setting_.writer->end(run); !ok && run.incomplete.empty())
    log_.say(Log::Level::error, "the trace could not be ended: " + ok.error().line());
  setting_.writer.reset();
}

}  // namespace retrial::proxy
