#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "proxy/capture/tree.h"

namespace retrial::test {

// The ways that work here: both, but in a container that refuses pidfd_getfd. What is left out is said on stderr.
const std::vector<proxy::Way>& ways();
bool works(proxy::Way way);

// A listener with one thread that answers each line with "hello ADDRESS-OF-CLIENT\n" and closes.
class Service {
 public:
  // `host` is an address without port; backlog as in listen(). It accepts only while it is open.
  explicit Service(const std::string& host = "127.0.0.1", int backlog = 4096, bool open = true);
  ~Service();
  Service(const Service&) = delete;
  proxy::Address address() const { return address_; }
  std::string port() const { return std::to_string(address_.port()); }
  void open();           // from now on it accepts
  int accepted() const;  // stops the thread

 private:
  void serve();
  int listener_;
  int stop_;
  proxy::Address address_;
  int accepted_ = 0;
  mutable std::thread thread_;
};
std::string closed_port();  // of 127.0.0.1 and ::1: nobody listens there

struct Connection {
  proxy::Address original;
  pid_t pid = 0;
  trace::FaultSpec fault;
};
struct Met {
  proxy::Address service;
  pid_t pid = 0;
  trace::FaultSpec fault;
  std::string not_fired;
};
struct Outcome {
  int status = -1;  // as waitpid gives it
  pid_t pid = 0;
  std::string output;
  trace::CaptureCounts counts;
  std::vector<Connection> connections;
  int asked = 0;         // what a connect shall meet
  std::vector<Met> met;  // and what it has
  Nanos cpu_time = 0;
  std::string error;  // start() failed, or the run was cut off after a minute
};

struct RunOptions {
  std::function<void(proxy::Tree&)> each_millisecond;  // called on the loop while the tree runs
  std::function<void(proxy::Tree&)> connected;         // at each connection
  std::vector<trace::FaultSpec> faults = {};           // of the first connects; the others pass
  Nanos moved = 0;                                     // on goes the client's clock when the first of the others comes
};
// Runs argv (of client(), or any other), relaying its connections to their services.
Outcome run_captured(proxy::Way way, const std::vector<std::string>& argv, const RunOptions& options = {});
Outcome run_native(const std::vector<std::string>& argv);

}  // namespace retrial::test
