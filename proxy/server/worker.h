#pragma once
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "proxy/proxy.h"
#include "proxy/server/incomplete.h"
#include "proxy/server/listener.h"
#include "proxy/server/mailbox.h"
#include "proxy/server/quiet_log.h"
#include "proxy/server/rules.h"
#include "proxy/server/trace_recorder.h"

namespace retrial::proxy {

// Where a worker listens: a socket of its own, or none where it has one for this address already.
struct ListenerSocket {
  std::string key;  // address and kind of the socket; the same over a reload
  int fd = -1;      // owned by the worker once it has opened
  Mode mode = Mode::reverse;
  std::shared_ptr<const ListenerOptions> options;
};

// One loop thread of a server with all that belongs to it: proxy, rules, recorder, listening sockets. It shares nothing
// with the others but SharedCalls, Incomplete, QuietLog, and what is read only.
class Worker {
 public:
  struct Setting {
    Options options;
    RuleDirector::Place place;
    std::shared_ptr<const Rules> rules;
    std::unique_ptr<trace::SegmentWriter> writer;  // null: nothing is recorded
    trace::Run run;                                // as the trace begins with it
    Meter* meter = nullptr;                        // null: nothing is counted
  };
  Worker(Setting setting, SharedCalls& calls, Incomplete& incomplete, const Clock& clock, QuietLog& log);
  ~Worker();  // stops, if it still runs
  Worker(const Worker&) = delete;

  void start(std::vector<ListenerSocket> sockets);
  // These from any thread, while it runs.
  void change(std::vector<ListenerSocket> sockets, std::shared_ptr<const Rules> rules);
  void follow(std::shared_ptr<const Rules> rules);
  void let_go();                              // ends the connections whose exchanges a fault holds for ever
  void drain(std::function<void()> drained);  // called on its thread, once
  void stop();                                // ends its connections; returns at once
  void join();                                // when it has stopped
  // After join(): ends the run in its part of the trace, incomplete if that of any loop is. May be done again where it
  // has become so meanwhile.
  void end_trace();
  struct State {
    Counts counts;
    std::size_t connections = 0;
    std::size_t open_exchanges = 0;
    std::uint64_t unrecorded = 0;
  };
  State ask();  // waits for its thread, which must run

 private:
  void open(std::vector<ListenerSocket> sockets);
  void look();
  void end();
  bool drained() const { return proxy_->connections() == 0; }

  void told(TraceRecorder::Trouble trouble, const std::string& line);

  Setting setting_;
  Incomplete& incomplete_;
  const Clock& clock_;
  // The log, which is to be reminded of what it left out once this loop has said something.
  class Saying final : public Log {
   public:
    Saying(QuietLog& to, Loop& loop);
    void say(Level level, std::string_view line) override;

   private:
    void wait();
    QuietLog& to_;
    Timer reminder_;
    bool waiting_ = false;
  };

  Loop loop_;
  Saying log_;
  Mailbox mailbox_;
  RuleDirector director_;
  std::unique_ptr<Recorder> recorder_;
  const TraceRecorder* trace_ = nullptr;  // in it; null: nothing is recorded
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
