// `goto`, back to before what failed.
#include "scan/detectors.h"
#include "scan/flow.h"
#include "scan/language.h"
#include "scan/limits.h"
#include "scan/words.h"

namespace retrial::scan {
namespace {

// The statement with this label before `jump`, in the same function, or -1.
int label_before(const Tree& tree, int jump, std::string_view label) {
  int function = tree.function_of(jump);
  for (int i = jump - 1; i > function; i--)
    if (tree.kind(i) == "labeled_statement" && tree.first(i) >= 0 && tree.text(tree.first(i)) == label) return i;
  return -1;
}

}  // namespace

void find_jumps(const Tree& tree, std::vector<Location>& found) {
  for (int i = 0; i < tree.size(); i++) {
    if (tree.kind(i) != "goto_statement" || tree.first(i) < 0 || tree.function_of(i) < 0 ||
        !on_error_path(tree, i, tree.function_of(i)))
      continue;
    int label = label_before(tree, i, tree.text(tree.first(i))), function = tree.function_of(i);
    if (label < 0 || function < 0) continue;
    auto place = location_at(tree, i, Shape::loop);
    int branch = tree.around(i, Role::branch), handler = tree.around(i, Role::handler);
    int attempt = handler >= 0 ? tree[handler].parent : -1, jumps = branch >= 0 ? branch : handler;
    describe_calls(tree, attempt >= 0 ? attempt : function, place);
    place.back = handler >= 0 ? errors_of(tree, handler) : std::vector<std::string>{"err != nil"};
    place.looked_at = handler < 0 || guard_of(tree, handler) >= 0;
    place.bound = bound_of_function(tree, function, i);
    place.wait = wait_in(tree, jumps >= 0 ? jumps : function);
    found.push_back(std::move(place));
  }
}

}  // namespace retrial::scan
