// What failed is called a second time, with the same arguments, by the statement behind or where its failure is looked
// at: once more, without a loop.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "scan/detectors.h"
#include "scan/flow.h"
#include "scan/limits.h"
#include "scan/words.h"

namespace retrial::scan {
namespace {

// Asking twice costs nothing: a constructor, a look at what is here, what became of something.
bool only_looks(std::string_view callee) {
  auto parts = parts_of(last_name(callee));
  if (parts.empty() || callee.starts_with("new ") || callee.ends_with(']') || says_time(last_name(callee))) return true;
  if (parts.size() == 1 && says_failed(parts.front())) return true;
  return parts.front() == "is" || parts.front() == "has" || parts.front() == "can" || parts.front() == "parse";
}

// The same of an accessor.
bool is_question(std::string_view callee) {
  auto parts = parts_of(last_name(callee));
  bool accessor = parts.size() > 1 && parts.front() == "get" && receiver(callee).find('(') == std::string_view::npos &&
                  callee.find("http") == std::string_view::npos;
  return accessor || only_looks(callee);
}

// Does a call or what it is given speak to somebody? `verify(client.query(r))`
bool reaches_within(const Tree& tree, int call) {
  for (int i = call; i < tree[call].past; i++) {
    if (tree[i].role == Role::function) i = tree[i].past - 1;
    if (tree[i].role == Role::call && reaches_out(callee_of(tree, i))) return true;
  }
  return false;
}

// Is a connection or a permission renewed there? Then what follows may work once more, whatever it is called.
bool renews(const Tree& tree, int handler) {
  static constexpr std::array<std::string_view, 8> all{"connect", "reopen",       "refresh",        "renew",
                                                       "login",   "authenticate", "reauthenticate", "recover"};
  for (int i = handler; i < tree[handler].past; i++) {
    if (tree[i].role != Role::call) continue;
    auto name = last_name(callee_of(tree, i));
    bool anew = std::ranges::any_of(parts_of(name), [](auto& part) { return std::ranges::count(all, part) > 0; });
    if (anew || text_says_retry(name)) return true;
  }
  return false;
}

// What was asked and found empty is filled before it is asked again: `table.put(…)` before `table.get(…)`.
bool is_filled_before(const Tree& tree, int from, int again) {
  static constexpr std::array<std::string_view, 8> all{"put",   "set",  "add",  "insert",
                                                       "store", "load", "fill", "compute"};
  auto of = receiver(callee_of(tree, again));
  for (int i = from; i < again && !of.empty(); i++) {
    if (tree[i].role != Role::call || receiver(callee_of(tree, i)) != of) continue;
    auto parts = parts_of(last_name(callee_of(tree, i)));
    if (!parts.empty() && std::ranges::count(all, parts.front()) > 0) return true;
  }
  return false;
}

// Something else is asked of what comes of it: `f(x).size`.
bool is_asked_on(const Tree& tree, int call) {
  int p = tree[call].parent;
  return p >= 0 && tree[p].role == Role::call && tree[call].part != Part::arguments;
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
    if (is_filled_before(tree, then, again) || (is_asked_on(tree, again) && !is_asked_on(tree, call))) continue;
    auto place = location_at(tree, again, Shape::repeat);
    place.back.push_back(one_line(bare(tree.text(test)), 40));
    describe_calls(tree, call, place);
    place.looked_at = true;
    place.bound = {Bound::count, "once more"};
    place.wait = wait_in(tree, then, again);
    found.push_back(std::move(place));
  }
}

}  // namespace

void find_repeats(const Tree& tree, std::vector<Location>& found) {
  find_second_calls(tree, found);
  for (int i = 0; i < tree.size(); i++) {
    if (tree[i].role != Role::attempt) continue;
    // Ruby's `begin` has no block of its own.
    int body = tree.language().family == "ruby" ? i : tree.child(i, Part::body);
    int call = body >= 0 ? tried_call(tree, body) : -1;
    if (call < 0 || tree.text(call).size() > 2000 || only_looks(callee_of(tree, call))) continue;
    int again = -1;
    bool goes_on = false, renewed = false;
    Location place;
    for (int h = tree.first(i); h >= 0; h = tree.next(h)) {
      if (tree[h].role != Role::handler) continue;
      if (again < 0) again = same_call(tree, call, h, tree[h].past);
      goes_on |= flow_of(tree, h, i).falls;
      renewed |= renews(tree, h);
      place.back = errors_of(tree, h);
    }
    // What fails as a connection does may work once more, whatever it is called.
    bool lost = !place.back.empty() && std::ranges::all_of(place.back, says_lost);
    bool spoken = !is_question(callee_of(tree, call)) && (lost || reaches_within(tree, call));
    if (!spoken && !renewed) continue;
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
      if (tree[p].role == Role::handler) place.wait = wait_in(tree, p, again);
    found.push_back(std::move(place));
  }
}

}  // namespace retrial::scan
