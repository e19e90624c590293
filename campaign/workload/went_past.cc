#include "campaign/workload/went_past.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace retrial::campaign {

std::string went_past(const trace::CaptureCounts& capture, std::set<std::string>& reached) {
  reached.insert(capture.reached.begin(), capture.reached.end());
  for (auto& service : capture.missed)
    if (reached.contains(service))
      return fmt::format(
          "a connection to {} went past Retrial, which this machine did not let reach the service in time: what was "
          "said "
          "there was not seen",
          service);
  return {};
}

std::string went_unseen(const trace::CaptureCounts& capture) {
  for (auto& name : capture.not_seen)
    for (int want : {EMFILE, ENFILE, ENOMEM, ENOBUFS})
      if (name.ends_with(fmt::format(": {})", std::strerror(want))))
        return fmt::format("Retrial could not look at a connection: {}; a higher limit (ulimit -n) helps", name);
  return {};
}

std::string went_unheard(const trace::Run& run, const std::set<std::string>& troubles) {
  if (troubles.empty() || run.exit_code == 0) return {};
  for (auto& test : run.tests)
    if (!trace::result_of(run, test))
      return fmt::format("a part of an agent of ours failed ({}), and what became of {} was not told",
                         *troubles.begin(), test);
  return {};
}

}  // namespace retrial::campaign
