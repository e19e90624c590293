// What failed is called a second time, with the same arguments, by the statement behind or where its failure is looked
// at: once more, without a loop.
#include <algorithm>

#include "base/text.h"
#include "scan/detectors.h"
#include "scan/flow.h"
#include "scan/limits.h"
#include "scan/words.h"

namespace retrial::scan {
namespace {

// Asking twice costs nothing: an accessor, a constructor.
bool is_question(std::string_view callee) {
  auto parts = parts_of(last_name(callee));
  if (parts.empty() || callee.starts_with("new ") || callee.ends_with(']')) return true;
  return parts.front() == "get"
             ? parts.size() > 1 && receiver(callee).find('(') == std::string_view::npos &&
                   callee.find("http") == std::string_view::npos
             : parts.front() == "is" || parts.front() == "has" || parts.front() == "can" || parts.front() == "parse";
}

int same_call(const Tree& tree, int call, int from, int past) {
  for (int i = from; i < past; i++)
    if (tree[i].role == Role::call && tree[tree[i].parent].part != Part::condition && tree[i].part != Part::condition &&
        one_line(tree.text(i), 2000) == one_line(tree.text(call), 2000))
      return i;
  return -1;
}

// It was not there: what follows makes it, and asks again.
bool asks_whether_there(std::string_view test) {
  for (std::string_view word :
       {"404", "notfound", "not_found", "exist", "norows", "no_rows", "enoent", "missing", "absent"})
    if (icontains(test, word)) return true;
  return false;
}

// What a branch looks at: the call whose result it names, right before it or in its own head. Or -1.
int looked_at_by(const Tree& tree, int branch, int then) {
  for (auto id : identifiers(tree.text(tree.child(branch, Part::condition)))) {
    auto& set = tree.assignments(id);
    for (auto a = set.rbegin(); a != set.rend(); a++)
      if (*a < then && tree.function_of(*a) == tree.function_of(branch)) {
        int call = tried_call(tree, *a);
        if (call >= 0) return call;
        break;
      }
  }
  return -1;
}

void find_second_calls(const Tree& tree, std::vector<Location>& found) {
  for (int i = 0; i < tree.size(); i++) {
    int test = tree[i].role == Role::branch ? tree.child(i, Part::condition) : -1, then = tree.child(i, Part::then);
    if (test < 0 || then < 0 || loop_of(tree, i) >= 0 || asks_whether_there(tree.text(test))) continue;
    auto says = says_at(tree, i);
    int call = says.failed > 0 && !says.weak ? looked_at_by(tree, i, then) : -1;
    if (call < 0 || tree.text(call).size() > 2000 || is_question(callee_of(tree, call)) ||
        is_stream(callee_of(tree, call)))
      continue;
    int again = same_call(tree, call, then, tree[then].past);
    if (again < 0 || loop_of(tree, again) >= 0 || tree.function_of(again) != tree.function_of(i)) continue;
    auto place = location_at(tree, again, Shape::repeat);
    place.back.push_back(one_line(bare(tree.text(test)), 40));
    describe_calls(tree, call, place);
    place.looked_at = true;
    place.bound = {Bound::count, "once more"};
    place.wait = wait_in(tree, then);
    found.push_back(std::move(place));
  }
}

}  // namespace

void find_repeats(const Tree& tree, std::vector<Location>& found) {
  find_second_calls(tree, found);
  for (int i = 0; i < tree.size(); i++) {
    if (tree[i].role != Role::attempt) continue;
    int body = tree.child(i, Part::body), call = body >= 0 ? tried_call(tree, body) : -1;
    if (call < 0 || tree.text(call).size() > 2000 || is_question(callee_of(tree, call))) continue;
    int again = -1;
    bool goes_on = false;
    Location place;
    for (int h = tree.first(i); h >= 0; h = tree.next(h)) {
      if (tree[h].role != Role::handler) continue;
      if (again < 0) again = same_call(tree, call, h, tree[h].past);
      goes_on |= flow_of(tree, h, i).falls;
      place.back = errors_of(tree, h);
    }
    // What fails as a connection does may work once more, whatever it is called.
    bool lost = !place.back.empty() && std::ranges::all_of(place.back, says_lost);
    if (!reaches_out(callee_of(tree, call)) && !lost) continue;
    // Behind it, only where what went well has left already.
    bool done = flow_of(tree, body, i).leaves && !flow_of(tree, body, i).falls;
    int behind = tree.next(i);
    while (behind >= 0 && tree[behind].role == Role::comment) behind = tree.next(behind);
    if (again < 0 && goes_on && done && behind >= 0) again = same_call(tree, call, behind, tree[behind].past);
    if (again < 0) continue;
    auto errors = std::move(place.back);
    place = location_at(tree, again, Shape::repeat);
    place.back = std::move(errors);
    describe_calls(tree, body, place);
    place.looked_at = true;
    place.bound = {Bound::count, "once more"};
    for (int p = tree[again].parent; p > i; p = tree[p].parent)
      if (tree[p].role == Role::handler) place.wait = wait_in(tree, p);
    found.push_back(std::move(place));
  }
}

}  // namespace retrial::scan
