#pragma once
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "proxy/proxy.h"
#include "proxy/server/listener.h"
#include "proxy/server/mailbox.h"
#include "proxy/server/repeats.h"
#include "proxy/server/rules.h"
#include "proxy/server/trace_recorder.h"

namespace retrial::proxy {

// Where a worker listens: a socket of its own, or none where it has one for this address already.
struct Doorway {
  std::string key;  // address and kind of the socket; the same over a reload
  int fd = -1;      // owned by the worker once it has opened
  Mode mode = Mode::reverse;
  std::shared_ptr<const Entrance> entrance;
};

// One loop thread of a server with all that belongs to it: proxy, rules, recorder, listening sockets. It shares nothing
// with the others but SharedCalls, and what is read only.
class Worker {
 public:
  struct Setting {
    Options options;
    RuleDirector::Place place;
    std::shared_ptr<const Rules> rules;
    std::unique_ptr<trace::SegmentWriter> writer;  // null: nothing is recorded
    trace::Run run;                                // as the trace begins with it
  };
  Worker(Setting setting, SharedCalls& calls, const Clock& clock, Log& log);
  ~Worker();  // stops, if it still runs
  Worker(const Worker&) = delete;

  void start(std::vector<Doorway> doorways);
  // These from any thread, while it runs.
  void change(std::vector<Doorway> doorways, std::shared_ptr<const Rules> rules);
  void drain(std::function<void()> drained);  // called on its thread, once
  void stop();                                // ends its connections; returns at once
  void join();                                // when it has stopped
  struct State {
    Counts counts;
    std::size_t connections = 0;
    std::size_t open_exchanges = 0;
  };
  State ask();  // waits for its thread, which must run

 private:
  void open(std::vector<Doorway> doorways);
  void look();
  void end();
  bool drained() const { return proxy_->connections() == 0; }

  Setting setting_;
  const Clock& clock_;
  Log& log_;
  Repeats repeats_;
  Loop loop_;
  Mailbox mailbox_;
  RuleDirector director_;
  std::unique_ptr<Recorder> recorder_;
  std::unique_ptr<Proxy> proxy_;
  struct Open {
    std::string key;
    std::unique_ptr<Listener> listener;
  };
  std::vector<Open> open_;
  std::function<void()> when_drained_;
  Timer look_;
  std::thread thread_;
};

}  // namespace retrial::proxy
