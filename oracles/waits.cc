#include "oracles/waits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/text.h"
#include "oracles/evidence.h"
#include "oracles/members.h"
#include "trace/calls/busy.h"
#include "trace/calls/lessons.h"
#include "trace/comparing/jumps.h"
#include "trace/comparing/retrier.h"
#include "trace/comparing/retry_layers.h"
#include "trace/profiles/message.h"
#include "trace/profiles/profile.h"
#include "trace/status.h"

namespace retrial::oracles {
namespace {

// Before its clock can be moved on a client's waits are cut in slices of this length (docs/time.md): a shorter one may
// pass in real time.
constexpr Nanos kFirstSlice = 60 * kMillisecond;
constexpr Nanos kNoLoad = kSecond;

Nanos first_fault(const trace::Run& run) {
  Nanos first = 0;
  for (auto& e : run.exchanges)
    if (e.fired && (!first || e.fired_at < first)) first = e.fired_at;
  return first;
}

RetryHint seconds(Nanos least, std::string text) { return {.least = least, .text = std::move(text)}; }

bool says_it_waits(const trace::Call& call) {
  constexpr std::array<std::string_view, 8> kWords{"wait",  "waits", "poll",    "polls",
                                                   "until", "ready", "healthy", "alive"};
  if (trace::profile_of(call.first()).repeat(call.first()) != trace::Repeat::safe) return false;
  auto sender = trace::retrier(call);
  if (auto& site = call.first().tag.site; sender.empty() && site) sender = site->function;
  auto words = words_of_name(std::string_view(sender).substr(sender.rfind(' ') + 1));
  return std::ranges::any_of(words, [&](auto& word) { return among(kWords, word); });
}

bool comes_before_looks(const trace::Comparison& c, const trace::Call& call) {
  auto by = outermost_frame(call);
  auto looks_here = [&](const trace::Exchange& e) {
    if (!e.tag.site || e.operation == call.operation || !trace::message::safe_method(e.method)) return false;
    auto from = trace::frames_of(*e.tag.site).back();
    return from.file == by.file && from.function == by.function;
  };
  if (by.function.empty() || std::ranges::none_of(c.reference->exchanges, looks_here)) return false;
  auto usual = trace::lessons_of(*c.reference);
  auto polls = [&](const trace::Exchange& e) { return looks_here(e) && usual.at_poll(e); };
  return std::ranges::any_of(c.reference->exchanges, polls) && std::ranges::none_of(c.in_case->exchanges, [&](auto& e) {
           return e.begun > call.first().begun && e.begun < call.last().begun && looks_here(e);
         });
}

}  // namespace

bool may_wait_until(const trace::Comparison& c, const trace::Call& call) {
  return says_it_waits(call) || comes_before_looks(c, call);
}

std::optional<RetryHint> told_to_wait(const trace::Exchange& e) {
  if (auto pushback = trace::pushback_told(e); pushback != trace::kNoPushback) {
    if (pushback < 0) return RetryHint{.never = true, .text = "grpc-retry-pushback-ms: -1, not to come again"};
    auto wait = std::min<std::int64_t>(pushback, INT64_MAX / kMillisecond) * kMillisecond;
    return seconds(wait, fmt::format("grpc-retry-pushback-ms: {}", pushback));
  }
  // Of a status of HTTP gRPC tells its caller no more than a code of its own (grpc/doc/http-grpc-status-mapping.md).
  if (e.grpc.is && !trace::is_grpc(e.client_status)) return {};
  if (e.fired && is_status(e.fault) && e.fault.retry != trace::RetryAfter::none) {
    auto wait = e.fault.retry_after * kSecond;
    if (e.fault.retry == trace::RetryAfter::seconds)
      return seconds(wait, fmt::format("Retry-After: {}", e.fault.retry_after));
    return RetryHint{std::max<Nanos>(0, wait - kSecond), true, false,
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
  if (trace::sent_by_test(call)) return {};
  auto& run = *c.in_case;
  auto measured_from = run.compressed && run.real_time.empty() ? first_fault(run) + kFirstSlice : INT64_MAX;
  auto resent = trace::resent_by_transport(call);
  std::vector<Wait> all;
  // A client that goes from host to host comes back to one after all that it has waited meanwhile.
  struct Seen {
    const trace::Exchange* e = nullptr;
    Nanos least = 0, most = 0, busy = 0;  // in this call until then; the gap is most + busy
  };
  std::map<std::pair<std::string_view, std::string_view>, Seen> last;  // by host
  Nanos least = 0, most = 0, busy = 0;
  int retry = 0;
  for (std::size_t i = 0; i < call.attempts.size(); i++) {
    auto& now = *call.attempts[i];
    auto& told = last[{now.host, now.service}];
    if (i > 0) {
      auto& before = *call.attempts[i - 1];
      if (!follows(before, now)) return {};
      auto gap = now.begun - before.told, moved = trace::waited(run, before.told, now.begun);
      auto worked = std::min(trace::busy_between(before, now), std::max<Nanos>(0, gap - moved));
      least += moved;
      busy += worked;
      most += gap - worked;
      bool own = !transparent(before) && !resent[i];
      retry += own;
      if (own && told.e) {
        Wait wait{told.e, &now, retry, least - told.least, most - told.most};
        wait.worked = busy > told.busy;
        wait.gap = wait.most + busy - told.busy;
        // Where the clock was moved on within the gap, it could be. Where it was not for as long as no load keeps a
        // thread from running that is ready to (Busy knows those), something held it, an open connection say.
        wait.measured =
            wait.least > wait.most / 2 || (told.e->told >= measured_from && wait.most - wait.least < kNoLoad);
        wait.idle = wait.most;
        if (chosen == Chosen::by_service) wait.most = now.begun - told.e->told;
        all.push_back(wait);
      }
    }
    told = {&now, least, most, busy};
  }
  std::erase_if(all,
                [&](const Wait& w) { return (chosen == Chosen::by_service) != told_to_wait(*w.before).has_value(); });
  return all;
}

}  // namespace retrial::oracles
