// `resilient = retry(stop=…)` in one place, `@resilient` in others: what tries again is named there by the project.
#include "scan/detectors.h"
#include "scan/flow.h"
#include "scan/language.h"
#include "scan/libraries.h"
#include "scan/words.h"

namespace retrial::scan {
namespace {

// The call of a library's decorator that a name outside of all functions was set to, or -1.
int decorator_made_by(const Tree& tree, int assignment) {
  int value = tree.child(assignment, Part::value);
  if (tree.function_of(assignment) >= 0 || value < 0 || tree[value].role != Role::call) return -1;
  bool made = is_retry_decorator(callee_of(tree, value)) && tree.child(value, Part::arguments) >= 0 &&
              tree.functions(last_name(callee_of(tree, value))).empty();
  return made ? value : -1;
}

// The function that stands below a decorator: its next sibling that is one.
int function_below(const Tree& tree, int decorator) {
  for (int c = tree.next(decorator); c >= 0; c = tree.next(c))
    if (tree[c].role == Role::function) return c;
  return -1;
}

}  // namespace

void find_own_decorators(const Tree& tree, Found& found) {
  if (tree.language().family != "python") return;
  for (int i = 0; i < tree.size(); i++) {
    if (tree[i].role == Role::assign) {
      int made = decorator_made_by(tree, i);
      if (made < 0) continue;
      auto given = tree.text(tree.child(made, Part::arguments));
      auto place = location_at(tree, made, Shape::library);
      read_arguments(tree, callee_of(tree, made), given, place);
      if (tries_whatever_fails(tree, callee_of(tree, made), given)) place.back.emplace_back("any");
      place.by = last_name(tree.text(tree.target_of(i)));
      found.decorators.push_back(std::move(place));
    }
    auto name = tree[i].role == Role::decorator ? tree.text(i) : std::string_view();
    if (!name.starts_with('@') || name.find('(') != name.npos || is_retry_decorator(name.substr(1))) continue;
    int function = function_below(tree, i);
    if (function < 0) continue;
    auto place = location_at(tree, i, Shape::library);
    place.by = last_name(name.substr(1));
    describe_decorated(tree, function, place);
    found.decorated.push_back(std::move(place));
  }
}

}  // namespace retrial::scan
