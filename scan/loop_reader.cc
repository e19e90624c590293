#include "scan/loop_reader.h"

#include <algorithm>

#include "base/text.h"
#include "scan/detectors.h"
#include "scan/flow.h"
#include "scan/limits.h"
#include "scan/words.h"

namespace retrial::scan {

bool LoopReader::waits_within(int stretch) const {
  for (int i = stretch; i < tree[stretch].past; i++)
    if (tree[i].role == Role::call && waits(tree, i)) return true;
  return false;
}

// Is something that the loop's condition asks for set there?
bool LoopReader::sets_condition(int stretch, int after) const {
  if (header.kind != Header::condition && header.kind != Header::counted) return false;
  for (int i = stretch; i < tree[stretch].past; i++) {
    if (i >= after && tree[i].role == Role::call && sets_by_call(i)) return true;
    if (tree[i].role != Role::assign || (i < after && !tree.within(after, i))) continue;
    int target = tree.child(i, Part::target);
    if (target < 0) target = tree.child(i, Part::name);
    if (target < 0) continue;
    auto text = tree.text(i);
    bool steps = text.find("++") != text.npos || text.find("--") != text.npos || text.find("+=") != text.npos ||
                 text.find("-=") != text.npos;
    auto name = last_name(tree.text(target));
    if ((!steps || is_done_beside_attempts(name)) && mentions(header.text, name)) return true;
  }
  return false;
}

// `set(this, _done, true)`, `done.set(true)` of what the condition asks for.
bool LoopReader::sets_by_call(int call) const {
  auto callee = callee_of(tree, call);
  auto parts = parts_of(last_name(callee));
  int arguments = tree.child(call, Part::arguments);
  if (parts.empty() || (parts.back() != "set" && parts.front() != "set") || arguments < 0) return false;
  auto text = tree.text(arguments);
  bool on = mentions(text, "true") || mentions(text, "false") || mentions(text, "True") || mentions(text, "False");
  auto asked = identifiers(header.text);
  auto is_asked = [&](auto id) { return id != "this" && id != "self" && std::ranges::count(asked, id) > 0; };
  return on && (is_asked(last_name(receiver(callee))) || std::ranges::any_of(identifiers(text), [&](auto id) {
           return id != "true" && id != "false" && is_asked(id);
         }));
}

// `while attempt < 5 and got < size`: what one attempt brings is added up, the attempts are counted beside it.
bool LoopReader::is_done_beside_attempts(std::string_view name) const {
  return !says_retry(name) && text_says_retry(header.text);
}

bool LoopReader::in_function(int i, int within) const {
  for (int p = tree[i].parent; p > within; p = tree[p].parent)
    if (tree[p].role == Role::function) return true;
  return false;
}

bool LoopReader::in_header(int i) const { return header.body >= 0 && i < header.body && header.kind == Header::each; }

bool LoopReader::is_tried(int call) const {
  auto callee = callee_of(tree, call);
  return !is_talk(callee) && !ends_process(callee) && !is_maker(callee) && !is_given_error(tree, call) &&
         receiver(callee) != "ctx" && receiver(callee) != "context";
}

// `Post(url, NewReader(body))` of NewReader.
int LoopReader::outermost(int call) const {
  int outer = call;
  for (int p = tree[call].parent; p > loop; p = tree[p].parent) {
    auto role = tree[p].role;
    if (role == Role::branch || role == Role::attempt || role == Role::handler || role == Role::function ||
        is_loop(tree, p))
      break;
    if (role == Role::call && is_tried(p)) outer = p;
  }
  return outer;
}

// What the condition looks at: a call in it or in what stands before it there, the one whose result it names, or the
// last one before it in this loop.
int LoopReader::call_before(int branch, int test) const {
  if (test >= 0 && tried_call(tree, test) >= 0 && !is_given_error(tree, tried_call(tree, test))) return test;
  int initial = tree.first(branch);
  if (initial >= 0 && initial != test && tree[initial].part != Part::then && tried_call(tree, initial) >= 0)
    return initial;
  int last = -1;
  for (int i = branch - 1; i > loop && last < 0; i--) {
    if (!ours(i) || in_function(i, loop) || in_header(i) || tree[i].role != Role::call || !is_tried(i)) continue;
    last = outermost(i);
  }
  if (test >= 0)
    for (auto id : identifiers(tree.text(test))) {
      auto& set = tree.assignments(id);
      for (auto a = set.rbegin(); a != set.rend(); a++)
        if (*a < branch && *a > loop && ours(*a) && !in_header(*a) && tried_call(tree, *a) >= 0) return *a;
    }
  return last;
}

bool LoopReader::counts_attempts() const {
  for (auto name : counters_in(tree, loop))
    if (says_retry(name)) return true;
  return says_retry(header.item);
}

// `if (!attempts) break` says nothing of success.
bool LoopReader::bound_text_only(std::string_view test) const {
  return !text_says_retry(test) || icontains(test, "should") || icontains(test, "able");
}

// `errno == EINTR`: nothing failed.
bool LoopReader::asks_whether_ready(std::string_view test) {
  return std::ranges::any_of(identifiers(test), [](auto id) { return says_not_ready(id); });
}

bool LoopReader::says_delay(std::string_view text) {
  return icontains(text, "delay") || icontains(text, "wait") || icontains(text, "interval");
}

// A larger buffer is asked for: how the call tells its size.
bool LoopReader::asks_for_room(const std::string& error) {
  for (std::string_view word : {"INSUFFICIENT", "MORE_DATA", "ERANGE", "ENOMEM", "EOVERFLOW", "LENGTH_MISMATCH",
                                "ShortDst", "TooSmall", "TOO_SMALL", "E2BIG", "ShortBuffer"})
    if (error.find(word) != error.npos) return true;
  return false;
}

}  // namespace retrial::scan
