#pragma once
#include <list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "trace/run.h"

namespace retrial::trace {

// An address as it was met in one test of one run, and what is known of the service there.
struct Met {
  std::string address, name;
  std::set<std::uint64_t> asked;  // poll_key: call sites and operations
  Nanos first = 0, last = 0;      // begin of its first and of its last request
};
// Of one run, by test ("" where none is known), in the order in which they were met.
using MetByTest = std::map<std::string, std::vector<Met>>;

// Who the services of a suite are. One whose port is the same in the runs without faults has its address for a name.
// One whose port is not (a fixture takes the first that is free) is known by what is asked of it, and among several
// that are asked the same by the order in which a test meets them: "127.0.0.1:*", the next of its host "127.0.0.1:*2".
// A port that the kernel picks (service_name.h) and that came in one run alone is taken for such a one.
class Services {
 public:
  // Learns from runs without faults, and names the services in them. `fixed`: addresses that the user has named.
  void learn(std::list<Run>& runs, const std::set<std::string>& fixed);
  // Learns from runs in which they were named before: of a stored campaign.
  void recall(const Run& run);
  // Names them in another run, by all that was asked in it.
  void name(Run& run) const;

 private:
  friend class ServicesOfRun;
  std::set<std::string> known_;                // names that are addresses
  std::set<std::string, std::less<>> silent_;  // addresses of which nothing was asked that we can read
  MetByTest tests_;                            // what was asked of whom, in all runs
  std::vector<Met> in_all_tests_;
};

// The same while a run goes on, by what was asked so far. `services` must outlive it.
class ServicesOfRun {
 public:
  explicit ServicesOfRun(const Services& services) : services_(services) {}

  // Of a request whose site, test and operation are filled in.
  std::string at_head(const Exchange& head);
  // Of a connection at which nothing was asked yet.
  std::string at_connect(const std::string& test, std::string_view address, Nanos at);

 private:
  friend class Services;
  bool see(const Exchange& head);
  void name(const std::string& test);
  void name_others(const std::vector<Met*>& met) const;
  std::string name_of(const std::string& test, std::string_view address) const;

  const Services& services_;
  std::set<std::string, std::less<>> addresses_;
  MetByTest met_;
};

// One word for all ports of a host that change: what tells those apart above says nothing of how many they are.
// "127.0.0.1:*#a": "127.0.0.1:*"
std::string one_for_all_ports(std::string address);

}  // namespace retrial::trace
