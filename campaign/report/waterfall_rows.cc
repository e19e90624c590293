#include "campaign/report/waterfall_rows.h"

#include <algorithm>

namespace retrial::campaign::report {
namespace {
using trace::Call;

constexpr std::size_t kBefore = 3, kAfter = 4;  // neighbours of a call in question
constexpr std::size_t kAfterInLanes = 9;        // what others read of what it wrote comes after it
constexpr std::size_t kFirst = 7, kLast = 2;    // attempts of a call with many

std::vector<const Call*> near(const std::vector<Call>& calls, const std::set<std::uint64_t>& focus, std::size_t after) {
  std::vector<const Call*> order, shown;
  for (const auto& call : calls) order.push_back(&call);
  std::ranges::stable_sort(order, {}, [](auto* call) { return call->first().begun; });
  std::vector<std::size_t> middles;
  for (std::size_t i = 0; i < order.size(); i++)
    if (focus.contains(order[i]->id)) middles.push_back(i);
  if (middles.empty()) middles.push_back(0);
  for (std::size_t i = 0; i < order.size(); i++)
    if (std::ranges::any_of(middles, [&](auto middle) { return i + kBefore >= middle && i <= middle + after; }))
      shown.push_back(order[i]);
  return shown;
}

void add(std::vector<Row>& rows, const Call* call, bool focus) {
  auto count = call->attempts.size();
  bool many = count > kFirst + kLast + 1;
  for (std::size_t n = 0; n < count; n++) {
    if (many && n == kFirst) {
      rows.push_back({call, n, focus, count - kFirst - kLast});
      n = count - kLast;
    }
    rows.push_back({call, n, focus});
  }
}
}  // namespace

std::vector<Row> rows_of(const std::vector<Call>& calls, const std::set<std::uint64_t>& focus, Lanes lanes) {
  auto shown = near(calls, focus, lanes == Lanes::none ? kAfter : kAfterInLanes);
  std::vector<Row> rows;
  auto add_all = [&](auto wanted) {
    for (auto* call : shown)
      if (wanted(*call)) add(rows, call, focus.contains(call->id));
  };
  if (lanes == Lanes::none) {
    add_all([](auto&) { return true; });
    return rows;
  }
  std::vector<std::int32_t> processes;
  for (auto* call : shown)
    if (std::ranges::find(processes, call->first().pid) == processes.end()) processes.push_back(call->first().pid);
  for (auto process : processes) {
    rows.push_back({.process = process});
    add_all([&](auto& call) { return call.first().pid == process; });
  }
  return rows;
}

}  // namespace retrial::campaign::report
