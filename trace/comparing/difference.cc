#include "trace/comparing/difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace retrial::trace {
namespace {

std::string place_of(const Exchange& e) {
  return e.tag.site ? fmt::format("{} at {}", e.operation, show_innermost(*e.tag.site)) : e.operation;
}
// By operation and call site, with what a reader is told of them.
std::map<std::string, std::string> sent(const Run& run) {
  std::map<std::string, std::string> out;
  for (auto& e : run.exchanges) out.emplace(e.operation + " " + (e.tag.site ? key_of(*e.tag.site) : ""), place_of(e));
  return out;
}
std::string not_sent(const std::string& what) { return "it did not send " + what; }
std::string sent_too(const std::string& what) { return "it sent " + what + ", which it does not else"; }

}  // namespace

std::string difference(const Run& reference, const Run& now, const std::string& test) {
  auto *was = result_of(reference, test), *is = result_of(now, test);
  auto outcome = [](auto* result) { return result ? result->outcome : std::string("not ended"); };
  if (outcome(was) != outcome(is)) return fmt::format("it was {}, not {}", outcome(is), outcome(was));
  auto before = sent(reference), after = sent(now);
  for (auto& [key, what] : before)
    if (!after.contains(key)) return not_sent(what);
  for (auto& [key, what] : after)
    if (!before.contains(key)) return sent_too(what);
  return {};
}

std::string difference_before_fault(const Comparison& c) {
  auto struck = [](const Call& call) { return std::ranges::any_of(call.attempts, [](auto* e) { return e->fired; }); };
  Nanos fault = INT64_MAX, beside = INT64_MAX;  // when it came, and when the same call came in the reference
  for (auto& pair : c.pairs)
    if (pair.in_case && struck(*pair.in_case) && pair.in_case->first().begun < fault) {
      fault = pair.in_case->first().begun;
      beside = pair.reference ? pair.reference->first().begun : 0;
    }
  for (auto& pair : c.pairs) {
    if (!pair.in_case && pair.reference->first().begun < beside) return not_sent(place_of(pair.reference->first()));
    if (!pair.reference && pair.in_case->first().begun < fault) return sent_too(place_of(pair.in_case->first()));
  }
  return {};
}

}  // namespace retrial::trace
