// Functions that begin themselves anew where something failed, at once or by a timer.
#include <algorithm>

#include "base/text.h"
#include "scan/detectors.h"
#include "scan/flow.h"
#include "scan/language.h"
#include "scan/limits.h"
#include "scan/words.h"

namespace retrial::scan {
namespace {

bool of_itself(const Tree& tree, int call, int function) {
  auto callee = callee_of(tree, call);
  auto name = name_of_function(tree, function);
  if (name.empty() || last_name(callee) != name) return false;
  auto by = receiver(callee);
  if (by == "this" || by == "self" || by == "cls") return true;
  auto kind = tree.kind(function);
  auto family = tree.language().family;
  if (family == "go" && kind == "method_declaration")
    return mentions(tree.text(function).substr(0, 60), by) && by.find_first_of(".(") == by.npos;
  if (family == "javascript" && kind == "method_definition") return false;
  if (family == "python") {
    int parameters = tree.child(function, Part::parameters);
    auto text = parameters >= 0 ? tree.text(parameters) : std::string_view{};
    if (text.starts_with("(self") || text.starts_with("(cls")) return false;
  }
  return by.empty();
}

// Is `i` where only what failed leads?
bool on_error_path(const Tree& tree, int i, int function) {
  bool values = tree.language().errors_are_values;
  int below = i;
  for (int p = tree[i].parent; p > function; below = p, p = tree[p].parent) {
    if (tree[p].role == Role::handler) return true;
    if (tree[p].role == Role::branch && tree[below].part != Part::condition) {
      int test = tree.child(p, Part::condition);
      if (test < 0) continue;
      auto says = failure_of(tree.text(test), values);
      bool then = tree[below].part == Part::then;
      if (!says.weak && says.failed == (then ? 1 : -1)) return true;
    }
    if (tree[p].role == Role::call) {  // .catch(…), .on('error', …)
      auto name = last_name(callee_of(tree, p));
      int arguments = tree.child(p, Part::arguments);
      auto first = arguments >= 0 && tree.first(arguments) >= 0 ? tree.text(tree.first(arguments)) : std::string_view{};
      if (tree.within(below, arguments >= 0 ? arguments : p) || below == arguments) {
        if (name == "catch" || name == "exceptionally" || name == "onErrorResume" || name == "onFailure") return true;
        if ((name == "on" || name == "once" || name == "addEventListener") &&
            (icontains(first, "error") || icontains(first, "close") || icontains(first, "timeout") ||
             icontains(first, "disconnect")))
          return true;
        if (name == "then" && arguments >= 0 && tree.first(arguments) >= 0 && below != tree.first(arguments) &&
            below != arguments)
          return true;
      }
    }
    if (tree[p].role == Role::assign || tree[p].role == Role::option) {  // socket.onclose = …
      int target = tree.child(p, Part::target);
      if (target < 0) target = tree.child(p, Part::name);
      auto name = target >= 0 ? lower(last_name(tree.text(target))) : std::string();
      if (tree[p].role == Role::assign && (name == "onclose" || name == "onerror")) return true;
    }
  }
  // What is left behind a branch that leaves where all went well: `if err == nil { return }; return f(n - 1)`.
  for (int p = i; p > function; p = tree[p].parent) {
    int outer = tree[p].parent;
    if (outer < 0 || tree[outer].role == Role::branch || tree[outer].role == Role::attempt ||
        tree[outer].role == Role::call)
      continue;
    for (int c = tree.first(outer); c >= 0 && c < p; c = tree.next(c)) {
      if (tree[c].role != Role::branch) continue;
      int test = tree.child(c, Part::condition), then = tree.child(c, Part::then);
      if (test < 0 || then < 0) continue;
      auto says = failure_of(tree.text(test), values);
      auto flow = flow_of(tree, then, function);
      if (says.failed < 0 && !says.weak && flow.leaves && !flow.falls) return true;
    }
    if (tree[outer].role == Role::function) break;
  }
  return false;
}

// `tryNode(index + 1)`: the next of several, not the same again.
bool goes_on_to_next(const Tree& tree, int call) {
  int arguments = tree.child(call, Part::arguments);
  if (arguments < 0) return false;
  for (auto id : identifiers(tree.text(arguments)))
    if (id == "index" || id == "i" || id == "idx" || id == "next") return true;
  return false;
}

// "idx >= stack.length": it ends with the last of several things, and begins the next of them.
bool counts_items(std::string_view bound) {
  for (std::string_view size : {".length", ".size()", "len(", ".Count", ".count()"})
    if (bound.find(size) != bound.npos) return true;
  return false;
}

// Is `i` where a condition that speaks of retries leads?
bool asks_for_retry(const Tree& tree, int i, int function) {
  for (int p = tree[i].parent, below = i; p > function; below = p, p = tree[p].parent)
    if (tree[p].role == Role::branch && tree[below].part == Part::then)
      if (int test = tree.child(p, Part::condition); test >= 0 && text_says_retry(tree.text(test))) return true;
  return false;
}

// Does it speak to anybody? Without that, and without words and waits, a recursion walks.
bool reaches(const Tree& tree, int function) {
  for (int i = function + 1; i < tree[function].past; i++)
    if (tree[i].role == Role::call && reaches_out(callee_of(tree, i))) return true;
  return false;
}

// Is it given just what its function was: `return await this.get(id)` in `get(id)`? Then it is the same once more.
bool hands_on_the_same(const Tree& tree, int call, int function) {
  int given = tree.child(call, Part::arguments), own = tree.child(function, Part::parameters);
  if (given < 0 || own < 0) return false;
  auto names = identifiers(tree.text(own));
  for (int c = tree.first(given); c >= 0; c = tree.next(c)) {
    auto text = tree.text(c);
    bool a_name = tree[c].role == Role::name;
    if (text.size() > 1 && (!a_name || std::ranges::find(names, text) == names.end())) return false;
  }
  return true;
}

// In a handler, or in what a promise does with its failure.
bool caught(const Tree& tree, int i, int function) {
  for (int p = tree[i].parent; p > function; p = tree[p].parent)
    if (tree[p].role == Role::handler || (tree[p].role == Role::call && last_name(callee_of(tree, p)) == "catch"))
      return true;
  return false;
}

int timer_around(const Tree& tree, int i, int function) {
  for (int p = tree[i].parent; p > function; p = tree[p].parent)
    if (tree[p].role == Role::call && is_timer(callee_of(tree, p))) return p;
  return -1;
}

// A function of this file by this name that begins `function` anew, or -1: retryRequest, which calls makeRequest.
int helper_that_calls(const Tree& tree, int call, int function) {
  auto callee = callee_of(tree, call), by = receiver(callee);
  if (!by.empty() && by != "this" && by != "self") return -1;
  auto own = name_of_function(tree, function);
  if (own.empty() || last_name(callee) == own) return -1;
  for (int f : tree.functions(last_name(callee))) {
    if (tree.within(f, function) || tree.within(function, f)) continue;
    for (int i = f; i < tree[f].past; i++) {
      if (tree[i].role != Role::call || last_name(callee_of(tree, i)) != own) continue;
      auto through = receiver(callee_of(tree, i));
      if (through.empty() || through == "this" || through == "self") return f;
    }
  }
  return -1;
}

// What a function tries first, but for itself.
void describe(const Tree& tree, int function, int again, Location& place) {
  auto own = name_of_function(tree, function);
  for (int i = function + 1; i < tree[function].past; i++) {
    if (tree[i].role != Role::call || tree.within(again, i)) continue;
    auto callee = callee_of(tree, i);
    if (is_talk(callee) || last_name(callee) == own) continue;
    if (place.calls.empty()) place.calls = one_line(callee);
    place.callees.emplace_back(last_name(callee));
  }
  Location seen;
  describe_calls(tree, function, seen);
  place.effect = seen.effect;
  place.key = seen.key;
  int handler = -1;
  for (int p = tree[again].parent; p > function && handler < 0; p = tree[p].parent)
    if (tree[p].role == Role::handler) handler = p;
  if (handler >= 0) place.back = errors_of(tree, handler);
  for (int p = tree[again].parent; p > function; p = tree[p].parent)
    if (tree[p].role == Role::branch)
      if (int test = tree.child(p, Part::condition); test >= 0)
        for (auto id : identifiers(tree.text(test))) place.looked_at |= says_failed(id);
  if (place.back.empty()) place.back.emplace_back("any");
}

}  // namespace

void find_recursion(const Tree& tree, std::vector<Location>& found) {
  for (int i = 0; i < tree.size(); i++) {
    if (tree[i].role != Role::call && tree[i].role != Role::name) continue;
    if (int function = tree.function_of(i);
        function >= 0 && tree[i].role == Role::call && on_error_path(tree, i, function)) {
      int helper = helper_that_calls(tree, i, function);
      if (helper >= 0 && (text_says_retry(tree.text(function)) || text_says_retry(tree.text(helper)))) {
        auto place = location_at(tree, i, Shape::recursion);
        describe(tree, function, i, place);
        place.bound = bound_of_function(tree, function, i);
        if (place.bound.kind == Bound::none) place.bound = bound_of_function(tree, helper, -1);
        place.wait = wait_in(tree, helper);
        found.push_back(std::move(place));
        continue;
      }
    }
    bool named = tree[i].role == Role::name;  // setTimeout(connect, 1000)
    if (named) {
      int p = tree[i].parent;
      if (p < 0 || tree[p].parent < 0 || tree[p].part != Part::arguments || !is_timer(callee_of(tree, tree[p].parent)))
        continue;
    }
    for (int function = tree.function_of(i); function >= 0; function = tree.function_of(function)) {
      bool itself = named ? tree.text(i) == name_of_function(tree, function) : of_itself(tree, i, function);
      if (!itself) continue;
      int timer = timer_around(tree, i, function);
      if (goes_on_to_next(tree, i)) break;
      bool words = text_says_retry(tree.text(function)) || says_retry(name_of_function(tree, function));
      if (!on_error_path(tree, i, function) && !(timer >= 0 && words) && !asks_for_retry(tree, i, function)) break;
      auto place = location_at(tree, i, Shape::recursion);
      bool near = says_retry(name_of_function(tree, function)) || asks_for_retry(tree, i, function) || timer >= 0 ||
                  text_says_retry(tree.text(i)) || bound_of_function(tree, function, i).kind == Bound::count;
      bool same = !named && on_error_path(tree, i, function) && hands_on_the_same(tree, i, function);
      bool speaks = (same || caught(tree, i, function)) && reaches(tree, function);
      if (!near && !speaks && wait_in(tree, function).kind == Wait::none) break;
      place.function = one_line(name_of_function(tree, function));
      place.function_line = tree[function].line;
      describe(tree, function, i, place);
      place.bound = bound_of_function(tree, function, named ? -1 : i);
      place.wait = wait_in(tree, function);
      if (place.bound.kind == Bound::count && counts_items(place.bound.text)) break;
      found.push_back(std::move(place));
      break;
    }
  }
}

}  // namespace retrial::scan
