#pragma once
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace retrial::proxy {

// Clients that do not trust our certificate whatever their environment says: they pin one, or have an authority in
// their own code. Known by the service and the server name they ask for. Their connections are passed unopened from
// then on. Loop thread only; the runs of a campaign share one. Names are whatever clients say: no more than kMost are
// kept of each kind, and who comes after them is opened, and not noticed.
class Distrust {
 public:
  static constexpr std::size_t kMost = 1000;
  static std::string pair(const std::string& service, const std::string& name) { return service + ", name " + name; }

  // Whether a connection is to be passed unopened. If so it counts as met.
  bool passes(const std::string& pair);
  // Whether a process trusts us wherever it trusts the service, and so may be right to refuse a certificate of ours.
  std::function<bool(int pid)> judges = [](int) { return false; };
  // A client has refused our certificate. True: for the first time.
  bool refused(const std::string& pair);
  // A client went on after the handshake: it trusts us.
  void asked(const std::string& pair);
  bool trusts(const std::string& pair) const { return trusting_.contains(pair); }  // has one been seen to?
  // A client left after the handshake and asked for nothing: it may have looked at our certificate only then. So does a
  // probe that wants to see whether the service is up; it is known by what comes after it. One that judges and refuses
  // counts as one that left: if another goes on, it was right.
  void left(const std::string& pair);

  struct Met {
    std::vector<std::string> pairs;
    bool first = false;  // one of them was not known before this run: its first connection failed
  };
  // What is known of clients, and what another who has met some has learned of them.
  struct Known {
    std::set<std::string> refusing, trusting;
  };
  Known known() const { return {known_, trusting_}; }
  void learn(const Known& known);
  // The run is over: who left and never asked is known from now on. Gives and forgets what this run has met.
  Met settle();

 private:
  using Pairs = std::set<std::string>;
  static bool note(Pairs& in, const std::string& pair);  // true: it is new there
  Pairs known_, trusting_, left_, met_;
  bool first_ = false;
};

}  // namespace retrial::proxy
