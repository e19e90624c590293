#include "oracles/waits.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "oracles/evidence.h"
#include "trace/jumps.h"
#include "trace/layers.h"

namespace retrial::oracles {
namespace {

// Before its clock can be moved on a client's waits are cut in slices of this length (docs/time.md): a shorter one may
// pass in real time.
constexpr Nanos kFirstSlice = 60 * kMillisecond;

Nanos first_fault(const trace::Run& run) {
  Nanos first = 0;
  for (auto& e : run.exchanges)
    if (e.fired && (!first || e.fired_at < first)) first = e.fired_at;
  return first;
}

Told seconds(Nanos least, std::string text) { return {.least = least, .text = std::move(text)}; }

}  // namespace

std::optional<Told> told_to_wait(const trace::Exchange& e) {
  if (auto pushback = trace::pushback_told(e); pushback != trace::kNoPushback) {
    if (pushback < 0) return Told{.never = true, .text = "grpc-retry-pushback-ms: -1, not to come again"};
    auto wait = std::min<std::int64_t>(pushback, INT64_MAX / kMillisecond) * kMillisecond;
    return seconds(wait, fmt::format("grpc-retry-pushback-ms: {}", pushback));
  }
  if (e.fired && is_status(e.fault) && e.fault.retry != trace::RetryAfter::none) {
    auto wait = e.fault.retry_after * kSecond;
    if (e.fault.retry == trace::RetryAfter::seconds)
      return seconds(wait, fmt::format("Retry-After: {}", e.fault.retry_after));
    return Told{std::max<Nanos>(0, wait - kSecond), true, false,
                fmt::format("Retry-After: a date {} ahead", show_duration(wait))};
  }
  if (!delivered(e) || e.client_status < 400) return {};
  for (std::string_view name : {"retry-after-ms", "x-ms-retry-after-ms", "x-amz-retry-after"})
    if (auto ms = to_int(trim(trace::find(e.response_headers, name))); ms && *ms >= 0 && *ms < 86'400'000)
      return seconds(*ms * kMillisecond, fmt::format("{}: {}", name, *ms));
  if (auto s = to_int(trim(trace::find(e.response_headers, "retry-after"))); s && *s >= 0 && *s < 86'400)
    return seconds(*s * kSecond, fmt::format("Retry-After: {}", *s));
  return {};
}

std::vector<Wait> waits_of(const trace::Comparison& c, const trace::Call& call, Chosen chosen) {
  auto& run = *c.in_case;
  auto measured_from = run.compressed && run.real_time.empty() ? first_fault(run) + kFirstSlice : INT64_MAX;
  auto resent = trace::resent_by_transport(call);
  std::vector<Wait> all;
  for (std::size_t i = 0; i + 1 < call.attempts.size(); i++) {
    auto &before = *call.attempts[i], &next = *call.attempts[i + 1];
    if (!follows(before, next)) return {};
    if (transparent(before) || resent[i + 1]) continue;
    Wait wait{&before,
              &next,
              all.empty() ? 1 : all.back().retry + 1,
              trace::waited(run, before.told, next.begun),
              next.begun - before.told,
              before.told >= measured_from};
    // Where the clock was moved on within the gap, it could be.
    wait.measured = wait.measured || wait.least > wait.most / 2;
    all.push_back(wait);
  }
  std::erase_if(all, [&](const Wait& w) {
    if (w.before->host != w.next->host || w.before->service != w.next->service) return true;
    auto told = told_to_wait(*w.before);
    return (chosen == Chosen::by_service) != told.has_value();
  });
  return all;
}

}  // namespace retrial::oracles
