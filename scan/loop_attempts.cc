// Handlers of what a loop tries.
#include <algorithm>

#include "base/text.h"
#include "scan/detectors.h"
#include "scan/flow.h"
#include "scan/language.h"
#include "scan/loop_reader.h"
#include "scan/words.h"

namespace retrial::scan {

void LoopReader::read_attempt(int attempt) {
  int body = body_of_attempt(attempt);
  if (body < 0) return;
  int call = tried_call(tree, body);
  if (call < 0) return;
  bool back = false;
  int past = 0;
  std::vector<std::string> leading, leaving;
  for (int h = tree.first(attempt); h >= 0; h = tree.next(h)) {
    if (tree[h].role != Role::handler) continue;
    int block = tree.child(h, Part::body);
    for (int c = tree.first(h); block < 0 && c >= 0; c = tree.next(c))
      if (tree.kind(c) == "block") block = c;
    Flow flow = block >= 0 ? flow_of(tree, block, loop) : Flow{.falls = true};
    if (int guard = guard_of(tree, h); guard >= 0 && looks_at_error(tree.text(guard), h)) place.looked_at = true;
    auto rest = flow_after(tree, attempt, loop);
    bool leads = flow.again || (flow.falls && rest.again);
    auto names = errors_of(tree, h);
    auto& into = leads ? leading : leaving;
    into.insert(into.end(), names.begin(), names.end());
    if (!leads || (block >= 0 && leads_where_not_ready(block))) continue;
    back = true;
    past = std::max(past, flow.falls ? tree[loop].past : tree[attempt].past);
    seen.waits_then |= block >= 0 && waits_within(block);
    place.looked_at |= block >= 0 && branches_on_error(block, h);
  }
  if (!back || std::ranges::all_of(leading, interrupts)) return;
  if (!seen.back) seen.past = past;
  if (seen.past >= 0) seen.past = std::max(seen.past, past);
  seen.back = seen.caught = true;
  place.back.insert(place.back.end(), leading.begin(), leading.end());
  place.leaves.insert(place.leaves.end(), leaving.begin(), leaving.end());
  if (seen.stretch < 0) seen.stretch = body;
  // Leaving, but not before anything was tried.
  bool leaves = false;
  for (int i = call; i < tree[body].past; i++)
    if ((tree[i].role == Role::leave || tree[i].role == Role::stop) && !in_function(i, body) &&
        flow_of(tree, i, loop).leaves)
      leaves = true;
  if (int outer = tree[call].parent; tree[outer].role == Role::leave) leaves = true;
  for (int p = tree[call].parent; p >= body; p = tree[p].parent)
    if (tree[p].role == Role::leave) leaves = true;
  for (int c = tree.first(attempt); c >= 0; c = tree.next(c))
    if (tree[c].role == Role::other && c != body && flow_of(tree, c, loop).leaves) leaves = true;  // else
  leaves |= flow_after(tree, attempt, loop).leaves && !handler_falls_into_rest(attempt);
  leaves |= rest_leaves_on_success(attempt);
  leaves |= sets_condition(body, call) || sets_after(attempt);
  seen.success |= leaves;
}

// Ruby's `begin` has no block of its own: its handlers stand among what it tries.
int LoopReader::body_of_attempt(int attempt) const {
  return tree.language().family == "ruby" ? attempt : tree.child(attempt, Part::body);
}

bool LoopReader::branches_on_error(int block, int handler) const {
  for (int i = block; i < tree[block].past; i++)
    if (int test = tree.child(i, Part::condition); tree[i].role == Role::branch && test >= 0)
      if (looks_at_error(tree.text(test), handler)) return true;
  return false;
}

// `except SSLError as e: if e.errno == SSL_ERROR_WANT_READ: continue; raise`.
bool LoopReader::leads_where_not_ready(int block) const {
  for (int i = block; i < tree[block].past; i++)
    if (int test = tree.child(i, Part::condition); tree[i].role == Role::branch && test >= 0)
      if (asks_whether_ready(tree.text(test)) && !icontains(tree.text(test), "eintr") && !flow_of(tree, block, loop).falls) return true;
  return false;
}

bool LoopReader::looks_at_error(std::string_view test, int handler) const {
  auto head = tree.text(handler);
  for (auto id : identifiers(test))
    if (says_failed(id) || (!says_retry(id) && mentions(head.substr(0, head.find_first_of("{:\n")), id))) return true;
  return false;
}

bool LoopReader::handler_falls_into_rest(int attempt) const {
  for (int h = tree.first(attempt); h >= 0; h = tree.next(h))
    if (tree[h].role == Role::handler && flow_of(tree, h, loop).falls) return true;
  return false;
}

// Behind the try: what leaves if it looks at what came.
bool LoopReader::rest_leaves_on_success(int attempt) const {
  for (int i = tree[attempt].past; i < tree[loop].past; i++) {
    if (tree[i].role != Role::branch || !ours(i)) continue;
    int test = tree.child(i, Part::condition), then = tree.child(i, Part::then);
    if (test < 0 || then < 0) continue;
    auto says = says_at(tree, i);
    if (says.failed < 0 && flow_of(tree, then, loop).leaves && bound_text_only(tree.text(test))) return true;
  }
  return gives_what_came(attempt);
}

// Behind the try: a return of what was assigned in it.
bool LoopReader::gives_what_came(int attempt) const {
  int body = body_of_attempt(attempt);
  if (body < 0) return false;
  std::vector<std::string_view> came;
  for (int i = body; i < tree[body].past; i++) {
    if (tree[i].role != Role::assign) continue;
    int target = tree.child(i, Part::target);
    if (target < 0) target = tree.child(i, Part::name);
    if (target >= 0) came.push_back(last_name(tree.text(target)));
  }
  for (int i = tree[attempt].past; i < tree[loop].past; i++)
    if (tree[i].role == Role::leave && ours(i))
      for (auto name : came)
        if (mentions(tree.text(i), name)) return true;
  return false;
}

bool LoopReader::sets_after(int attempt) const {
  int p = tree[attempt].parent;
  return p >= 0 && sets_condition(p, tree[attempt].past) && !handler_falls_into_rest(attempt);
}

// That a thread is to end, or a wait was cut short, is no failure of what was tried.
bool LoopReader::interrupts(const std::string& error) {
  return icontains(error, "interrupt") || error == "SystemExit" || icontains(error, "cancelled") || error == "Empty" ||
         says_not_ready(error) || error == "Full" || error == "StopIteration" || asks_for_room(error);
}

}  // namespace retrial::scan
