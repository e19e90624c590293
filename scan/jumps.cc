// Go's `goto`, back to before what failed.
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

bool failed_where(const Tree& tree, int i) {
  for (int p = tree[i].parent, below = i; p >= 0 && tree[p].role != Role::function; below = p, p = tree[p].parent) {
    if (tree[p].role != Role::branch) continue;
    int test = tree.child(p, Part::condition);
    auto says = test >= 0 ? failure_of(tree.text(test), true) : Says{};
    if (!says.weak && says.failed == (tree[below].part == Part::then ? 1 : -1)) return true;
  }
  return false;
}

}  // namespace

void find_jumps(const Tree& tree, std::vector<Location>& found) {
  if (!tree.language().errors_are_values) return;
  for (int i = 0; i < tree.size(); i++) {
    if (tree.kind(i) != "goto_statement" || tree.first(i) < 0 || !failed_where(tree, i)) continue;
    int label = label_before(tree, i, tree.text(tree.first(i))), function = tree.function_of(i);
    if (label < 0 || function < 0) continue;
    auto place = location_at(tree, i, Shape::loop);
    describe_calls(tree, label, place);
    place.back.emplace_back("err != nil");
    place.looked_at = true;
    place.bound = bound_of_function(tree, function, i);
    int branch = tree.around(i, Role::branch);
    place.wait = wait_in(tree, branch >= 0 ? branch : function);
    found.push_back(std::move(place));
  }
}

}  // namespace retrial::scan
