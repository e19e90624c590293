// Ruby's `retry`, which begins anew what it rescues.
#include "scan/detectors.h"
#include "scan/flow.h"
#include "scan/language.h"
#include "scan/limits.h"
#include "scan/words.h"

namespace retrial::scan {
namespace {

// `raise if retried`, and then `retried = true`.
bool once_by_a_flag(const Tree& tree, int handler) {
  for (int i = handler; i < tree[handler].past; i++) {
    if (tree[i].role != Role::assign || !tree.text(i).ends_with("= true")) continue;
    auto flag = last_name(tree.text(tree.target_of(i)));
    for (int b = handler; b < tree[handler].past; b++)
      if (int test = tree.child(b, Part::condition);
          tree[b].role == Role::branch && test >= 0 && mentions(tree.text(test), flag))
        return true;
  }
  return false;
}

// Its socket was not ready, whatever the error is called, and is waited for.
bool waits_for_socket(const Tree& tree, int handler) {
  for (int i = handler; i < tree[handler].past; i++)
    if (tree[i].role == Role::call && waits_for_ready(callee_of(tree, i))) return true;
  return false;
}

// Where nothing waits behind the failure, what stands before the call does: the body begins with a wait.
Wait wait_between(const Tree& tree, int tried, int handler) {
  auto wait = wait_in(tree, handler);
  int call = tried_call(tree, tried);
  return wait.kind == Wait::none && call >= 0 ? wait_in(tree, tried, call) : wait;
}

}  // namespace

void find_retry_words(const Tree& tree, std::vector<Location>& found) {
  if (tree.language().family != "ruby") return;
  for (int i = 0; i < tree.size(); i++) {
    if (tree.kind(i) != "retry") continue;
    int handler = tree.around(i, Role::handler), function = tree.function_of(i);
    if (handler < 0 || waits_for_socket(tree, handler)) continue;
    int tried = tree[handler].parent;  // `begin`, or the body of a method
    if (int call = tried_call(tree, tried); call >= 0 && only_reads(tree, tried, call)) continue;
    auto place = location_at(tree, i, Shape::loop);
    describe_calls(tree, tried, place);
    place.back = errors_of(tree, handler);
    for (int p = tree[i].parent; p > handler; p = tree[p].parent)
      if (int test = tree.child(p, Part::condition); tree[p].role == Role::branch && test >= 0)
        place.looked_at |= failure_of(tree.text(test), false).failed > 0;
    place.bound = bound_of_function(tree, function >= 0 ? function : tried, i);
    if (place.bound.kind == Bound::none && once_by_a_flag(tree, handler)) place.bound = {Bound::count, "once more"};
    place.wait = wait_between(tree, tried, handler);
    found.push_back(std::move(place));
  }
}

}  // namespace retrial::scan
