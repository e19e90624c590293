#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"
#include "scan/detectors.h"
#include "scan/flow.h"
#include "scan/language.h"
#include "scan/limits.h"
#include "scan/words.h"

namespace retrial::scan {
namespace {

bool contains(std::string_view text, std::initializer_list<std::string_view> any) {
  return std::ranges::any_of(any, [&](auto one) { return text.find(one) != text.npos; });
}

bool compares(std::string_view text) { return contains(text, {"<", ">", "==", "--", "++", "-="}); }

bool of_context(std::string_view text) {
  return contains(text, {"ctx.Done()", "ctx.Err()", "Context().Done()", "Context().Err()", "signal.aborted",
                         "signal?.aborted", "context.Done()", "context.Err()", "IsCancellationRequested"});
}

// Not the first attempt any more: says nothing of the last.
bool asks_for_first(std::string_view text) {
  for (std::string_view one : {"!= 0", "> 1", "!= 1"}) {
    auto at = text.find(one);
    bool whole = at + one.size() == text.size() || !std::isdigit(static_cast<unsigned char>(text[at + one.size()]));
    if (at != text.npos && whole) return text.find("--") == text.npos;
  }
  return false;
}

// `retry` of `decision === retry.Policy.rethrow`.
bool of_module(std::string_view text, std::string_view id) {
  auto past = static_cast<std::size_t>(id.data() - text.data()) + id.size();
  return id == "retry" && past < text.size() && text[past] == '.' && text.find_first_of("<>") == text.npos;
}

// `attempt.time_to_give_up(now)`: who is asked counts or looks at a clock.
bool asks_to_give_up(std::string_view text) {
  for (auto id : identifiers(text)) {
    auto parts = parts_of(id);
    auto at = std::ranges::search(parts, std::array<std::string_view, 2>{"give", "up"}).begin();
    bool called = text.contains(std::string(id) + "(");
    if (called && at != parts.end()) return true;
  }
  return false;
}

// Of `a() or not b` that part in which `id` stands.
std::string_view part_around(std::string_view text, std::string_view id) {
  auto at = static_cast<std::size_t>(id.data() - text.data());
  std::size_t from = 0, to = text.size();
  for (std::string_view joint : {"||", "&&", " or ", " and "}) {
    if (auto before = text.substr(0, at).rfind(joint); before != text.npos) from = std::max(from, before);
    to = std::min(to, text.find(joint, at));
  }
  return text.substr(from, to - from);
}

// What a number of attempts is held against stands still.
bool is_limit(std::string_view word) {
  for (auto& part : parts_of(word))
    if (part == "max" || part == "limit" || part == "options" || part == "opts" || part == "config" ||
        part == "policy" || part == "settings" || part == "cfg")
      return true;
  return std::ranges::none_of(word, [](char c) { return std::islower(static_cast<unsigned char>(c)); });
}

// Reads ends off the conditions of one stretch: a loop, or a function that begins itself anew by `call`.
struct Ends {
  const Tree& tree;
  int stretch;
  std::vector<std::string_view> counters;
  int call = -1;

  // Is it set anew within the stretch, or by what begins it anew?
  bool set_here(std::string_view name) const {
    for (int i : tree.assignments(name))
      if (tree.within(i, stretch) && tree.function_of(i) >= 0) return true;
    return false;
  }

  // A name of this function alone that nothing steps ends nothing, however it is called.
  bool stands_still(std::string_view name) const {
    int function = tree[stretch].role == Role::function ? stretch : tree.function_of(stretch);
    if (function < 0) return false;
    int given = tree.child(function, Part::parameters);
    bool parameter = given >= 0 && mentions(tree.text(given), name), local = parameter;
    for (int i : tree.assignments(name)) local |= tree.function_of(i) == function;
    if (!local || set_here(name)) return false;
    return stretch != function || (call >= 0 && parameter && is_handed_on(name));
  }

  // As an argument by itself: `f(attempt)`, not `f(attempt + 1)`.
  bool is_handed_on(std::string_view name) const {
    int arguments = tree.child(call, Part::arguments);
    for (int i = arguments; arguments >= 0 && i < tree[arguments].past; i++)
      if (tree[i].role == Role::name && tree[i].parent == arguments && tree.text(i) == name) return true;
    return arguments < 0;  // Ruby's retry hands on everything
  }

  // Does anything that is compared move? Members and what is called are moved elsewhere.
  bool moves(std::string_view text) const {
    for (auto id : identifiers(text)) {
      auto at = static_cast<std::size_t>(id.data() - text.data()), past = at + id.size();
      bool member =
          (at > 0 && (text[at - 1] == '.' || text[at - 1] == '>' || text[at - 1] == '@' || text[at - 1] == '$')) ||
          (past < text.size() && text[past] == '.');
      bool called = past < text.size() && text[past] == '(';
      if (std::ranges::count(counters, id) > 0) return true;
      if (is_set_back(tree, stretch, id)) continue;
      if (!is_limit(id) && (member || called || !stands_still(id))) return true;
    }
    return false;
  }

  // Its value was asked of something that decides of retries: `delay = strategy(n); if (delay < 0) return`. What waits
  // and is told no number decides of none.
  bool is_told(std::string_view text) const {
    for (auto id : identifiers(text))
      for (int i : tree.assignments(id)) {
        int value = tree.child(i, Part::value);
        auto held = value >= 0 && tree.within(i, stretch) ? tree.text(value) : std::string_view();
        bool by_number = std::ranges::any_of(counters, [&](auto counter) { return mentions(held, counter); });
        if (held.size() < 300 && held.find('(') != held.npos && text_says_retry(held) &&
            (by_number || !is_waiting(held.substr(0, held.find('(')))))
          return true;
      }
    return false;
  }

  // What one condition says of an end; `none` where it says nothing.
  Bound by(std::string_view condition) const {
    auto text = bare(condition);
    if (contains(text, {"sleep(", "Sleep("}))
      return {Bound::caller, one_line(text)};  // a wait that its caller can cut short
    auto shown = one_line(text);
    bool counted = false, named = false, asked = false;
    for (auto id : identifiers(text)) {
      counted |= std::ranges::count(counters, id) > 0;
      auto word = lower(id);
      if (word.starts_with("should") && (text_says_retry(part_around(text, id)) || counted)) asked = true;
      if (!says_retry(id)) continue;
      bool asks = contains(word, {"should", "can", "allow", "has", "next", "step"}),
           kind = contains(word, {"able", "error", "delay", "strategy", "time", "wait", "after", "interval", "period",
                                  "enabled", "attempted_", "policy"}) ||
                  of_module(text, id) || word.ends_with("ing") ||
                  word.ends_with("retryin");  // what was attempted, how soon, not how often
      asked |= asks && !kind;
      auto part = part_around(text, id);
      bool nothing = contains(part, {"nil", "null", "None", "undefined"});
      // `!policy.Attempt(query)`: what it is called of may end it.
      bool called = part.contains(std::string(id) + "("), of_state = word.starts_with("is") || word.starts_with("get");
      asked |= !asks && !kind && !of_state && !compares(part) && called && part.contains('.');
      named |= !asks && !kind && !nothing && compares(called ? part : text);
    }
    if (asks_for_first(text)) return {};
    if (counted && (compares(text) || identifiers(text).size() == 1)) return {Bound::count, shown};
    if (named && moves(text)) return {Bound::count, shown};
    if (counted && contains(text, {"!", "not ", "("})) return {Bound::elsewhere, shown};
    if (says_time(text) && !text.starts_with("let ") &&
        contains(text, {"<", ">", "After(", "Before(", "expired", "elapsed", "isBefore", "isAfter"}))
      return {Bound::time, shown};
    if (asked || asks_to_give_up(text)) return {Bound::elsewhere, shown};
    if (of_context(text)) return {Bound::caller, shown};
    return is_told(text) ? Bound{Bound::elsewhere, shown} : Bound{};
  }
};

// The surer of two: a number says more than a time, a time more than somebody else.
void take(Bound& best, Bound other) {
  if (other.kind != Bound::none && (best.kind == Bound::none || other.kind < best.kind)) best = std::move(other);
}

// Does the branch decide whether the loop is left: by leaving, or by going on where what follows leaves?
bool decides(const Tree& tree, int branch, int loop) {
  for (int i = branch + 1; i < tree[branch].past; i++)
    if (tree[i].role == Role::leave || tree[i].role == Role::raise || tree[i].role == Role::stop ||
        tree[i].role == Role::call || tree[i].role == Role::assign)
      if (flow_of(tree, i, loop).leaves) return true;
  int then = tree.child(branch, Part::then);
  return then >= 0 && flow_of(tree, then, loop).again && flow_after(tree, branch, loop).leaves;
}

// A policy is asked for the next wait, and gives none any more: `if let Some(d) = backoff.next() { … } else { return
// }`.
bool asks_for_another(std::string_view test) {
  return test.starts_with("let Some(") && test.ends_with(')') && text_says_retry(test);
}

// Only where all went well: Python's `try: … else: …`.
bool stands_in_success(const Tree& tree, int i, int loop) {
  for (int p = tree[i].parent; p > loop; p = tree[p].parent)
    if (tree.kind(p) == "else_clause" && tree[tree[p].parent].role == Role::attempt) return true;
  return false;
}

// An error and a limit are given to something where it failed: that may end it.
bool hands_over(const Tree& tree, int call) {
  int arguments = tree.child(call, Part::arguments);
  if (arguments < 0 || !is_given_error(tree, call) || is_talk(callee_of(tree, call))) return false;
  if (text_says_retry(receiver(callee_of(tree, call)))) return true;  // a policy
  return std::ranges::any_of(identifiers(tree.text(arguments)),
                             [](auto id) { return says_time(id) || says_retry(id); });
}

// `match backoff.next_backoff() { None => return … }` where it failed, too.
bool asks_policy(const Tree& tree, int choice, int loop) {
  int value = tree.child(choice, Part::value);
  auto text = value >= 0 ? tree.text(value) : std::string_view();
  for (int i = choice; i < tree[choice].past; i++)
    if (outcome_of(tree, i).failed != 0) return false;  // it is what was tried
  return text.find('(') != text.npos && text_says_retry(text) && flow_of(tree, choice, loop).leaves;
}

// `Some(CONFLICT) if !retried => { retried = true; … }`, and nothing sets it back.
bool spends_a_flag_of_its_own(const Tree& tree, int holder, int test, int loop) {
  auto text = bare(tree.text(test));
  for (auto id : identifiers(text)) {
    auto before = trim(text.substr(0, static_cast<std::size_t>(id.data() - text.data())));
    if (!before.ends_with('!') && !before.ends_with("not")) continue;
    bool on = false, off = false;
    for (int i : tree.assignments(id)) {
      int value = tree.child(i, Part::value);
      if (value < 0 || !tree.within(i, loop)) continue;
      bool set = tree.text(value) == "true" || tree.text(value) == "True";
      on |= set && tree.within(i, holder);
      off |= !set;
    }
    if (on && !off) return true;
  }
  return false;
}

// All that leads back by a word of its own stands there.
bool holds_every_way_back(const Tree& tree, int holder, int loop) {
  bool any = false;
  for (int i = loop + 1; i < tree[loop].past; i++) {
    if (tree[i].role != Role::again || loop_of(tree, i) != loop) continue;
    if (!tree.within(i, holder)) return false;
    any = true;
  }
  return any || tree.kind(holder) == "match_arm";
}

}  // namespace

Bound bound_of_loop(const Tree& tree, int loop) {
  auto header = header_of(tree, loop);
  Ends ends{tree, loop, counters_in(tree, loop)};
  Bound best;
  if (auto limit = limit_around(tree, loop); !limit.empty()) take(best, {Bound::time, one_line(limit)});
  switch (header.kind) {
    case Header::counted: {
      auto by = ends.by(header.text);
      if (by.kind == Bound::none) by = {Bound::count, one_line(header.text)};
      return by;
    }
    case Header::each:
      if (header.text.ends_with(".C") || contains(header.text, {"time.Tick", "chan"})) break;
      if ((header.text.find('(') != header.text.npos && text_says_retry(header.text)) ||
          contains(lower(header.text), {"generator", "iterator"}))
        return {Bound::elsewhere, one_line(header.text)};
      return {Bound::count, "each of " + one_line(header.text)};
    case Header::condition:
      take(best, ends.by(header.text));
      break;
    case Header::endless:
      if (!header.item.empty()) ends.counters.push_back(header.item);
      break;
  }
  for (int i = loop + 1; i < tree[loop].past; i++) {
    if (tree[i].role == Role::function) {
      i = tree[i].past - 1;
      continue;
    }
    if (tree[i].role == Role::branch)
      if (int test = tree.child(i, Part::condition);
          test >= 0 && decides(tree, i, loop) && !stands_in_success(tree, i, loop)) {
        take(best, ends.by(tree.text(test)));
        if (asks_for_another(tree.text(test))) take(best, {Bound::elsewhere, one_line(tree.text(test))});
      }
    if (tree[i].role == Role::call)
      if (auto limit = limit_raced(tree, i, loop); !limit.empty()) take(best, {Bound::time, one_line(limit)});
    if (int guard = guard_of(tree, i); guard >= 0) {
      take(best, ends.by(tree.text(guard)));
      if (spends_a_flag_of_its_own(tree, i, guard, loop) && holds_every_way_back(tree, i, loop))
        take(best, {Bound::count, one_line(tree.text(guard))});
    }
    if (int test = tree[i].role == Role::branch ? tree.child(i, Part::condition) : -1;
        test >= 0 && spends_a_flag_of_its_own(tree, i, test, loop) && holds_every_way_back(tree, i, loop))
      take(best, {Bound::count, one_line(tree.text(test))});
    if (tree.kind(i) == "communication_case" && of_context(tree.text(i))) take(best, {Bound::caller, "ctx.Done()"});
    bool failed = tree[i].role == Role::call && tree.around(i, Role::handler) > loop && hands_over(tree, i);
    if (failed || (tree[i].role == Role::choice && asks_policy(tree, i, loop)))
      take(best, {Bound::elsewhere, one_line(failed ? callee_of(tree, i) : tree.text(tree.child(i, Part::value)))});
  }
  return best;
}

Bound bound_of_function(const Tree& tree, int function, int call) {
  Ends ends{tree, function, counters_in(tree, function), call};
  if (call >= 0)
    if (int arguments = tree.child(call, Part::arguments); arguments >= 0)
      for (int c = tree.first(arguments); c >= 0; c = tree.next(c))
        if (auto text = tree.text(c);
            tree[c].role != Role::function && contains(text, {"- 1", "-1", "+ 1", "+1", "--", "++"}))
          for (auto id : identifiers(text)) ends.counters.push_back(id);
  Bound best;
  for (int i = function + 1; i < tree[function].past; i++) {
    int own = tree.function_of(i);
    if (call >= 0 && own != function && own >= 0 && !tree.within(call, own)) continue;
    if (int guard = guard_of(tree, i);
        guard >= 0 && (call < 0 || tree.within(call, i) || flow_of(tree, i, function).leaves))
      take(best, ends.by(tree.text(guard)));
    if (tree[i].role != Role::branch) continue;
    int test = tree.child(i, Part::condition), then = tree.child(i, Part::then);
    bool holds = call >= 0 && tree.within(call, i);
    bool leaves = then >= 0 && flow_of(tree, then, function).leaves;
    if (test >= 0 && (holds || leaves || call < 0)) take(best, ends.by(tree.text(test)));
    if (test >= 0 && then >= 0 && call >= 0 && tree.within(call, then) &&
        spends_a_flag(tree, call, function, tree.text(test)))
      take(best, {Bound::count, one_line(tree.text(test))});
  }
  return best;
}

}  // namespace retrial::scan
