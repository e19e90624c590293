// What failed is handed to somebody whose word it is to try again: `broker.retry(message, at)`, `job.retry(queue)`,
// `operations.reschedule(task, next)`. A worker's loop or a scheduler takes it up from there.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "scan/detectors.h"
#include "scan/flow.h"
#include "scan/given.h"
#include "scan/language.h"
#include "scan/limits.h"
#include "scan/words.h"

namespace retrial::scan {
namespace {

// `retry`, `_retry`, `retryOperation`, `reschedule`, not `retryCount`, `retry_scheduled`.
bool hands_on(std::string_view callee) {
  static constexpr std::array<std::string_view, 14> things{"operation", "request", "message", "job",  "task",
                                                           "query",     "call",    "command", "item", "batch",
                                                           "upload",    "event",   "later",   "op"};
  auto parts = parts_of(last_name(callee));
  if (parts.empty() || parts.size() > 2 || (parts.front() != "retry" && parts.front() != "reschedule")) return false;
  return parts.size() == 1 || std::ranges::count(things, parts.back()) > 0;
}

// It stands in what a condition asks, or a strategy is asked.
bool only_asks(const Tree& tree, int call, int function) {
  auto by = last_name(receiver(callee_of(tree, call)));
  if (says_retry(by) || icontains(by, "strategy") || icontains(by, "policy")) return true;
  for (int p = call; p > function; p = tree[p].parent)
    if (tree[p].part == Part::condition) return true;
  return false;
}

// A condition there speaks of retries, and holds their number against something or was asked whether one is due.
bool is_asked_for_retry(const Tree& tree, int i, int function) {
  for (int p = tree[i].parent, below = i; p > function; below = p, p = tree[p].parent) {
    int test =
        tree[p].role == Role::branch && tree[below].part != Part::condition ? tree.child(p, Part::condition) : -1;
    if (test >= 0 && text_says_retry(tree.text(test))) return true;
  }
  return false;
}

// A library's: a function or a policy is given to it, or Celery's exception.
bool is_of_library(const Tree& tree, int call) {
  auto given = tree.text(tree.child(call, Part::arguments));
  return gives_function(tree, call) || given.contains("exc=") || icontains(given, "policy") ||
         icontains(given, "builder") || icontains(given, "strategy");
}

// By an `if retry:` of `retry = left > 0`, too.
Bound bound_around(const Tree& tree, int i, int function) {
  auto best = bound_of_function(tree, function, i);
  for (int p = tree[i].parent; p > function && best.kind == Bound::none; p = tree[p].parent) {
    int test = tree[p].role == Role::branch ? tree.child(p, Part::condition) : -1;
    for (auto id : test >= 0 ? identifiers(tree.text(test)) : std::vector<std::string_view>())
      for (int set : tree.assignments(id)) {
        int value = tree.function_of(set) == tree.function_of(i) ? tree.child(set, Part::value) : -1;
        auto held = value >= 0 ? tree.text(value) : std::string_view();
        if (text_says_retry(held) && held.find_first_of("<>") != held.npos) best = {Bound::count, one_line(held)};
      }
  }
  return best;
}

Wait wait_of(const Tree& tree, int call, int function) {
  if (auto told = wait_told(tree, call); told.kind != Wait::none) return told;
  bool here = false, says = false;
  for (int f : tree.functions(last_name(callee_of(tree, call)))) {
    if (auto wait = f != function ? wait_in(tree, f) : Wait(); wait.kind != Wait::none) return wait;
    here = true;
    for (std::string_view word : {"delay", "backoff", "wait", "later", "sleep"}) says |= icontains(tree.text(f), word);
  }
  if (here && !says) return {};
  return {Wait::elsewhere, false, false, one_line(callee_of(tree, call))};
}

}  // namespace

void find_handed_on(const Tree& tree, std::vector<Location>& found) {
  for (int i = 0; i < tree.size(); i++) {
    int arguments = tree[i].role == Role::call ? tree.child(i, Part::arguments) : -1, function = tree.function_of(i);
    if (arguments < 0 || function < 0 || tree.first(arguments) < 0) continue;
    auto callee = callee_of(tree, i);
    bool wraps = icontains(name_of_function(tree, function), last_name(callee));
    if (!hands_on(callee) || wraps || receiver(callee).empty() || is_of_library(tree, i) ||
        only_asks(tree, i, function))
      continue;
    if (!is_for_failure(name_of_function(tree, function)) && !on_error_path(tree, i, function) &&
        !is_asked_for_retry(tree, i, function))
      continue;
    auto place = location_at(tree, i, Shape::queue);
    place.by = one_line(callee);
    place.back.emplace_back("any");
    place.looked_at = true;  // whoever hears of a failure may have looked
    describe_calls(tree, function, place);
    place.effect.clear();
    place.bound = bound_around(tree, i, function);
    bool decides = parts_of(last_name(callee)).front() == "retry";
    if (place.bound.kind == Bound::none && decides) place.bound = {Bound::elsewhere, one_line(callee)};
    place.wait = wait_of(tree, i, function);
    found.push_back(std::move(place));
  }
}

}  // namespace retrial::scan
