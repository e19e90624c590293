#pragma once
#include <map>
#include <string>
#include <tuple>

#include "oracles/recognition.h"
#include "trace/finding.h"

namespace retrial::oracles {

// What the services showed of repeats over several cases. An answer that is lost again, or given by a fault, shows
// nothing in its own case, where another case of the same call site and operation does.
class KnownRepeats {
 public:
  void add(const trace::Comparison& seen);
  // Is it about a repeat of what the service knew again elsewhere, and never did twice?
  bool refutes(const trace::Finding& finding) const;

 private:
  using Place = std::tuple<std::string, std::string, std::string>;  // service, call site, operation
  std::map<Place, Shown::Effects> shown_;
};

}  // namespace retrial::oracles
