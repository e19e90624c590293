// What failed is begun anew later, by a timer or from what hears of a lost connection: the way of callbacks.
#include "base/text.h"
#include "scan/detectors.h"
#include "scan/flow.h"
#include "scan/language.h"
#include "scan/limits.h"
#include "scan/words.h"

namespace retrial::scan {
namespace {

// What the callback of a timer runs: a call in a function that it is given, or the name of one.
int run_by(const Tree& tree, int timer) {
  int arguments = tree.child(timer, Part::arguments);
  for (int c = arguments >= 0 ? tree.first(arguments) : -1; c >= 0; c = tree.next(c)) {
    if (tree[c].role == Role::function) return failing_call(tree, c);
    auto kind = tree.kind(c);
    auto name = last_name(tree.text(c));
    if ((tree[c].role == Role::name || kind == "attribute" || kind == "member_expression" ||
         kind == "method_reference" || (kind == "selector_expression" && !tree.text(c).starts_with("time.")) ||
         tree[c].role == Role::call) &&
        !icontains(name, "delay") && !icontains(name, "time") && !says_failed(name) && name != "resolve" &&
        name != "reject" && name != "abort")
      return c;
  }
  return -1;
}

// `new Promise((r) => setTimeout(r, ms))`: nothing is begun anew, it only waits.
bool only_waits(const Tree& tree, int timer) {
  int function = tree.function_of(timer), arguments = tree.child(timer, Part::arguments);
  int given = function >= 0 ? tree.child(function, Part::parameters) : -1;
  auto settles = [&](std::string_view what) {
    if (what.ends_with("()")) what.remove_suffix(2);
    return mentions(tree.text(given), what);
  };
  bool any = false;
  for (int c = given >= 0 && arguments >= 0 ? tree.first(arguments) : -1; c >= 0 && !any; c = tree.next(c)) {
    int call = tree[c].role == Role::function ? tried_call(tree, c) : -1;
    int with = call >= 0 ? tree.child(call, Part::arguments) : -1;  // what it does then is what it is for
    any = settles(call >= 0 ? callee_of(tree, call) : tree.text(c)) && (with < 0 || tried_call(tree, with) < 0);
  }
  if (!any) return false;
  for (int p = tree[function].parent; p >= 0 && tree[p].role != Role::function; p = tree[p].parent)
    if (tree[p].role == Role::call) return last_name(callee_of(tree, p)) == "Promise";
  return false;
}

// `setTimeout(abortAttempt, ms)`: it ends one.
bool says_abort(std::string_view name) {
  auto parts = parts_of(name);
  return !parts.empty() && (parts.front() == "abort" || parts.front() == "cancel");
}

// What it runs only tells that something took too long: `setTimeout(() => callback(new TimeoutError()), ms)`.
bool only_fails(const Tree& tree, int timer) {
  int arguments = tree.child(timer, Part::arguments);
  for (int i = arguments; arguments >= 0 && i < tree[arguments].past; i++) {
    if (tree[i].role != Role::call) continue;
    auto callee = callee_of(tree, i);
    auto parts = parts_of(last_name(callee));
    if (callee.starts_with("new ") && !parts.empty() && (parts.back() == "error" || parts.back() == "exception"))
      return true;
  }
  return false;
}

// Neither what is said beside the code nor what a condition asks: `if (!this.reconnecting) ack()` acknowledges.
bool names_retry(const Tree& tree, int timer) {
  for (int i = timer; i < tree[timer].past; i++) {
    if (tree[i].part == Part::condition || tree[i].role == Role::comment || tree[i].role == Role::text ||
        (tree[i].role == Role::call && is_talk(callee_of(tree, i)) && !is_waiting(callee_of(tree, i)))) {
      i = tree[i].past - 1;
      continue;
    }
    if (tree[i].past == i + 1 && text_says_retry(tree.text(i))) return true;
  }
  return false;
}

// `delay := strategy.beforeNextAttempt(n)`, which it is given.
bool is_given_retry_delay(const Tree& tree, int timer) {
  int arguments = tree.child(timer, Part::arguments), function = tree.function_of(timer);
  for (int c = arguments >= 0 ? tree.first(arguments) : -1; c >= 0; c = tree.next(c)) {
    bool says = false;
    for (std::string_view word : {"delay", "wait", "interval", "backoff", "time", "after"})
      says |= icontains(tree.text(c), word);
    if (tree[c].role != Role::name || !says) continue;
    for (int set : tree.assignments(tree.text(c)))
      if (function >= 0 && tree.within(set, function) && text_says_retry(tree.text(set))) return true;
  }
  return false;
}

// The names that say what a timer is for: of its holder, its function, its delay, and what it runs.
bool is_for_retry(const Tree& tree, int timer) {
  if (names_retry(tree, timer) || text_says_retry(callee_of(tree, timer)) || is_given_retry_delay(tree, timer))
    return true;
  for (int f = tree.function_of(timer); f >= 0; f = tree.function_of(f))
    if (says_retry(name_of_function(tree, f))) return true;
  for (int p = tree[timer].parent; p >= 0; p = tree[p].parent)
    if (int test = tree[p].role == Role::branch ? tree.child(p, Part::condition) : -1;
        test >= 0 && text_says_retry(tree.text(test)))
      return true;
  int holder = tree[timer].parent;
  return holder >= 0 && tree[holder].role == Role::assign && tree.target_of(holder) >= 0 &&
         text_says_retry(tree.text(tree.target_of(holder)));
}

bool is_called_for_loss(std::string_view name) {
  auto word = lower(name);
  bool handles = word.starts_with("on") || word.find("handle") != word.npos || word.find("lost") != word.npos;
  for (std::string_view what : {"error", "close", "disconnect", "failure", "timeout", "lost", "exception"})
    if (handles && word.find(what) != word.npos) return true;
  return false;
}

// `restart`, `resume`, where a failure is heard of or a function says so of itself.
bool begins_anew(const Tree& tree, int timer, std::string_view runs) {
  auto name = last_name(runs);
  if (name != "restart" && name != "resume" && name != "reopen") return false;
  int function = tree.function_of(timer);
  auto own = function >= 0 ? name_of_function(tree, function) : std::string_view();
  return is_called_for_loss(own) || lower(own).starts_with("reschedule");
}

// The same is called elsewhere, too: where it began first.
bool is_called_elsewhere(const Tree& tree, int call, int function) {
  auto text = tree.text(call);
  for (int i = 0; i < tree.size(); i++)
    if (tree[i].role == Role::call && !tree.within(i, function) && tree[i].end - tree[i].begin == text.size() &&
        tree.text(i) == text)
      return true;
  return false;
}

bool begins_connection(const Tree& tree, int call, int function) {
  auto callee = callee_of(tree, call);
  auto parts = parts_of(last_name(callee));
  bool own = receiver(callee).empty() || receiver(callee) == "this" || receiver(callee) == "self";
  if (parts.size() > 2 || (!own && (last_name(callee) != "connect" || !is_called_elsewhere(tree, call, function))))
    return false;
  for (auto& part : parts)
    if (part == "connect" || part == "reconnect" || part == "redial") return true;
  return false;
}

// `AfterFunc(d, c.refresh)` in handleError, which `refresh` calls where it failed.
bool begins_its_caller(const Tree& tree, int timer, std::string_view runs) {
  int function = tree.function_of(timer);
  auto own = function >= 0 ? name_of_function(tree, function) : std::string_view();
  if (!is_called_for_loss(own)) return false;
  for (int f : tree.functions(last_name(runs)))
    for (int i = f; i < tree[f].past; i++)
      if (tree[i].role == Role::call && last_name(callee_of(tree, i)) == own && on_error_path(tree, i, f)) return true;
  return false;
}

void add(const Tree& tree, int at, std::string_view runs, std::vector<Location>& found) {
  auto place = location_at(tree, at, Shape::timer);
  place.calls = one_line(runs);
  place.callees.push_back({std::string(last_name(runs)), {}});
  place.back.emplace_back("any");
  place.looked_at = true;  // what it heard of is seldom to be seen here
  int function = tree.function_of(at);
  if (function >= 0) place.bound = bound_of_function(tree, function, at);
  place.wait = wait_in(tree, at);
  if (place.wait.kind == Wait::none && function >= 0) place.wait = wait_in(tree, function);
  if (auto whole = function >= 0 ? wait_in(tree, function) : Wait(); place.wait.text == whole.text)
    place.wait = whole;  // what it waits for is stepped beside it
  // What is begun anew may count and wait itself.
  for (int f : tree.functions(last_name(runs))) {
    if (place.bound.kind == Bound::none) place.bound = bound_of_function(tree, f, -1);
    if (place.wait.kind == Wait::none) place.wait = wait_in(tree, f);
  }
  found.push_back(std::move(place));
}

}  // namespace

void find_timers(const Tree& tree, std::vector<Location>& found) {
  bool words = text_says_retry(tree.source()) || tree.source().find("reschedule") != std::string_view::npos ||
               tree.source().find("onError") != std::string_view::npos;
  if (!words) return;
  for (int i = 0; i < tree.size(); i++) {
    if (tree[i].role != Role::call) continue;
    auto callee = callee_of(tree, i);
    if (is_timer(callee)) {
      int runs = run_by(tree, i);
      auto what = runs < 0                        ? std::string_view()
                  : tree[runs].role == Role::call ? callee_of(tree, runs)
                                                  : tree.text(runs);
      bool limit =
          last_name(what) == "reject" || says_abort(last_name(what)) || only_waits(tree, i) || only_fails(tree, i);
      bool nothing = runs >= 0 && tree[runs].role == Role::call && is_talk(what) && !is_timer(what);
      bool periodic = last_name(callee) == "setInterval";  // only by the name of what it does
      bool wanted = periodic ? says_retry(last_name(what))
                             : is_for_retry(tree, i) || begins_anew(tree, i, what) || begins_its_caller(tree, i, what);
      if (runs >= 0 && !limit && !nothing && wanted) add(tree, i, what, found);
      continue;
    }
    int function = tree.function_of(i);
    if (function < 0 || !is_called_for_loss(name_of_function(tree, function)) || !begins_connection(tree, i, function))
      continue;
    bool here = last_name(callee) == "connect" && !receiver(callee).empty() && receiver(callee) != "this";
    for (int f : tree.functions(last_name(callee))) here |= f != function;
    if (here) add(tree, i, callee, found);
  }
}

}  // namespace retrial::scan
