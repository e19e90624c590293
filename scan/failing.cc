// Where only what failed leads.
#include <algorithm>

#include "base/text.h"
#include "scan/detectors.h"
#include "scan/flow.h"
#include "scan/language.h"
#include "scan/words.h"

namespace retrial::scan {
namespace {

// `.on('error', …)`: what `below` is among hears of a loss.
bool is_told_events(const Tree& tree, int call, int below) {
  auto name = last_name(callee_of(tree, call));
  int arguments = tree.child(call, Part::arguments), first = arguments >= 0 ? tree.first(arguments) : -1;
  if ((name != "on" && name != "once" && name != "addEventListener") || first < 0 || tree.within(below, first))
    return false;
  for (std::string_view what : {"error", "close", "timeout", "disconnect", "retry"})
    if (icontains(tree.text(first), what)) return true;
  return false;
}

// What is called, and where among its arguments `below` stands, says that it runs where something failed:
// `.catch(…)`, `.on('error', …)`, the second function of `.then`.
bool hears_of_failure(const Tree& tree, int call, int below) {
  auto name = last_name(callee_of(tree, call));
  if (name == "catch" || name == "exceptionally" || name == "exceptionallyCompose" || name == "onErrorResume" ||
      name == "onFailure")
    return true;
  int arguments = tree.child(call, Part::arguments), first = arguments >= 0 ? tree.first(arguments) : -1;
  if (first < 0 || tree.within(below, first)) return false;
  return name == "then" || is_told_events(tree, call, below);
}

// `socket.onclose = …`
bool is_set_for_loss(const Tree& tree, int assignment) {
  auto name = lower(last_name(tree.text(tree.target_of(assignment))));
  return name == "onclose" || name == "onerror";
}

// Behind a branch that leaves where all went well: `if err == nil { return }; return f(n - 1)`.
bool follows_success(const Tree& tree, int i, int function) {
  for (int p = i; p > function; p = tree[p].parent) {
    int outer = tree[p].parent;
    if (outer < 0 || tree[outer].role == Role::branch || tree[outer].role == Role::attempt ||
        tree[outer].role == Role::call)
      continue;
    for (int c = tree.first(outer); c >= 0 && c < p; c = tree.next(c)) {
      int then = tree[c].role == Role::branch ? tree.child(c, Part::then) : -1;
      if (then < 0) continue;
      auto says = says_at(tree, c);
      auto flow = flow_of(tree, then, function);
      if (says.failed < 0 && !says.weak && flow.leaves && !flow.falls) return true;
    }
    if (tree[outer].role == Role::function) break;
  }
  return false;
}

}  // namespace

Says outcome_of(const Tree& tree, int arm) {
  int pattern = tree.first(arm);
  if (tree.kind(arm) != "match_arm" || pattern < 0) return {};
  auto text = tree.text(pattern);
  return text.starts_with("Err(") ? Says{1} : text.starts_with("Ok(") ? Says{-1} : Says{};
}

// Go's `case *RequestErrUnprepared:`.
static bool is_case_of_error(const Tree& tree, int arm) {
  int type = tree.kind(arm) == "type_case" ? tree.first(arm) : -1;
  auto parts = type >= 0 ? parts_of(last_name(tree.text(type))) : std::vector<std::string>();
  return std::ranges::any_of(parts, [](auto& part) { return part == "err" || part == "error"; });
}

bool hears_of_loss(const Tree& tree, int i, int function) {
  for (int p = tree[i].parent; p > function; p = tree[p].parent) {
    if (tree[p].role == Role::handler) return false;
    if (tree[p].role == Role::call && is_told_events(tree, p, i)) return true;
    if (tree[p].role == Role::assign && tree.target_of(p) >= 0 && is_set_for_loss(tree, p)) return true;
  }
  return false;
}

bool on_error_path(const Tree& tree, int i, int function) {
  int below = i;
  for (int p = tree[i].parent; p > function; below = p, p = tree[p].parent) {
    if (tree[p].role == Role::handler || outcome_of(tree, p).failed > 0 || is_case_of_error(tree, p)) return true;
    if (tree[p].role == Role::branch && tree[below].part != Part::condition) {
      auto says = says_at(tree, p);
      if (!says.weak && says.failed == (tree[below].part == Part::then ? 1 : -1)) return true;
    }
    if (tree[p].role == Role::call && tree[below].part == Part::arguments && hears_of_failure(tree, p, i)) return true;
    if (tree[p].role == Role::assign && tree.target_of(p) >= 0 && is_set_for_loss(tree, p)) return true;
  }
  return follows_success(tree, i, function);
}

}  // namespace retrial::scan
