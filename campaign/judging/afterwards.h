#pragma once
#include <filesystem>
#include <map>

#include "trace/calls/correlator.h"
#include "trace/calls/operation.h"
#include "trace/profiles/profile.h"

namespace retrial::campaign {

// A folder of segments, as `serve` records them.
inline bool holds_segments(const std::filesystem::path& folder) {
  std::error_code error;
  for (auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".seg") return true;
  return false;
}

// A proxy that stays decides most requests without asking which call they are of: that is found here.
class Afterwards {
 public:
  void head(std::uint64_t run, trace::Exchange& e) {
    if (e.profile.empty()) e.profile = trace::profile_for(e).name();
    if (e.operation.empty()) e.operation = trace::operation_of(e);
    auto assigned = correlators_[run].at_head(e);
    e.call = assigned.call;
    e.attempt = assigned.attempt;
    e.confidence = assigned.confidence;
  }
  void over(std::uint64_t run, const trace::Exchange& e) { correlators_[run].over(e); }

 private:
  std::map<std::uint64_t, trace::Correlator> correlators_;
};

}  // namespace retrial::campaign
