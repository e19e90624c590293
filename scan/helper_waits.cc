// Waits that stand in another function of the file.
#include "scan/detectors.h"
#include "scan/flow.h"
#include "scan/limits.h"
#include "scan/words.h"

namespace retrial::scan {
namespace {

bool is_own(std::string_view callee) {
  auto by = receiver(callee);
  return by.empty() || by == "this" || by == "self" || by.size() <= 2;
}

int first_wait(const Tree& tree, int function) {
  for (int i = function; i < tree[function].past; i++)
    if (tree[i].role == Role::call && waits(tree, i) && !is_timer(callee_of(tree, i))) return i;
  return -1;
}

}  // namespace

Wait wait_of_helper(const Tree& tree, int call) {
  auto callee = callee_of(tree, call);
  if (!is_own(callee)) return {};
  for (int f : tree.functions(last_name(callee)))
    if (!tree.within(call, f) && first_wait(tree, f) >= 0) return wait_in(tree, f);
  return {};
}

Wait wait_before_trying(const Tree& tree, int call) {
  auto callee = callee_of(tree, call);
  auto& named = tree.functions(last_name(callee));
  if (!is_own(callee) || named.size() != 1 || tree.within(call, named.front())) return {};
  int function = named.front(), pause = first_wait(tree, function);
  for (int i = pause + 1; pause >= 0 && i < tree[function].past; i++)
    if (tree[i].role == Role::call && !is_talk(callee_of(tree, i)) && may_fail(tree, i) > 0)
      return {Wait::elsewhere, false, false, one_line(callee)};
  return {};
}

bool waits(const Tree& tree, int call) {
  auto callee = callee_of(tree, call);
  if (callee == "asyncio.wait_for") return false;  // it runs what it is given
  int given = tree.child(call, Part::arguments);
  if (last_name(callee) == "pause" && given >= 0 && tree.first(given) < 0) return false;  // a stream's
  if (is_waiting(callee)) return true;
  auto name = last_name(callee);  // of a timer, whatever it is called
  if (name != "Reset" && name != "Change") return false;
  auto made = name == "Reset" ? std::string_view("time.NewTimer(") : "new Timer(";
  for (int set : tree.assignments(last_name(receiver(callee))))
    if (tree.text(set).find(made) != std::string_view::npos) return true;
  return false;
}

}  // namespace retrial::scan
