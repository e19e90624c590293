#include <algorithm>
#include <array>

#include "predict/death.h"
#include "predict/time_of_fault.h"
#include "predict/touch.h"

namespace retrial::predict {
namespace {

// Ended by us, while somebody waited.
bool goes_on(trace::Stop stop) {
  constexpr std::array kWays{trace::Stop::hung, trace::Stop::deadline, trace::Stop::capped};
  return std::ranges::find(kWays, stop) != kWays.end();
}

}  // namespace

std::optional<MayFall> left_waiting(const trace::Run& reference, const trace::Run& run) {
  if (!goes_on(run.stop)) return {};
  auto death = death_in(reference, run);
  if (!death.at || trace::executed(*death.at)) return {};
  const trace::Exchange* asked_last = death.at;
  for (auto& e : run.exchanges)
    if (of_test(e) && e.pid != death.at->pid && e.begun > asked_last->begun) asked_last = &e;
  auto write = touch_of(*death.at);
  MayFall fall{.kind = MayFall::Kind::wait,
               .service = death.at->service,
               .resource = write.path,
               .writer = side_of(write),
               .reader = side_of(touch_of(*asked_last)),
               .written_in = &run,
               .before = true,
               .own_process = true,
               .breaks = 3,
               .why = "the run did not end by itself when its process had died there"};
  return fall;
}

}  // namespace retrial::predict
