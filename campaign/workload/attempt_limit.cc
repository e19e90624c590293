#include "campaign/workload/attempt_limit.h"

namespace retrial::campaign {
namespace {

constexpr int kInVain = 3000;  // of one request in a row: whoever sends it has no cap, also where the fault has passed
constexpr double kMostlyWaits = 1.5;  // of the client's time to the real one: more than a third of it was skipped

}  // namespace

bool AttemptLimit::reached(int attempts, int in_vain) {
  if (attempts > attempts_) {
    if (attempts_ == 0) since_ = client_.now(), really_since_ = real_.now();
    attempts_ = attempts;
    last_ = client_.now();
  }
  bool looks = may_look_until_ready();
  if (!spec_.aims.empty() && in_vain > kInVain && !looks) return true;
  if (spec_.lifts) return false;
  if (spec_.attempts_limit && attempts > spec_.attempts_limit && !looks) return true;
  return spec_.client_time_limit && last_ - since_ > spec_.client_time_limit;
}

bool AttemptLimit::may_look_until_ready() const {
  auto client = client_.now() - since_, real = real_.now() - really_since_;
  return attempts_ > 0 && client < spec_.looks_limit &&
         static_cast<double>(client) >= kMostlyWaits * static_cast<double>(real);
}

}  // namespace retrial::campaign
