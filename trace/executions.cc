#include "trace/executions.h"

#include <fmt/format.h>

#include <algorithm>

namespace retrial::trace {
namespace {

constexpr std::string_view kAgain = " [again ";

}  // namespace

std::string execution_of(const std::string& test, int nth) {
  return nth == 1 ? test : fmt::format("{}{}{}]", test, kAgain, nth);
}

std::string_view test_of(std::string_view execution) {
  auto at = execution.rfind(kAgain);
  if (at == std::string_view::npos || !execution.ends_with(']')) return execution;
  auto nth = execution.substr(at + kAgain.size(), execution.size() - 1 - at - kAgain.size());
  bool number = !nth.empty() && std::ranges::all_of(nth, [](char c) { return c >= '0' && c <= '9'; });
  return number ? execution.substr(0, at) : execution;
}

Run as_test(Run slice) {
  auto rename = [](std::string& name) { name.resize(test_of(name).size()); };
  std::ranges::for_each(slice.tests, rename);
  for (auto& r : slice.results) rename(r.test);
  for (auto& s : slice.stages) rename(s.test);
  for (auto& e : slice.exchanges) rename(e.tag.test);
  return slice;
}

}  // namespace retrial::trace
