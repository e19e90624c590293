#include "trace/comparing/difference.h"

#include <fmt/format.h>

#include <algorithm>

#include "trace/comparing/slices.h"

namespace retrial::trace {
namespace {

std::string place_of(const Exchange& e) {
  return e.tag.site ? fmt::format("{} at {}", e.operation, show_innermost(*e.tag.site)) : e.operation;
}
void add(Conduct& conduct, const Exchange& e) {
  auto [it, fresh] = conduct.sent.try_emplace(e.operation + " " + (e.tag.site ? key_of(*e.tag.site) : ""));
  if (fresh) it->second = place_of(e);
}
Conduct conduct_of(const Run& run, const std::string& test) {
  Conduct conduct;
  if (auto* result = result_of(run, test)) conduct.outcome = result->outcome;
  for (auto& e : run.exchanges) add(conduct, e);
  return conduct;
}
std::string not_sent(const std::string& what) { return "it did not send " + what; }
std::string sent_too(const std::string& what) { return "it sent " + what + ", which it does not else"; }

}  // namespace

std::map<std::string, Conduct> conducts_of(const Run& suite) {
  Run told;
  told.results = suite.results;
  told.stages = suite.stages;
  std::map<std::string, Conduct> out;
  for (auto& [test, slice] : slices_of(std::move(told))) out[test] = conduct_of(slice, test);
  for (auto& e : suite.exchanges)
    if (is_of_slice(e)) add(out[e.tag.test], e);
  return out;
}

std::string difference(const Conduct& reference, const Conduct& now) {
  if (reference.outcome != now.outcome) return fmt::format("it was {}, not {}", now.outcome, reference.outcome);
  for (auto& [key, what] : reference.sent)
    if (!now.sent.contains(key)) return not_sent(what);
  for (auto& [key, what] : now.sent)
    if (!reference.sent.contains(key)) return sent_too(what);
  return {};
}
std::string difference(const Run& reference, const Run& now, const std::string& test) {
  return difference(conduct_of(reference, test), conduct_of(now, test));
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
