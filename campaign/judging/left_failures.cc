#include "campaign/judging/left_failures.h"

#include <algorithm>
#include <ranges>

#include "oracles/kept_for_next.h"
#include "trace/comparing/comparison.h"
#include "trace/comparing/slices.h"

namespace retrial::campaign {

void LeftFailures::ran(const Seat& seat, const trace::Run& slice) {
  auto* result = trace::result_of(slice, seat.test);
  if (!result || !trace::bad(*result)) return;
  if (std::ranges::any_of(slice.exchanges, &trace::Exchange::fired))
    failed_.push_back({&seat, std::make_shared<trace::Run>(slice)});
  else
    look_back(seat, slice);
}

void LeftFailures::look_back(const Seat& next, const trace::Run& slice) {
  for (auto& before : failed_ | std::views::reverse)
    for (auto* c : before.seat->cases)
      if (suspect(*c, *before.slice, next, slice)) return;
}

bool LeftFailures::suspect(Case& c, trace::Run slice, const Seat& next, const trace::Run& next_slice) {
  auto shown = std::ranges::find(verdict_.shown, &c, &Shown::c);
  if (c.alone || shown == verdict_.shown.end() || shown->what == Shown::What::not_run) return false;
  auto reference = c.reference();
  reference.followed_by = std::shared_ptr<const trace::Run>(std::shared_ptr<void>(), refs_.tests.at(next.test));
  auto followed_by = std::make_shared<trace::Run>(next_slice);
  followed_by->tests = {next.test};
  slice.followed_by = std::move(followed_by);
  auto comparison = trace::compare(reference, slice);
  std::erase_if(comparison.faulted, [&](auto* call) { return !c.targets(*call); });
  if (comparison.faulted.empty()) return false;
  oracles::ComparedCase compared{&c.row, {&comparison}, hold_};
  if (!oracles::kept_for_next(compared, comparison, *comparison.faulted.front())) return false;
  shown->what = Shown::What::suspicion;
  shown->judgement = oracles::judge(compared);
  c.row.followed_by = trace::execution_of(next.test, next.test == c.row.test ? 2 : 1);
  return true;
}

}  // namespace retrial::campaign
