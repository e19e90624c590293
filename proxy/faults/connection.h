#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "trace/exchange.h"

namespace retrial::proxy {

// What stands on the wire once a fault of a connection (is_of_connection) was done to it, for the reader of a finding.
std::string connection_evidence(const trace::FaultSpec& fault);

// Faults that connections have met, until a request carries them: a connect comes before any exchange. One loop's.
class ConnectionFaults {
 public:
  void fired(std::int32_t pid, std::string_view service, const trace::FaultSpec& fault, Nanos now);
  bool empty() const { return waiting_.empty(); }
  // A request of `e`'s process to its service: it carries what its process has met before, as its own fault, fired.
  // False: there is nothing, or it has a fault of its own (then the next one carries it).
  bool carried_by(trace::Exchange& e);
  std::uint64_t count() const { return count_; }  // that have fired

 private:
  struct Met {
    trace::FaultSpec fault;
    Nanos at = 0;
    int times = 0;
  };
  std::map<std::pair<std::int32_t, std::string>, Met> waiting_;
  std::uint64_t count_ = 0;
};

}  // namespace retrial::proxy
