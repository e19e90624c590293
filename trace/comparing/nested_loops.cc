// Loops of the application's own that lie within each other, by which of its functions went on.
#include <algorithm>
#include <cstdint>

#include "trace/calls/activation.h"
#include "trace/comparing/retrier.h"
#include "trace/comparing/retry_layers.h"

namespace retrial::trace {
namespace {

using Runs = std::vector<std::uint64_t>;  // of functions, the outermost first
Runs marked_runs(std::string_view stack) {
  Runs runs;
  while (auto a = take_activation(stack)) {
    if (a->entry) return {};
    runs.push_back(a->run);
  }
  return runs;
}

// From another line of the function that both came from, and in a task of its own: a copy on purpose, and no round.
bool is_a_copy(const Exchange& before, const Exchange& now) {
  auto parted = parting(before.tag.stack, now.tag.stack);
  return parted && parted->before != parted->now && strands_of(before.tag.stack) != strands_of(now.tag.stack);
}

// Both stand in the stack of the attempt between them: the function that went on to it, and the one that goes on to the
// next. Depths of two attempts in a row can be compared, no others.
std::vector<std::size_t> starts_by_marks(const Call& call) {
  std::vector<std::size_t> starts{0};
  std::optional<std::uint64_t> went_on;
  Runs before;
  for (std::size_t i = 0; i < call.attempts.size(); i++) {
    auto now = marked_runs(call.attempts[i]->tag.stack);
    if (now.empty() || call.attempts[i]->pid != call.first().pid) return {0};
    if (i > 0) {
      auto shared = std::ranges::find_first_of(before.rbegin(), before.rend(), now.begin(), now.end());
      if (shared == before.rend()) return {0};
      auto was = went_on ? std::find(before.rbegin(), before.rend(), *went_on) : before.rbegin();
      if (went_on && was != before.rend() && shared > was) {
        if (is_a_copy(*call.attempts[i - 1], *call.attempts[i])) return {0};
        starts.push_back(i);
      }
      went_on = *shared;
    }
    before = std::move(now);
  }
  return starts;
}

// In all of them the chain is the same, and after the first it says which function went on.
std::vector<std::size_t> starts_by_chains(const Call& call) {
  auto functions = [](const CallSite& site) {
    auto frames = frames_of(site);
    for (auto& f : frames) f.line = 0;
    return frames;
  };
  std::vector<std::size_t> depths;  // of that function; more is further out
  for (auto* e : call.attempts) {
    auto& site = e->tag.site;
    if (!site || e->pid != call.first().pid || functions(*site) != functions(*call.first().tag.site)) return {0};
    depths.push_back(running(*site));
    if (depths.back() == 0 && e != &call.first()) return {0};
  }
  auto inner = *std::min_element(depths.begin() + 1, depths.end());
  std::vector<std::size_t> starts{0};
  for (std::size_t i = 1; i < depths.size(); i++)
    if (depths[i] > inner) starts.push_back(i);
  return starts;
}

}  // namespace

std::vector<std::size_t> nested_starts(const Call& call) {
  if (call.attempts.size() < 2) return {0};
  auto starts = starts_by_marks(call);
  return starts.size() > 1 ? starts : starts_by_chains(call);
}

}  // namespace retrial::trace
