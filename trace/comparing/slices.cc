#include "trace/comparing/slices.h"

#include <algorithm>
#include <set>

#include "trace/executions.h"

namespace retrial::trace {
namespace {

Run without_tests(const Run& run) {
  Run slice;
  slice.id = run.id;
  slice.kind = run.kind;
  slice.case_id = run.case_id;
  slice.began = run.began;
  slice.ended = run.ended;
  slice.wall_began = run.wall_began;
  slice.agents = run.agents;
  slice.capture = run.capture;
  slice.connection_faults = run.connection_faults;
  slice.compressed = run.compressed;
  slice.real_time = run.real_time;
  slice.incomplete = run.incomplete;
  return slice;
}

Nanos time_in_results(const Run& slice) {
  double ms = 0;
  for (auto& r : slice.results) ms += r.ms;
  return static_cast<Nanos>(ms * kMillisecond);
}

// Tests that began and never ended.
std::set<std::string> under_way(const Run& run) {
  std::map<std::string, int> open;
  for (auto& s : run.stages)
    if (s.phase != Phase::shared) open[s.test] += s.starts ? 1 : -1;
  std::set<std::string> out;
  for (auto& [test, n] : open)
    if (n > 0) out.insert(test);
  return out;
}

// Those while its exchanges went on, and behind them until another test sends something or this one may have ended; and
// all before as one. `all`: when each exchange of the run began, in order.
std::vector<Jump> jumps_of(const Run& slice, const Run& run, const std::vector<Nanos>& all) {
  std::vector<Jump> out;
  Nanos begun = run.ended, told = 0, before = 0;
  for (auto& e : slice.exchanges) {
    begun = std::min(begun, e.begun);
    told = std::max(told, e.told ? e.told : run.ended);
  }
  if (!slice.exchanges.empty()) {
    auto next = std::ranges::upper_bound(all, told);
    told = std::max(told, std::min(begun + time_in_results(slice), next == all.end() ? run.ended : *next - 1));
  }
  for (auto& jump : run.jumps)
    if (jump.at < begun)
      before += jump.by;
    else if (jump.at <= told)
      out.push_back(jump);
  if (before) out.insert(out.begin(), {run.began, before});
  return out;
}

}  // namespace

std::map<std::string, Run> slices_of(Run run) {
  std::map<std::string, Run> out;
  auto bare = without_tests(run);
  std::vector<Nanos> begun;
  for (auto& e : run.exchanges) begun.push_back(e.begun);
  std::ranges::sort(begun);
  auto of = [&](const std::string& test) -> Run& {
    auto [it, fresh] = out.try_emplace(test, bare);
    if (fresh) it->second.tests = {test};
    return it->second;
  };
  for (auto& r : run.results) of(r.test).results.push_back(r);
  for (auto& e : run.exchanges)
    if (is_of_slice(e)) of(e.tag.test).exchanges.push_back(std::move(e));
  auto open = under_way(run);
  for (auto& test : open) of(test);
  for (auto& s : run.stages)
    if (auto it = out.find(s.test); it != out.end()) it->second.stages.push_back(s);
  bool alone = out.size() == 1;
  for (auto& [test, slice] : out) {
    slice.jumps = jumps_of(slice, run, begun);
    auto* result = result_of(slice, test);
    if (alone || open.contains(test)) {
      slice.stop = run.stop;
      slice.exit_code = run.exit_code;
    } else {
      slice.exit_code = result && bad(*result) ? 1 : 0;
    }
  }
  return out;
}

std::vector<std::string> tests_of(const CaseRecord& row) {
  std::vector<std::string> tests{row.test};
  if (!row.followed_by.empty()) tests.push_back(row.followed_by);
  return tests;
}

Run slice_with_next(Run run, const CaseRecord& row) {
  auto jumps = run.jumps;
  auto slices = slices_of(std::move(run));
  auto slice = std::move(slices[row.test]);
  // It was over: what kept the run from its end came after it.
  auto* result = result_of(slice, row.test);
  if (result && under_way(slice).empty()) {
    slice.stop = Stop::exited;
    slice.exit_code = bad(*result) ? 1 : 0;
  }
  auto followed_by = as_test(std::move(slices[row.followed_by]));
  followed_by.tests = {std::string(test_of(row.followed_by))};
  followed_by.jumps = std::move(jumps);
  slice.followed_by = std::make_shared<Run>(std::move(followed_by));
  return slice;
}

void end_where_given_up(Run& slice) {
  auto first = std::ranges::find_if(slice.exchanges, given_up);
  if (first == slice.exchanges.end()) return;
  auto at = first->told;
  first->ending = Ending::open;
  first->told = 0;
  first->aborted = Exchange::Aborted::no;
  std::erase_if(slice.exchanges, [&](auto& e) { return e.begun > at; });
  slice.ended = at;
  slice.stop = Stop::held;
  slice.results.clear();
}

Nanos time_of(const Run& slice) { return slice.results.empty() ? slice.ended - slice.began : time_in_results(slice); }

}  // namespace retrial::trace
