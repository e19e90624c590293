#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "proxy/server/log.h"
#include "proxy/server/rules.h"
#include "proxy/server/settings.h"

namespace retrial::proxy {

// A proxy that stays: listeners, loop threads, rules, recording (docs/serve.md). All of its functions from one thread.
class Server {
 public:
  // Everything that can be refused is refused here, before anything listens: each error is one line.
  static Result<std::unique_ptr<Server>> start(ServerSettings settings, const Clock& clock, Log& log);
  ~Server();  // ends its connections; the trace is ended
  Server(const Server&) = delete;

  // Where it listens, in the order of the settings, with the ports that the kernel chose.
  std::vector<Address> listening() const;
  // Listeners and rules as these settings have them. A listener that stays keeps its socket and what waits in it; open
  // connections go on. An error changes nothing. Loops, recording and limits stay as they were at the start; a first
  // listener that is not `reverse` needs a new one.
  Result<void> reload(ServerSettings settings);
  // Other rules, all else as it is: profiles and descriptions as the settings had them last. Every loop has them when
  // it returns.
  void follow(std::vector<RuleSettings> rules);
  std::shared_ptr<const Rules> rules() const;  // that are in force, with their counts

  // Whether faults are injected; resume() and halt() are to be called here.
  Safety& safety();
  void resume(Nanos ttl);             // as Safety::resume
  void halt(const std::string& why);  // as Safety::halt; what a fault holds for ever is let go: its connection ends
  std::optional<std::string> look();  // as Safety::look
  std::vector<Meter::OfService> counts() const;  // of all loops; empty where ServerSettings::metered is not said

  // Closes the listeners, lets the answers under way come to their end, and calls `done` when the last connection has
  // gone: from another thread, once.
  void drain(std::function<void()> done);

  struct State {
    Counts counts;  // of all loops together
    std::size_t connections = 0;
    std::size_t open_exchanges = 0;
    std::uint64_t unrecorded = 0;  // records that could not be written into the trace
  };
  State state() const;
  int loops() const;
  const trace::Run& run() const;  // as its trace begins with it

 private:
  struct Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace retrial::proxy
