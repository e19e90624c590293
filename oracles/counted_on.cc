#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>

#include "oracles/evidence.h"
#include "oracles/members.h"
#include "oracles/recognition.h"
#include "trace/profiles/message.h"

namespace retrial::oracles {
using trace::Exchange;

namespace {

std::map<std::string, double> counts_in(const Exchange& e) {
  std::map<std::string, double> out;
  if (!is_success(e.service_status)) return out;
  for (auto& member : members_of(e.response_sample))
    if (counts(member) && !member.listed) out[member.path] = std::strtod(member.value.c_str(), nullptr);
  return out;
}
std::string went(const std::string& path, double from, double to) {
  return fmt::format("\"{}\" went from {} to {}", path.substr(path.rfind('/') + 1), from, to);
}

// What the reads of one operation, of that thing or of what it lies in, showed before a call and after it.
struct Beside {
  const Exchange* last_before = nullptr;
  const Exchange* first_after = nullptr;
};
std::map<std::string, Beside> reads_beside(const trace::Run& run, const Exchange& first, const Exchange& last) {
  std::map<std::string, Beside> out;
  auto path = trace::message::path_of(first.target);
  for (auto& e : run.exchanges) {
    if (!trace::message::safe_method(e.method) || e.service != first.service || !delivered(e)) continue;
    auto other = trace::message::path_of(e.target);
    if (!path.starts_with(other) && !other.starts_with(path)) continue;
    auto& beside = out[e.operation];
    if (e.told <= first.begun)
      beside.last_before = &e;
    else if (e.begun >= last.told && !beside.first_after)
      beside.first_after = &e;
  }
  return out;
}
// By the reads of the reference it moves once, and here twice as far.
std::string counted_in_reads(const trace::Comparison& c, const Exchange& before, const Exchange& next) {
  auto same = std::ranges::find_if(
      c.pairs, [&](auto& pair) { return pair.reference && pair.in_case && pair.in_case->attempts.front() == &before; });
  if (same == c.pairs.end()) return {};
  auto& call = *same->reference;
  if (call.attempts.size() != 1 || call.first().request_digest != before.request_digest || next.told == 0) return {};
  auto usual = reads_beside(*c.reference, call.first(), call.last());
  for (auto& [operation, now] : reads_beside(*c.in_case, before, next)) {
    auto& was = usual[operation];
    if (!was.first_after || !now.first_after || !was.last_before != !now.last_before) continue;
    std::map<std::string, double> from, usually_from;
    if (now.last_before) from = counts_in(*now.last_before), usually_from = counts_in(*was.last_before);
    auto usually_to = counts_in(*was.first_after);
    for (auto& [path, value] : counts_in(*now.first_after)) {
      if (!usually_to.contains(path)) continue;
      auto once = usually_to[path] - usually_from[path], twice = value - from[path];
      if (once != 0 && twice == 2 * once)
        return fmt::format("{} by {}, where it moves by {} without the fault", went(path, from[path], value), operation,
                           once);
    }
  }
  return {};
}

}  // namespace

std::string counted_on(const trace::Comparison& c, const Exchange& before, const Exchange& next) {
  if (before.request_digest != next.request_digest) return {};
  if (!is_success(before.service_status) || !is_success(next.service_status)) return {};
  auto first = counts_in(before), second = counts_in(next);
  for (auto& [path, value] : first)
    if (auto it = second.find(path); it != second.end() && it->second != value) return went(path, value, it->second);
  return counted_in_reads(c, before, next);
}

}  // namespace retrial::oracles
