// An HTTP client's interceptor that sends what failed once more: axios.
#include <algorithm>

#include "base/text.h"
#include "scan/detectors.h"
#include "scan/flow.h"
#include "scan/language.h"
#include "scan/limits.h"
#include "scan/words.h"

namespace retrial::scan {
namespace {

constexpr std::string_view kUse = ".interceptors.response.use";

// The second of what `use` is given: a function that stands there, or the one of that name. Or -1.
int handler_given(const Tree& tree, int use) {
  int arguments = tree.child(use, Part::arguments), first = arguments >= 0 ? tree.first(arguments) : -1;
  int second = first >= 0 ? tree.next(first) : -1;
  while (second >= 0 && tree[second].role == Role::comment) second = tree.next(second);
  if (second < 0 || tree[second].role == Role::function) return second;
  auto text = tree.text(second);
  auto& named = tree.functions(last_name(text.substr(0, text.find(".bind("))));
  return named.size() == 1 ? named.front() : -1;
}

std::string_view first_parameter(const Tree& tree, int function) {
  int given = tree.child(function, Part::parameters);
  auto ids = identifiers(given >= 0 ? tree.text(given) : std::string_view());
  return ids.empty() ? std::string_view() : ids.front();
}

// `(e) => this.onError(e)` only hands on: the function of that name.
int handed_to(const Tree& tree, int function, std::string_view error) {
  for (int i = function + 1; i < tree[function].past; i++) {
    int arguments = tree[i].role == Role::call ? tree.child(i, Part::arguments) : -1;
    int first = arguments >= 0 ? tree.first(arguments) : -1;
    if (first < 0 || tree.text(first) != error || tree.next(first) >= 0) continue;
    auto& named = tree.functions(last_name(callee_of(tree, i)));
    if (named.size() == 1 && named.front() != function) return named.front();
  }
  return function;
}

// `error.config`, or a name that was set to it.
bool is_request_of(const Tree& tree, int i, std::string_view error, int handler) {
  auto holds = [&](std::string_view text) { return mentions(text, error) && mentions(text, "config"); };
  auto text = tree.text(i);
  if (holds(text)) return true;
  for (auto id : identifiers(text))
    for (int set : tree.assignments(id))
      if (int value = tree.child(set, Part::value);
          tree.within(set, handler) && value >= 0 && tree[value].role != Role::call && holds(tree.text(set)))
        return true;
  return false;
}

// The client itself, or what sends by it.
bool sends_by(std::string_view callee, std::string_view client) {
  auto name = last_name(callee);
  if (callee == client || name == "request") return true;
  auto parts = parts_of(name);
  return std::ranges::any_of(parts,
                             [](auto& part) {
                               return part == "axios" || part == "client" || part == "instance" || part == "api" ||
                                      part == "http";
                             }) &&
         parts.size() < 3;
}

// `if (!config._retry) { config._retry = true; … }`
bool marks_it(const Tree& tree, int branch, int handler) {
  for (auto id : identifiers(tree.text(tree.child(branch, Part::condition))))
    for (int set : tree.assignments(id))
      if (int value = tree.child(set, Part::value);
          tree.within(set, handler) && value >= 0 && tree.text(value) == "true")
        return true;
  return false;
}

void add_second(const Tree& tree, int call, int handler, std::vector<Location>& found) {
  auto place = location_at(tree, call, Shape::repeat);
  place.calls = one_line(without_arguments(callee_of(tree, call)));
  place.bound = bound_of_function(tree, handler, call);
  int inner = -1;
  for (int p = tree[call].parent; p > handler; p = tree[p].parent) {
    if (tree[p].role != Role::branch || tree.child(p, Part::condition) < 0) continue;
    auto test = tree.text(tree.child(p, Part::condition));
    if (inner < 0) inner = p;
    place.looked_at |= asks_how(test);
    if (asks_how(test) && place.back.empty()) place.back.push_back(one_line(bare(test)));
    if (place.bound.kind == Bound::none && marks_it(tree, p, handler)) place.bound = {Bound::count, "once more"};
  }
  // What is not to be sent again, or was sent already, has left before.
  for (int i = handler; i < call; i++) {
    int then = tree[i].role == Role::branch ? tree.child(i, Part::then) : -1;
    if (then < 0 || tree.child(i, Part::condition) < 0 || tree.within(call, i) || !flow_of(tree, then, handler).leaves)
      continue;
    auto test = tree.text(tree.child(i, Part::condition));
    place.looked_at |= asks_how(test);
    if (asks_how(test) && place.back.empty()) place.back.push_back("unless " + one_line(bare(test)));
    if (place.bound.kind == Bound::none && marks_it(tree, i, handler)) place.bound = {Bound::count, "once more"};
  }
  if (place.back.empty()) place.back.emplace_back("any");
  place.wait = wait_in(tree, inner >= 0 ? inner : handler, call);
  found.push_back(std::move(place));
}

}  // namespace

void find_interceptors(const Tree& tree, std::vector<Location>& found) {
  if (tree.language().family != "javascript") return;
  for (int i = 0; i < tree.size(); i++) {
    if (tree[i].role != Role::call) continue;
    auto callee = callee_of(tree, i);
    if (!callee.ends_with(kUse)) continue;
    int handler = handler_given(tree, i);
    auto client = callee.substr(0, callee.size() - kUse.size());
    auto error = handler >= 0 ? first_parameter(tree, handler) : std::string_view();
    if (!error.empty() && !mentions(tree.text(handler), "config")) {
      handler = handed_to(tree, handler, error);
      error = first_parameter(tree, handler);
    }
    for (int c = handler; !error.empty() && c < tree[handler].past; c++) {
      int arguments = tree[c].role == Role::call ? tree.child(c, Part::arguments) : -1;
      int first = arguments >= 0 ? tree.first(arguments) : -1;
      if (first >= 0 && sends_by(callee_of(tree, c), client) && is_request_of(tree, first, error, handler))
        add_second(tree, c, handler, found);
    }
  }
}

}  // namespace retrial::scan
