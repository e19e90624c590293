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

// `this`, or a name that was set to it: `var _this = this`.
bool is_this(const Tree& tree, std::string_view by) {
  if (by == "this" || by == "self" || by == "cls") return true;
  if (tree.language().family != "javascript") return false;
  auto& set = tree.assignments(by);
  return !set.empty() && std::ranges::all_of(set, [&](int i) {
    int value = tree.child(i, Part::value);
    return value >= 0 && tree.text(value) == "this";
  });
}

bool of_itself(const Tree& tree, int call, int function) {
  auto callee = callee_of(tree, call);
  auto name = name_of_function(tree, function);
  if (name.empty() || last_name(callee) != name) return false;
  auto by = receiver(callee);
  if (is_this(tree, by)) return true;
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

// `tryNode(index + 1)`, `look(errors.Unwrap(e))`: the next of several, not the same again.
bool goes_on_to_next(const Tree& tree, int call, int function) {
  int arguments = tree.child(call, Part::arguments), own = tree.child(function, Part::parameters);
  if (arguments < 0) return false;
  for (int c = tree.first(arguments); c >= 0 && own >= 0; c = tree.next(c)) {
    if (tree[c].role != Role::call || tree.first(arguments) != c || tree.next(c) >= 0) continue;
    for (auto id : identifiers(tree.text(own)))
      if (!says_retry(id) && mentions(tree.text(c), id)) return true;
  }
  for (auto id : identifiers(tree.text(arguments)))
    if (id == "index" || id == "i" || id == "idx" || id == "next") return true;
  return false;
}

// `job = this.queue.shift()`: each time another.
bool takes_first(const Tree& tree, int function) {
  for (int i = function + 1; i < tree[function].past; i++) {
    int value = tree[i].role == Role::assign && tree.function_of(i) == function ? tree.child(i, Part::value) : -1;
    if (value < 0 || tree[value].role != Role::call) continue;
    auto callee = callee_of(tree, value);
    auto name = last_name(callee);
    if ((name == "shift" || name == "pop" || name == "poll" || name == "dequeue") && is_queue_name(receiver(callee)))
      return true;
  }
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

// `if (err instanceof NotEnoughData) return this.more().then(() => this.read())`: nothing failed.
bool stands_where_not_ready(const Tree& tree, int i) {
  for (int p = tree[i].parent, below = i; p >= 0; below = p, p = tree[p].parent)
    if (tree[p].role == Role::branch && tree[below].part == Part::then)
      if (int test = tree.child(p, Part::condition);
          test >= 0 && std::ranges::any_of(identifiers(tree.text(test)), says_not_ready))
        return true;
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

// The timer that is given the function of this name, by itself or as a method: `schedule(this::register, 10)`. Or -1.
int timer_given(const Tree& tree, int name) {
  int p = tree[name].parent;
  for (; p >= 0 && tree[p].part != Part::arguments; p = tree[p].parent) {
    auto kind = tree.kind(p);
    if (kind != "method_reference" && kind != "member_expression" && kind != "attribute" &&
        kind != "selector_expression")
      return -1;
    if (tree[name].end != tree[p].end) return -1;
  }
  int call = p >= 0 ? tree[p].parent : -1;
  return call >= 0 && tree[call].role == Role::call && is_timer(callee_of(tree, call)) ? call : -1;
}

int timer_around(const Tree& tree, int i, int function) {
  for (int p = tree[i].parent; p > function; p = tree[p].parent)
    if (tree[p].role == Role::call && is_timer(callee_of(tree, p))) return p;
  return -1;
}

// `if (error) connect(0, callback)` in `callback`: what hears of the failure begins anew, and hears of that again.
bool hears_again(const Tree& tree, int name, int function) {
  int list = tree[name].parent, call = list >= 0 && tree[list].part == Part::arguments ? tree[list].parent : -1;
  if (call < 0 || tree[call].role != Role::call || !reaches_out(callee_of(tree, call)) ||
      tree.text(name) != name_of_function(tree, function))
    return false;
  for (int p = tree[call].parent, below = call; p > function; below = p, p = tree[p].parent)
    if (tree[p].role == Role::branch && tree[below].part == Part::then)
      if (auto says = says_at(tree, p); says.failed > 0 && !says.weak) return true;
  return false;
}

// Not only behind what may have left: what is done every so often is begun anew there, too.
bool stands_in_failure(const Tree& tree, int i) {
  for (int p = tree[i].parent, below = i; p >= 0 && tree[p].role != Role::function; below = p, p = tree[p].parent) {
    if (tree[p].role == Role::handler) return true;
    if (tree[p].role == Role::branch && tree[below].part == Part::then)
      if (auto says = says_at(tree, p); says.failed > 0 && !says.weak) return true;
  }
  return false;
}

// `timer.Change(5000, Infinite)` of `timer = new Timer(_ => Flush())` in Flush, `t.Reset(d)` of `t = AfterFunc(d, f)`.
bool sets_timer_again(const Tree& tree, int call, std::string_view own) {
  auto callee = callee_of(tree, call), name = last_name(callee);
  if (own.empty() || (name != "Change" && name != "Reset") || !stands_in_failure(tree, call)) return false;
  for (int set : tree.assignments(last_name(receiver(callee))))
    for (int i = set; i < tree[set].past; i++)
      if (tree[i].role == Role::call && is_timer(callee_of(tree, i)) && mentions(tree.text(i), own)) return true;
  return false;
}

// `timers.schedule(this, 10, SECONDS)` in a task's `run`.
bool is_given_itself(const Tree& tree, int call, int function) {
  int arguments = tree.child(call, Part::arguments), first = arguments >= 0 ? tree.first(arguments) : -1;
  auto own = name_of_function(tree, function);
  if (sets_timer_again(tree, call, own)) return true;
  if (first < 0 || (own != "run" && own != "call") || tree.language().family != "java") return false;
  auto name = lower(last_name(callee_of(tree, call)));
  bool begins = is_timer(callee_of(tree, call)) || says_retry(name) || name == "execute" || name == "submit";
  return begins && tree.text(first) == "this";
}

// A function of this file by this name that begins `function` anew, or -1: retryRequest, which calls makeRequest.
int helper_that_calls(const Tree& tree, int call, int function) {
  auto callee = callee_of(tree, call), by = receiver(callee);
  if (!by.empty() && !is_this(tree, by)) return -1;
  auto own = name_of_function(tree, function);
  if (own.empty() || last_name(callee) == own) return -1;
  for (int f : tree.functions(last_name(callee))) {
    if (tree.within(f, function) || tree.within(function, f)) continue;
    for (int i = f; i < tree[f].past; i++) {
      if (tree[i].role == Role::name && tree.text(i) == own && timer_given(tree, i) >= 0) return f;
      if (tree[i].role != Role::call || last_name(callee_of(tree, i)) != own) continue;
      auto through = receiver(callee_of(tree, i));
      if (through.empty() || is_this(tree, through)) return f;
    }
  }
  return -1;
}

// Is it called by this name where something failed, and nowhere else: not each time, as what is done every so often?
bool only_where_failed(const Tree& tree, std::string_view name, int function) {
  for (int i = function; i < tree[function].past; i++)
    if (tree[i].role == Role::call && last_name(callee_of(tree, i)) == name && !on_error_path(tree, i, function))
      return false;
  return true;
}

// Does it begin something later?
bool waits_for(const Tree& tree, int function) {
  for (int i = function; i < tree[function].past; i++)
    if (tree[i].role == Role::call && is_timer(callee_of(tree, i))) return true;
  return false;
}

// `if (code(err) !== 429) throw err`: what is not to be tried again has left before.
bool sorts_out(const Tree& tree, int branch, int function) {
  int test = tree.child(branch, Part::condition), then = tree.child(branch, Part::then);
  return tree[branch].role == Role::branch && test >= 0 && then >= 0 && flow_of(tree, then, function).leaves &&
         std::ranges::any_of(identifiers(tree.text(test)), says_failed);
}

// `if (error == null && answer.status < 500) return answer`, in the same function as what begins it anew.
bool leaves_by_how(const Tree& tree, int branch, int again) {
  int then = tree[branch].role == Role::branch ? tree.child(branch, Part::then) : -1, own = tree.function_of(branch);
  int test = tree.child(branch, Part::condition);
  return then >= 0 && test >= 0 && own >= 0 && own == tree.function_of(again) && !tree.within(again, branch) &&
         flow_of(tree, then, own).leaves && asks_how(tree.text(test));
}

// `if (this.shouldRetry(error)) return this._retry()`: another file says how.
bool begins_anew_elsewhere(const Tree& tree, int call, int function) {
  auto callee = callee_of(tree, call), by = receiver(callee), name = last_name(callee);
  auto parts = parts_of(name);
  if ((by != "this" && by != "self") || parts.size() != 1 || parts.front() != "retry" || !tree.functions(name).empty())
    return false;
  for (int p = tree[call].parent, below = call; p > function; below = p, p = tree[p].parent) {
    int test = tree[p].role == Role::branch && tree[below].part == Part::then ? tree.child(p, Part::condition) : -1;
    if (test >= 0 && text_says_retry(tree.text(test)) && says_at(tree, p).failed > 0) return true;
  }
  return false;
}

// What a function tries first, but for itself.
void describe(const Tree& tree, int function, int again, Location& place) {
  auto own = name_of_function(tree, function);
  int most = 0;
  for (int i = function + 1; i < tree[function].past; i++) {
    if (tree[i].role != Role::call || tree.within(again, i)) continue;
    auto callee = callee_of(tree, i);
    if (is_talk(callee) || last_name(callee) == own) continue;
    int much = may_fail(tree, i);
    if ((place.calls.empty() || much > most) && !is_maker(callee) && !is_given_error(tree, i)) {
      place.calls = one_line(without_arguments(callee));
      most = much;
    }
    place.callees.push_back(callee_at(tree, i));
  }
  Location seen;
  describe_calls(tree, function, seen);
  if (last_name(seen.effect) != own) place.effect = seen.effect;
  place.key = seen.key;
  int handler = -1;
  for (int p = tree[again].parent; p > function && handler < 0; p = tree[p].parent)
    if (tree[p].role == Role::handler) handler = p;
  if (handler >= 0) place.back = errors_of(tree, handler);
  for (int p = tree[again].parent; p > function; p = tree[p].parent)
    if (int test = tree.child(p, Part::condition); tree[p].role == Role::branch && test >= 0) {
      for (auto id : identifiers(tree.text(test))) place.looked_at |= says_failed(id);
      if (place.back.empty() && asks_how(tree.text(test)) && says_at(tree, p).failed > 0)
        place.back.push_back(one_line(bare(tree.text(test))));
    }
  for (int i = handler; handler >= 0 && i < again; i++) place.looked_at |= sorts_out(tree, i, function);
  for (int i = function; i < again; i++) place.looked_at |= leaves_by_how(tree, i, again);
  if (place.back.empty()) place.back.emplace_back("any");
  place.looked_at |= hears_of_loss(tree, again, function);
}

}  // namespace

void find_recursion(const Tree& tree, std::vector<Location>& found) {
  for (int i = 0; i < tree.size(); i++) {
    if (tree[i].role != Role::call && tree[i].role != Role::name) continue;
    if (tree[i].role == Role::call && stands_where_not_ready(tree, i)) continue;
    if (int function = tree.function_of(i);
        function >= 0 && tree[i].role == Role::call && on_error_path(tree, i, function)) {
      int helper = helper_that_calls(tree, i, function);
      if (helper >= 0 &&
          (text_says_retry(tree.text(function)) || text_says_retry(tree.text(helper)) ||
           (waits_for(tree, helper) && only_where_failed(tree, last_name(callee_of(tree, i)), function)))) {
        auto place = location_at(tree, i, Shape::recursion);
        describe(tree, function, i, place);
        place.bound = bound_of_function(tree, function, i);
        if (place.bound.kind == Bound::none) place.bound = bound_of_function(tree, helper, -1);
        place.wait = wait_in(tree, helper);
        found.push_back(std::move(place));
        continue;
      }
    }
    if (int function = tree.function_of(i); tree[i].role == Role::call && function >= 0 &&
                                            is_given_itself(tree, i, function) && on_error_path(tree, i, function)) {
      auto place = location_at(tree, i, Shape::recursion);
      describe(tree, function, i, place);
      place.bound = bound_of_function(tree, function, i);
      place.wait = wait_in(tree, function);
      found.push_back(std::move(place));
      continue;
    }
    if (int function = tree.function_of(i);
        tree[i].role == Role::call && function >= 0 && begins_anew_elsewhere(tree, i, function)) {
      auto place = location_at(tree, i, Shape::recursion);
      place.calls = one_line(callee_of(tree, i));
      place.back.emplace_back("any");
      place.looked_at = true;
      place.bound = bound_of_function(tree, function, i);
      place.wait = {Wait::elsewhere, false, false, place.calls};
      found.push_back(std::move(place));
      continue;
    }
    bool named = tree[i].role == Role::name;  // setTimeout(connect, 1000)
    int timed = named ? timer_given(tree, i) : -1;
    if (named && timed < 0) {
      int function = tree.function_of(i);
      if (function < 0 || !hears_again(tree, i, function)) continue;
      int call = tree[tree[i].parent].parent;
      auto place = location_at(tree, call, Shape::recursion);
      describe_calls(tree, call, place);
      place.back.emplace_back("any");
      place.bound = bound_of_function(tree, function, -1);
      place.wait = wait_in(tree, function);
      found.push_back(std::move(place));
      continue;
    }
    for (int function = tree.function_of(i); function >= 0; function = tree.function_of(function)) {
      bool itself = named ? tree.text(i) == name_of_function(tree, function) : of_itself(tree, i, function);
      if (!itself) continue;
      int timer = named ? timed : timer_around(tree, i, function);
      if (goes_on_to_next(tree, i, function) || takes_first(tree, function)) break;
      bool at_once = timer >= 0 && lower(last_name(callee_of(tree, timer))) == "setimmediate";
      bool words = says_retry(name_of_function(tree, function)) || (text_says_retry(tree.text(function)) && !at_once);
      if (!on_error_path(tree, i, function) && !(timer >= 0 && words) && !asks_for_retry(tree, i, function)) break;
      auto place = location_at(tree, i, Shape::recursion);
      bool near = says_retry(name_of_function(tree, function)) || asks_for_retry(tree, i, function) || timer >= 0 ||
                  text_says_retry(tree.text(i)) || bound_of_function(tree, function, i).kind == Bound::count;
      bool same = !named && on_error_path(tree, i, function) && hands_on_the_same(tree, i, function);
      bool speaks = (same || caught(tree, i, function)) && reaches(tree, function);
      if (!near && !speaks && wait_in(tree, function).kind == Wait::none) break;
      place.function = one_line(name_of_function(tree, function));
      place.function_line = tree[function].line;
      place.function_last_line = last_line_of(tree, function);
      describe(tree, function, i, place);
      place.bound = bound_of_function(tree, function, named ? timer : i);
      place.wait = wait_in(tree, function);
      if (place.bound.kind == Bound::count && counts_items(place.bound.text)) break;
      found.push_back(std::move(place));
      break;
    }
  }
}

}  // namespace retrial::scan
