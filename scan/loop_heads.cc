// What the head of a loop says by itself, and loops that keep something running.
#include "base/text.h"
#include "scan/detectors.h"
#include "scan/flow.h"
#include "scan/language.h"
#include "scan/limits.h"
#include "scan/loop_reader.h"
#include "scan/words.h"

namespace retrial::scan {

// `while not ok and n < 3: ok = send()`, `while (dial() < 0) sleep(1)`.
void LoopReader::read_own_condition() {
  if (seen.back || header.kind == Header::each || header.kind == Header::endless || header.body < 0) return;
  auto says = says_of_header();
  if (says.failed == 0 || asks_whether_ready(header.text)) return;
  auto take = [&](int stretch) {
    seen = {.back = says.failed > 0, .success = true, .stretch = stretch, .asked = !says.weak, .weak = says.weak};
    place.back.push_back((says.failed < 0 ? "unless " : "") + one_line(header.text, 40));
    place.whatever = true;
    place.looked_at |= asks_how(header.text);
  };
  for (int i = loop; i < tree[loop].past; i++) {
    if (tree[i].role != Role::assign || (i >= header.body && !ours(i)) || tree.target_of(i) < 0) continue;
    if (!mentions(header.text, last_name(tree.text(tree.target_of(i)))) || tried_call(tree, i) < 0) continue;
    if (says.weak && bound_of_loop(tree, loop).kind != Bound::count) return;
    return take(i);
  }
  if (int call = header.test >= 0 ? tried_call(tree, header.test) : -1; call >= 0 && !says.weak && is_tried(call))
    take(header.test);
}

Says LoopReader::says_of_header() const {
  auto says = failure_of(header.text, tree.language().errors_are_values);
  return tree.kind(loop).starts_with("until") ? Says{-says.failed, says.weak} : says;
}

// `for attempt := 0; attempt <= max; attempt++` with a wait between and a way out: it counts attempts, whatever it
// asks for success.
void LoopReader::read_counted() {
  if (seen.back || header.body < 0 || !waits_within(loop)) return;
  bool counts = says_retry(header.item) ||
                (header.kind == Header::each && (text_says_retry(header.text) || says_delay(header.text)));
  for (auto name : counters_in(tree, loop)) counts |= says_retry(name) && mentions(header.text, name);
  if (auto bound = bound_of_loop(tree, loop); header.kind != Header::each)
    counts |= bound.kind == Bound::count && text_says_retry(bound.text);
  int call = tried_call(tree, header.body);
  while (call >= 0 && call < tree[loop].past && (tree[call].role != Role::call || !is_tried(call))) call++;
  if (!counts || call < 0 || call >= tree[loop].past) return;
  bool out = false;
  for (int i = call; i < tree[loop].past; i++)
    out |= (tree[i].role == Role::leave || tree[i].role == Role::stop) && ours(i) && flow_of(tree, i, loop).leaves &&
           !where_failed(i);
  if (!out) return;
  seen = {.back = true, .success = true, .stretch = header.body};
  place.back.emplace_back("any");
}

bool LoopReader::where_failed(int i) const {
  int branch = tree.around(i, Role::branch);
  return branch > loop && tree.within(i, tree.child(branch, Part::then)) && says_at(tree, branch).failed > 0;
}

// `for range newRetryTimer(ctx)`: the header itself waits and counts.
void LoopReader::read_retry_timer() {
  if (seen.back || header.kind != Header::each || !header.item.empty() || header.body < 0) return;
  if (header.text.find('(') == header.text.npos || !text_says_retry(header.text) || tried_call(tree, header.body) < 0)
    return;
  seen = {.back = true, .success = true, .stretch = header.body};
  place.back.emplace_back("any");
}

// `for { session(); sleep }`: what runs long has ended, and is begun anew whatever came of it.
void LoopReader::read_supervised() {
  if ((seen.back && seen.success) || header.body < 0 || header.kind == Header::counted || header.kind == Header::each)
    return;
  int call = -1;
  for (int i = header.body; i < tree[header.body].past && call < 0; i++)
    if (tree[i].role == Role::call && ours(i) && !in_function(i, loop) && is_tried(i) && runs_long(callee_of(tree, i)))
      call = i;
  bool asks = seen.caught && place.looked_at && says_retry_within(loop);  // who is asked may wait
  bool helped = call >= 0 && wait_of_helper(tree, call).kind != Wait::none;
  if (call < 0 || (!asks && !helped && !waits_within(loop)) || takes_another(tree, loop)) return;
  for (int p = tree[call].parent, below = call; p > header.body; below = p, p = tree[p].parent)
    if (tree[p].role == Role::handler || (tree[p].role == Role::branch && tree[below].part == Part::then)) return;
  seen.back = seen.success = true;
  seen.stretch = call;
  seen.past = -1;
  if (!place.back.empty()) return;
  place.back.emplace_back("any");
  place.looked_at = true;  // nothing was caught
}

}  // namespace retrial::scan
