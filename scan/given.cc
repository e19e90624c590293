#include "scan/given.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "scan/flow.h"
#include "scan/language.h"
#include "scan/libraries.h"
#include "scan/words.h"

namespace retrial::scan {

// `self.client.get_children`: by its first word it does something, so that it is a method.
static bool names_a_deed(std::string_view name) {
  static constexpr std::array<std::string_view, 16> all{"get",     "set",  "list",   "read",   "write",  "delete",
                                                        "remove",  "load", "exists", "ensure", "create", "update",
                                                        "publish", "call", "run",    "execute"};
  auto parts = parts_of(name);
  return !parts.empty() && (std::ranges::count(all, parts.front()) > 0 || reaches_out(parts.front()));
}

bool gives_function(const Tree& tree, int call) {
  if (tree.child(call, Part::body) >= 0) return true;  // Ruby's block
  int arguments = tree.child(call, Part::arguments);
  if (arguments < 0) return false;
  bool first = true;
  for (int c = tree.first(arguments); c >= 0; c = tree.next(c)) {
    auto role = tree[c].role;
    auto kind = tree.kind(c);
    if (role == Role::function || kind == "method_reference") return true;
    if (tree[c].role == Role::call) {
      auto made = last_name(callee_of(tree, c));  // `connect.bind(this)`
      if (made == "bind" || made == "partial") return true;
    }
    // A name that may be a function's, where it comes first.
    bool named =
        role == Role::name || kind == "attribute" || kind == "member_expression" || kind == "selector_expression";
    auto text = tree.text(c);
    if (named && text != "ctx" && text != "this" && text != "self" && !says_failed(last_name(text)))
      if (!tree.functions(last_name(text)).empty() || (first && kind == "attribute" && names_a_deed(last_name(text))))
        return true;
    first = false;
  }
  return false;
}

bool says_so(const Tree& tree, int value) {
  auto text = trim(tree.text(value));
  auto kind = tree.kind(value);
  if (tree[value].role == Role::number) return text != "0";
  if (text.find("type") != text.npos || text.find("default") != text.npos) return false;
  if (kind == "object" || kind == "dictionary") return text.size() > 2 && !text.contains("limit: 0");
  if (tree[value].role == Role::call)
    return makes_retrying(callee_of(tree, value)) && text.find("(False)") == text.npos && text.find("(0)") == text.npos;
  return text == "true" || text == "True";
}

std::string_view as_written(std::string_view callee) {
  if (!callee.starts_with("(0, ") || !callee.ends_with(')')) return callee;
  callee = callee.substr(4, callee.size() - 5);
  return callee.ends_with(".default") ? callee.substr(0, callee.size() - 8) : callee;
}

// `Object.assign({ retries: 3 }, options)`: what stands where nothing is said.
static bool only_merges(const Tree& tree, int call) {
  auto callee = tree[call].role == Role::call ? callee_of(tree, call) : std::string_view();
  auto name = lower(last_name(callee));
  return callee == "Object.assign" || name == "merge" || name == "defaults" || name == "extend";
}

bool told_to_a_call(const Tree& tree, int option) {
  for (int p = tree[option].parent; p >= 0 && tree[p].role != Role::function; p = tree[p].parent) {
    if (tree[p].part == Part::arguments && tree[p].parent >= 0 && only_merges(tree, tree[p].parent)) return false;
    if (tree[p].part == Part::arguments || tree.kind(p) == "composite_literal" || tree[p].role == Role::decorator)
      return true;
    if (tree[p].role == Role::assign) return false;
  }
  return false;
}

int call_around(const Tree& tree, int i) {
  for (int p = tree[i].parent; p >= 0 && tree[p].role != Role::function; p = tree[p].parent)
    if (tree[p].role == Role::call || tree.kind(p) == "composite_literal") return p;
  return -1;
}

std::string said_by(const Tree& tree, int call) {
  int arguments = tree.child(call, Part::arguments);
  std::string text("(");
  for (int c = arguments >= 0 ? tree.first(arguments) : -1; c >= 0; c = tree.next(c))
    if (tree[c].role != Role::function) text.append(text.size() > 1 ? ", " : "").append(tree.text(c));
  return text + ")";
}

// `policy.MaxElapsedTime = 0`
static std::string fields_set_in(const Tree& tree, int function, std::string_view name) {
  std::string text;
  for (int i = function; i < tree[function].past; i++) {
    int target = tree[i].role == Role::assign ? tree.target_of(i) : -1;
    if (target >= 0 && receiver(tree.text(target)) == name) text.append("\n").append(tree.text(i));
  }
  return text;
}

std::string with_names(const Tree& tree, int node, std::string text) {
  auto given = text;
  int function = tree.function_of(node);
  for (auto id : identifiers(given)) {
    constexpr std::size_t kLittle = 500;
    auto& made = tree.functions(id);
    bool called = static_cast<std::size_t>(id.data() - given.data()) + id.size() < given.size() &&
                  *(id.data() + id.size()) == '(';
    if (called && made.size() == 1 && !tree.within(node, made.front()) && tree.text(made.front()).size() < kLittle)
      text.append("\n").append(tree.text(made.front()));
    if (function >= 0) text += fields_set_in(tree, function, id);
    std::vector<int> set;
    for (int one : tree.assignments(id))
      if (tree.function_of(one) == function) set.push_back(one);
    if (set.size() != 1 || tree.within(node, set.front())) continue;
    int value = tree.child(set.front(), Part::value);
    if (value >= 0 && tree[value].role != Role::function && tree.text(value).size() < kLittle)
      text.append("\n").append(tree.text(value));
  }
  return text;
}

static bool says_for_good(std::string_view text) {
  for (std::string_view word : {"AbortError", "bail(", "Permanent(", "Unrecoverable(", "::permanent("})
    if (text.find(word) != text.npos) return true;
  return false;
}

bool tells_for_good(const Tree& tree, int tried) {
  if (says_for_good(tree.text(tried))) return true;
  for (int i = tried; i < tree[tried].past; i++) {
    if (tree[i].role != Role::call) continue;
    auto& called = tree.functions(last_name(callee_of(tree, i)));
    if (called.size() == 1 && says_for_good(tree.text(called.front()))) return true;
  }
  return false;
}

std::string_view chain_of(const Tree& tree, int call) {
  int top = call;
  for (int p = tree[call].parent; p >= 0 && tree[p].part != Part::arguments && tree[p].begin == tree[call].begin;
       p = tree[p].parent)
    if (tree[p].role == Role::call) top = p;
  return tree.text(top);
}

bool is_strategy(std::string_view given) {
  for (std::string_view one : {"ExponentialBuilder", "FibonacciBuilder", "ConstantBuilder"})
    if (given.find(one) != given.npos) return true;
  return false;
}

bool is_operator(const Tree& tree, int call) {
  int list = tree[call].parent, pipe = list >= 0 ? tree[list].parent : -1;
  auto name = callee_of(tree, call);
  return (name == "retry" || name == "retryWhen") && tree[list].part == Part::arguments && pipe >= 0 &&
         tree[pipe].role == Role::call && last_name(callee_of(tree, pipe)) == "pipe";
}

bool is_decorator_made_here(const Tree& tree, int call) {
  auto callee = callee_of(tree, call);
  return (callee == "backoff.on_exception" || callee == "backoff.on_predicate") && tree.function_of(call) >= 0 &&
         tree[tree[call].parent].role == Role::assign;
}

bool is_heard_by_bottleneck(const Tree& tree, int call) {
  int arguments = tree.child(call, Part::arguments), first = arguments >= 0 ? tree.first(arguments) : -1;
  return first >= 0 && last_name(callee_of(tree, call)) == "on" && identifiers(tree.text(first)).empty() &&
         tree.text(first).substr(1, 6) == "failed" && icontains(receiver(callee_of(tree, call)), "limiter") &&
         tree.source().find("ottleneck") != std::string_view::npos;
}

std::string with_spread(const Tree& tree, std::string_view arguments) {
  std::string all(arguments);
  for (std::string_view sign : {"**", "..."})
    for (auto at = arguments.find(sign); at != arguments.npos; at = arguments.find(sign, at + 1)) {
      auto before = trim(arguments.substr(0, at));
      if (!before.empty() && before.back() != '(' && before.back() != ',' && before.back() != '{') continue;
      auto names = identifiers(arguments.substr(at));
      if (names.empty()) continue;
      for (int set : tree.assignments(names.front())) all.append("\n").append(tree.text(set));
    }
  return all;
}

std::string_view handed_on(const Tree& tree, int call) {
  int arguments = tree.child(call, Part::arguments);
  for (int c = arguments >= 0 ? tree.first(arguments) : -1; c >= 0; c = tree.next(c)) {
    auto text = tree.text(c);
    auto kind = tree.kind(c);
    bool spread = kind == "list_splat" || kind == "dictionary_splat" || kind == "spread_element";
    if (!spread && tree[c].role != Role::name) continue;
    auto name = spread ? identifiers(text).empty() ? text : identifiers(text).front() : text;
    int function = tree.function_of(call);
    int given = function >= 0 ? tree.child(function, Part::parameters) : -1;
    bool parameter = given >= 0 && mentions(tree.text(given), name);
    if (parameter && (spread || icontains(name, "opt") || icontains(name, "config") || icontains(name, "polic") ||
                      icontains(name, "strateg") || says_retry(name)))
      return text;
  }
  return {};
}

}  // namespace retrial::scan
