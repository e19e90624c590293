// Branches of a loop that look at how it went: `if err != nil`, `if (res.status === 503)`.
#include <algorithm>

#include "base/text.h"
#include "scan/detectors.h"
#include "scan/flow.h"
#include "scan/language.h"
#include "scan/limits.h"
#include "scan/loop_reader.h"
#include "scan/words.h"

namespace retrial::scan {

// `if err != nil`, `if (res.status === 503)`: what failed and is looked at.
void LoopReader::read_branch(int branch) {
  int test = tree.child(branch, Part::condition), then = tree.child(branch, Part::then),
      otherwise = tree.child(branch, Part::otherwise);
  if (test < 0 || then < 0) return;
  auto says = says_at(tree, branch);
  if (says.failed == 0 && counts_to_retries()) says = failure_of(tree.text(test), false);  // Go's `if c == nil`
  if (says.failed == 0 || asks_whether_ready(tree.text(test))) return;
  if (!bound_text_only(tree.text(test)) && !names_error(tree.text(test))) return;
  int tried = call_before(branch, test);
  if (tried < 0) return;
  auto rest = flow_after(tree, branch, loop);
  auto through = [&](int part) {
    auto flow = flow_of(tree, part, loop);
    return flow.falls ? Flow{false, flow.again || rest.again, flow.leaves || rest.leaves} : flow;
  };
  Flow taken = through(then), passed = otherwise >= 0 ? through(otherwise) : rest;
  if (otherwise >= 0 && tree.kind(otherwise) == "elif_clause") passed = behind_elif(otherwise, rest);
  auto failed = says.failed > 0 ? taken : passed, fine = says.failed > 0 ? passed : taken;
  bool same = says.failed > 0 && otherwise < 0 && flow_of(tree, then, loop).falls && !flow_of(tree, then, loop).again &&
              !flow_of(tree, then, loop).leaves;
  if (same) return;  // it looks, and goes on as it would have
  int error_path = says.failed > 0 ? then : otherwise;
  bool waits = error_path >= 0 ? waits_within(error_path) : false;
  if (!failed.again) return;
  bool fine_leaves = fine.leaves && (says.failed < 0 ? flow_of(tree, then, loop).leaves : true) &&
                     !(fine.again && says.failed > 0 && !leaves_surely(branch, otherwise));
  fine_leaves |= says.failed < 0 ? sets_condition(then, then) : otherwise >= 0 && sets_condition(otherwise, otherwise);
  if (!fine_leaves && !waits && !(counts_attempts() && waits_within(loop))) return;
  if (!fine_leaves && counts_attempts()) seen.waits_then = true;
  if (says.weak && seen.back) return;
  seen.weak = says.weak && !seen.back;
  seen.back = true;
  seen.past = -1;
  seen.success |= fine_leaves;
  seen.waits_then |= waits;
  if (seen.stretch < 0) seen.stretch = tried;
  place.back.push_back((says.failed < 0 ? "unless " : "") + one_line(bare(tree.text(test)), 40));
  place.whatever = true;
  place.looked_at |= asks_how(tree.text(test)) || (tree.language().errors_are_values && failed.leaves);
}

// Python's `elif` and `else` are its branches' next: none of them alone.
Flow LoopReader::behind_elif(int first, Flow rest) const {
  Flow all;
  bool last = false;
  for (int c = first; c >= 0; c = tree.next(c)) {
    if (tree[c].part != Part::otherwise) continue;
    bool asks = tree.kind(c) == "elif_clause";
    int then = asks ? tree.child(c, Part::then) : c;
    auto one = flow_of(tree, then >= 0 ? then : c, loop);
    last |= !asks;
    all = {all.falls || one.falls, all.again || one.again, all.leaves || one.leaves};
  }
  if (!all.falls && last) return all;
  return {false, all.again || rest.again, all.leaves || rest.leaves};
}

bool LoopReader::names_error(std::string_view text) const {
  return std::ranges::any_of(identifiers(text), says_failed);
}

// Where success goes on to further steps, only a way out that all of them share counts.
bool LoopReader::leaves_surely(int branch, int otherwise) const {
  for (int i = otherwise >= 0 ? otherwise : tree[branch].past; i < tree[loop].past; i++)
    if ((tree[i].role == Role::leave || tree[i].role == Role::stop) && ours(i) && always_reached(i) &&
        flow_of(tree, i, loop).leaves)
      return true;
  return false;
}

// Not only where something else failed.
bool LoopReader::always_reached(int i) const {
  for (int p = tree[i].parent; p != loop && p >= 0; p = tree[p].parent) {
    if (tree[p].role != Role::branch) continue;
    int test = tree.child(p, Part::condition);
    if (test < 0 || says_at(tree, p).failed >= 0) return false;
  }
  return true;
}

// In an `Err(source) => …` of this loop.
bool LoopReader::stands_in_err(int i) const {
  for (int p = tree[i].parent; p > loop; p = tree[p].parent)
    if (outcome_of(tree, p).failed > 0) return true;
  return false;
}

// `if (answer.status < 500) throw …`, `match error.kind() { … }`, wherever it stands in the loop.
void LoopReader::look_for_looks() {
  for (int i = loop + 1; i < tree[loop].past; i++) {
    int value = tree[i].role == Role::choice && ours(i) ? tree.child(i, Part::value) : -1;
    bool failed = value >= 0 && (names_error(tree.text(value)) || stands_in_err(i));
    if (failed) place.looked_at |= asks_how(tree.text(value));
    if (int test = tree.child(i, Part::condition); tree[i].role == Role::branch && test >= 0 && ours(i))
      place.looked_at |= asks_how(tree.text(test));
  }
}

}  // namespace retrial::scan
