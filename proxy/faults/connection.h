#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/run.h"

namespace retrial::proxy {

// What stands on the wire once a fault of a connection (is_of_connection) was done to it, for the reader of a finding.
std::string connection_evidence(const trace::FaultSpec& fault);

// Faults that connections have met, until a request carries them: a connect comes before any exchange. One loop's. What
// is alike is one entry; beyond kMost of them (processes and, of a forward proxy, services are as many as clients like)
// nothing new is kept.
class ConnectionFaults {
 public:
  static constexpr std::size_t kMost = 10'000;
  void fired(std::int32_t pid, std::string_view service, const trace::FaultSpec& fault, Nanos now);
  void not_fired(std::int32_t pid, std::string_view service, const trace::FaultSpec& fault, std::string_view why,
                 Nanos now);
  bool empty() const { return waiting_.empty(); }
  // A request of `e`'s process to its service: it carries what its process has met before, as its own fault, fired.
  // False: there is nothing, or it has a fault of its own (then the next one carries it).
  bool carried_by(trace::Exchange& e);
  const std::vector<trace::ConnectionFault>& all() const { return all_; }  // also those that nothing carried

 private:
  struct Met {
    std::size_t at = 0;  // in all_
    Nanos since = 0;
    int times = 0;
  };
  std::size_t count(trace::ConnectionFault met);  // its place in all_; kMost: it has none

  std::map<std::pair<std::int32_t, std::string>, Met> waiting_;
  std::vector<trace::ConnectionFault> all_;
};

}  // namespace retrial::proxy
