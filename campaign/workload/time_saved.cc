#include "campaign/workload/time_saved.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"

namespace retrial::campaign {
namespace {
// "tool[123] (static)" -> "tool (static)"
std::string without_number(std::string name) {
  auto open = name.find('['), close = name.find(']');
  if (open != name.npos && close != name.npos && open < close) name.erase(open, close + 1 - open);
  return name;
}
}  // namespace

void TimeSaved::add(const trace::Run& run) {
  runs_++;
  compressed_ += run.compressed;
  for (auto& jump : run.jumps) by_ += jump.by;
  for (auto& name : run.real_time) real_time_.insert(without_number(name));
}

std::string TimeSaved::line() const {
  std::string out;
  if (by_ > 0)
    out = fmt::format("clients waited {} that took no time, in {} of {} runs", show_duration(by_), compressed_, runs_);
  if (real_time_.empty()) return out;
  return fmt::format("{}{}the clock of {} could not be moved", out, out.empty() ? "" : "; ",
                     fmt::join(real_time_, ", "));
}

}  // namespace retrial::campaign
