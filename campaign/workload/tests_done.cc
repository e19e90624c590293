#include "campaign/workload/tests_done.h"

namespace retrial::campaign {

std::size_t TestsDone::count() {
  trace::Run since;
  events_.read_into(since);
  for (auto& result : since.results) tests_.insert(std::move(result.test));
  return tests_.size();
}

}  // namespace retrial::campaign
