#include <algorithm>

#include "base/text.h"
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
                         "signal?.aborted", "context.Done()", "context.Err()"});
}

// What one condition says of an end; `none` where it says nothing.
Bound bound_by(std::string_view condition, const std::vector<std::string_view>& counters) {
  auto text = bare(condition);
  if (contains(text, {"sleep(", "Sleep("}))
    return {Bound::caller, one_line(text)};  // a wait that its caller can cut short
  auto shown = one_line(text);
  bool counted = false, named = false, asked = false;
  for (auto id : identifiers(text)) {
    counted |= std::ranges::count(counters, id) > 0;
    auto word = lower(id);
    if (word.starts_with("should") && (text_says_retry(text) || counted)) asked = true;
    if (!says_retry(id)) continue;
    bool asks = contains(word, {"should", "can", "allow", "has", "next", "step"}),
         kind = contains(word, {"able", "error", "delay", "strategy", "time", "wait", "after", "interval", "enabled"});
    asked |= asks && !kind;
    named |= !asks && !kind;
  }
  bool begun = contains(text, {"!= 0", "> 1", "!= 1"}) && !contains(text, {"--"});  // not the first attempt any more
  if (begun) return {};
  if (counted && (compares(text) || identifiers(text).size() == 1)) return {Bound::count, shown};
  if (named && compares(text)) return {Bound::count, shown};
  if (counted && contains(text, {"!", "not ", "("})) return {Bound::elsewhere, shown};
  if (says_time(text) && contains(text, {"<", ">", "After(", "Before(", "expired", "elapsed", "isBefore", "isAfter"}))
    return {Bound::time, shown};
  if (asked) return {Bound::elsewhere, shown};
  if (of_context(text)) return {Bound::caller, shown};
  return {};
}

// The surer of two: a number says more than a time, a time more than somebody else.
void take(Bound& best, Bound other) {
  if (other.kind != Bound::none && (best.kind == Bound::none || other.kind < best.kind)) best = std::move(other);
}

// Does the branch decide whether the loop is left: by leaving, or by going on where what follows leaves?
bool decides(const Tree& tree, int branch, int loop) {
  for (int i = branch + 1; i < tree[branch].past; i++)
    if (tree[i].role == Role::leave || tree[i].role == Role::raise || tree[i].role == Role::stop ||
        tree[i].role == Role::call)
      if (flow_of(tree, i, loop).leaves) return true;
  int then = tree.child(branch, Part::then);
  return then >= 0 && flow_of(tree, then, loop).again && flow_after(tree, branch, loop).leaves;
}

}  // namespace

std::vector<std::string_view> counters_in(const Tree& tree, int within) {
  std::vector<std::string_view> names;
  for (int i = within; i < tree[within].past; i++) {
    if (tree[i].role != Role::assign) continue;
    auto text = tree.text(i);
    int target = tree.child(i, Part::target);
    if (target < 0) target = tree.child(i, Part::name);
    if (target < 0) target = tree.first(i);
    if (target < 0) continue;
    auto name = last_name(tree.text(target));
    int value = tree.child(i, Part::value);
    auto head = value >= 0 ? text.substr(0, tree[value].begin - tree[i].begin) : text;
    bool steps = contains(head, {"++", "--", "+=", "-="});
    if (!steps && value >= 0 && tree.text(value).find(" - ") != std::string_view::npos)  // what is left of them
      for (auto id : identifiers(tree.text(value)))
        steps |= says_retry(id) && !icontains(id, "delay") && !icontains(id, "time");
    if (!steps && value >= 0 && mentions(tree.text(value), name))
      steps = contains(tree.text(value), {"+ 1", "+1", "- 1", "-1"});
    if (steps && !name.empty()) names.push_back(name);
  }
  return names;
}

Bound bound_of_loop(const Tree& tree, int loop) {
  auto header = header_of(tree, loop);
  auto counters = counters_in(tree, loop);
  Bound best;
  switch (header.kind) {
    case Header::counted: {
      auto by = bound_by(header.text, counters);
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
      take(best, bound_by(header.text, counters));
      break;
    case Header::endless:
      if (!header.item.empty()) counters.push_back(header.item);
      break;
  }
  for (int i = loop + 1; i < tree[loop].past; i++) {
    if (tree[i].role == Role::function) {
      i = tree[i].past - 1;
      continue;
    }
    if (tree[i].role == Role::branch)
      if (int test = tree.child(i, Part::condition); test >= 0 && decides(tree, i, loop))
        take(best, bound_by(tree.text(test), counters));
    if (tree.kind(i) == "communication_case" && of_context(tree.text(i))) take(best, {Bound::caller, "ctx.Done()"});
  }
  return best;
}

Bound bound_of_function(const Tree& tree, int function, int call) {
  auto counters = counters_in(tree, function);
  if (call >= 0)
    if (int arguments = tree.child(call, Part::arguments); arguments >= 0)
      for (int c = tree.first(arguments); c >= 0; c = tree.next(c))
        if (auto text = tree.text(c); contains(text, {"- 1", "-1", "+ 1", "+1", "--", "++"}))
          for (auto id : identifiers(text)) counters.push_back(id);
  Bound best;
  for (int i = function + 1; i < tree[function].past; i++)
    if (tree[i].role == Role::branch) {
      int test = tree.child(i, Part::condition), then = tree.child(i, Part::then);
      int own = tree.function_of(i);
      if (call >= 0 && own != function && own >= 0 && !tree.within(call, own)) continue;
      bool holds = call >= 0 && tree.within(call, i);
      bool leaves = then >= 0 && flow_of(tree, then, function).leaves;
      if (test >= 0 && (holds || leaves || call < 0)) take(best, bound_by(tree.text(test), counters));
    }
  return best;
}

}  // namespace retrial::scan
