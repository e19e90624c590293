// Loops whose error path leads back to what failed.
#include <algorithm>
#include <optional>

#include "base/text.h"
#include "scan/detectors.h"
#include "scan/flow.h"
#include "scan/language.h"
#include "scan/limits.h"
#include "scan/words.h"

namespace retrial::scan {
namespace {

// What speaks for it and against it. Control flow alone is enough where a failure leads back and a success leaves;
// where one of them is not to be seen, a wait on the error path or words must stand in for it.
struct Evidence {
  bool back = false;        // a failure leads to the head
  bool caught = false;      // by a handler, not by looking at a value
  bool success = false;     // what went well leaves
  bool waits_then = false;  // there is a wait on the error path alone
  int stretch = -1;         // what is tried
  bool weak = false;        // only that a value is there says that it went well
};

struct LoopReader {
  const Tree& tree;
  int loop;
  Header header = header_of(tree, loop);
  Evidence seen;
  Location place = location_at(tree, loop, Shape::loop);
  bool changed_by_error = false;  // what is called next is another: its parent folder, the next name

  bool ours(int i) const { return loop_of(tree, i) == loop; }

  bool waits_within(int stretch) const {
    for (int i = stretch; i < tree[stretch].past; i++)
      if (tree[i].role == Role::call && is_waiting(callee_of(tree, i))) return true;
    return false;
  }

  // Is something that the loop's condition asks for set there?
  bool sets_condition(int stretch, int after) const {
    if (header.kind != Header::condition && header.kind != Header::counted) return false;
    for (int i = std::max(stretch, after); i < tree[stretch].past; i++) {
      if (tree[i].role != Role::assign) continue;
      int target = tree.child(i, Part::target);
      if (target < 0) target = tree.child(i, Part::name);
      if (target < 0) continue;
      auto text = tree.text(i);
      bool steps = text.find("++") != text.npos || text.find("--") != text.npos || text.find("+=") != text.npos ||
                   text.find("-=") != text.npos;
      if (!steps && mentions(header.text, last_name(tree.text(target)))) return true;
    }
    return false;
  }

  // Ruby's `begin` has no block of its own: its handlers stand among what it tries.
  int body_of_attempt(int attempt) const {
    return tree.language().family == "ruby" ? attempt : tree.child(attempt, Part::body);
  }

  void read_attempt(int attempt) {
    int body = body_of_attempt(attempt);
    if (body < 0) return;
    int call = tried_call(tree, body);
    if (call < 0) return;
    bool back = false;
    std::vector<std::string> leading, leaving;
    for (int h = tree.first(attempt); h >= 0; h = tree.next(h)) {
      if (tree[h].role != Role::handler) continue;
      int block = tree.child(h, Part::body);
      for (int c = tree.first(h); block < 0 && c >= 0; c = tree.next(c))
        if (tree.kind(c) == "block") block = c;
      Flow flow = block >= 0 ? flow_of(tree, block, loop) : Flow{.falls = true};
      auto rest = flow_after(tree, attempt, loop);
      bool leads = flow.again || (flow.falls && rest.again);
      auto names = errors_of(tree, h);
      auto& into = leads ? leading : leaving;
      into.insert(into.end(), names.begin(), names.end());
      if (!leads) continue;
      back = true;
      seen.waits_then |= block >= 0 && waits_within(block);
      changed_by_error |= block >= 0 && changes_call(block, call);
      for (int i = block; block >= 0 && i < tree[block].past; i++)
        if (tree[i].role == Role::branch)
          if (int test = tree.child(i, Part::condition); test >= 0 && looks_at_error(tree.text(test), h))
            place.looked_at = true;
    }
    if (!back || std::ranges::all_of(leading, interrupts)) return;
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

  bool changes_call(int block, int call) const {
    int arguments = tree.child(call, Part::arguments);
    if (arguments < 0) return false;
    for (int i = block; i < tree[block].past; i++) {
      if (tree[i].role != Role::assign) continue;
      int target = tree.child(i, Part::target);
      if (target >= 0)
        for (auto id : identifiers(tree.text(target)))
          if (mentions(tree.text(arguments), id)) return true;
    }
    return false;
  }

  bool in_function(int i, int within) const {
    for (int p = tree[i].parent; p > within; p = tree[p].parent)
      if (tree[p].role == Role::function) return true;
    return false;
  }

  bool looks_at_error(std::string_view test, int handler) const {
    auto head = tree.text(handler);
    for (auto id : identifiers(test))
      if (says_failed(id) || (!says_retry(id) && mentions(head.substr(0, head.find_first_of("{:\n")), id))) return true;
    return false;
  }

  bool handler_falls_into_rest(int attempt) const {
    for (int h = tree.first(attempt); h >= 0; h = tree.next(h))
      if (tree[h].role == Role::handler && flow_of(tree, h, loop).falls) return true;
    return false;
  }

  // Behind the try: what leaves if it looks at what came.
  bool rest_leaves_on_success(int attempt) const {
    for (int i = tree[attempt].past; i < tree[loop].past; i++) {
      if (tree[i].role != Role::branch || !ours(i)) continue;
      int test = tree.child(i, Part::condition), then = tree.child(i, Part::then);
      if (test < 0 || then < 0) continue;
      auto says = failure_of(tree.text(test), tree.language().errors_are_values);
      if (says.failed < 0 && flow_of(tree, then, loop).leaves && bound_text_only(tree.text(test))) return true;
    }
    return gives_what_came(attempt);
  }

  // Behind the try: a return of what was assigned in it.
  bool gives_what_came(int attempt) const {
    int body = tree.child(attempt, Part::body);
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

  // `if (!attempts) break` says nothing of success.
  bool bound_text_only(std::string_view test) const {
    return !text_says_retry(test) || icontains(test, "should") || icontains(test, "able");
  }

  bool sets_after(int attempt) const {
    int p = tree[attempt].parent;
    return p >= 0 && sets_condition(p, tree[attempt].past) && !handler_falls_into_rest(attempt);
  }

  // `if err != nil`, `if (res.status === 503)`: what failed and is looked at.
  void read_branch(int branch) {
    int test = tree.child(branch, Part::condition), then = tree.child(branch, Part::then),
        otherwise = tree.child(branch, Part::otherwise);
    if (test < 0 || then < 0) return;
    auto says = failure_of(tree.text(test), tree.language().errors_are_values);
    if (says.failed == 0) return;
    if (text_says_retry(tree.text(test)) && !names_error(tree.text(test))) return;
    int tried = call_before(branch, test);
    if (tried < 0) return;
    auto rest = flow_after(tree, branch, loop);
    auto through = [&](int part) {
      auto flow = flow_of(tree, part, loop);
      return flow.falls ? Flow{false, flow.again || rest.again, flow.leaves || rest.leaves} : flow;
    };
    Flow taken = through(then), passed = otherwise >= 0 ? through(otherwise) : rest;
    auto failed = says.failed > 0 ? taken : passed, fine = says.failed > 0 ? passed : taken;
    bool same = says.failed > 0 && otherwise < 0 && flow_of(tree, then, loop).falls &&
                !flow_of(tree, then, loop).again && !flow_of(tree, then, loop).leaves;
    if (same) return;  // it looks, and goes on as it would have
    int error_path = says.failed > 0 ? then : otherwise;
    bool waits = error_path >= 0 ? waits_within(error_path) : false;
    if (!failed.again) return;
    bool fine_leaves = fine.leaves && (says.failed < 0 ? flow_of(tree, then, loop).leaves : true) &&
                       !(fine.again && says.failed > 0 && !leaves_surely(branch, otherwise));
    fine_leaves |=
        says.failed < 0 ? sets_condition(then, then) : otherwise >= 0 && sets_condition(otherwise, otherwise);
    if (!fine_leaves && !waits && !(counts_attempts() && waits_within(loop))) return;
    if (!fine_leaves && counts_attempts()) seen.waits_then = true;
    if (says.weak && seen.back) return;
    seen.weak = says.weak && !seen.back;
    seen.back = true;
    seen.success |= fine_leaves;
    seen.waits_then |= waits;
    if (seen.stretch < 0) seen.stretch = tried;
    place.back.push_back(one_line(bare(tree.text(test)), 40));
    place.looked_at |= !tree.language().errors_are_values || failed.leaves;
  }

  bool names_error(std::string_view text) const { return std::ranges::any_of(identifiers(text), says_failed); }

  // Where success goes on to further steps, only a way out that all of them share counts.
  bool leaves_surely(int branch, int otherwise) const {
    for (int i = otherwise >= 0 ? otherwise : tree[branch].past; i < tree[loop].past; i++)
      if ((tree[i].role == Role::leave || tree[i].role == Role::stop) && ours(i) && always_reached(i) &&
          flow_of(tree, i, loop).leaves)
        return true;
    return false;
  }

  // Not only where something else failed.
  bool always_reached(int i) const {
    for (int p = tree[i].parent; p != loop && p >= 0; p = tree[p].parent) {
      if (tree[p].role != Role::branch) continue;
      int test = tree.child(p, Part::condition);
      if (test < 0 || failure_of(tree.text(test), tree.language().errors_are_values).failed >= 0) return false;
    }
    return true;
  }

  // What the condition looks at: a call in it, or the last one before it in this loop.
  int call_before(int branch, int test) const {
    if (test >= 0 && tried_call(tree, test) >= 0) return test;
    for (int i = branch - 1; i > loop; i--)
      if (tree[i].role == Role::call && ours(i) && !in_function(i, loop) && !is_talk(callee_of(tree, i)) &&
          !in_header(i))
        return i;
    int initial = tree.first(branch);
    return initial >= 0 && initial != test && tried_call(tree, initial) >= 0 ? initial : -1;
  }

  bool in_header(int i) const { return header.body >= 0 && i < header.body && header.kind == Header::each; }

  // `while not ok and n < 3: ok = send()`.
  void read_own_condition() {
    if (seen.back || header.kind == Header::each || header.kind == Header::endless || header.body < 0) return;
    auto says = failure_of(header.text, tree.language().errors_are_values);
    if (says.failed == 0) return;
    for (int i = header.body; i < tree[header.body].past; i++) {
      if (tree[i].role != Role::assign || !ours(i)) continue;
      int target = tree.child(i, Part::target);
      if (target < 0) target = tree.child(i, Part::name);
      if (target < 0 || !mentions(header.text, last_name(tree.text(target))) || tried_call(tree, i) < 0) continue;
      if (says.weak && bound_of_loop(tree, loop).kind != Bound::count) return;
      seen = {.back = says.failed > 0, .success = true, .stretch = i, .weak = says.weak};
      place.back.push_back(one_line(header.text, 40));
      return;
    }
  }

  // Each turn tries something else: the next of the list, a line of a file.
  bool takes_items() const {
    if (seen.stretch < 0) return false;
    for (auto name : names_of_the_turn(tree, loop, header))
      if (uses(seen.stretch, name) || (header.kind == Header::each && mentions(tree.text(seen.stretch), name)))
        return true;
    if (header.kind == Header::counted)
      for (std::string_view length : {".length", "len(", ".size()", ".count"})
        if (header.text.find(length) != header.text.npos && !text_says_retry(header.text) && !says_delay(header.text))
          return true;
    return false;
  }

  static bool says_delay(std::string_view text) {
    return icontains(text, "delay") || icontains(text, "wait") || icontains(text, "interval");
  }

  bool uses(int stretch, std::string_view name) const {
    int call = tried_call(tree, stretch);
    for (int i = stretch; call >= 0 && i < tree[stretch].past; i++) {
      if (tree[i].role != Role::call || is_talk(callee_of(tree, i))) continue;
      if (mentions(tree.text(i), name)) return true;
    }
    return false;
  }

  bool is_retry() const {
    if (!seen.back || seen.stretch < 0) return false;
    if (is_pump()) return false;
    bool words = text_says_retry(tree.text(loop)) || says_retry(place.function);
    bool waits = waits_within(loop);
    int call = tried_call(tree, seen.stretch);
    bool streams = call >= 0 && is_stream(callee_of(tree, call));
    // A value that is looked at is mostly no failure there.
    if (tree.language().family == "c++" && !seen.caught && !words && !waits) return false;
    if (takes_items() && !text_says_retry(header.text)) return false;
    if (seen.weak && !(words && (waits || bound_of_loop(tree, loop).kind == Bound::count))) return false;
    if (std::ranges::any_of(place.back, asks_for_room)) return false;
    if (changed_by_error && !words && !waits) return false;
    if (streams && !(seen.success && seen.caught) && !words && !seen.waits_then) return false;
    if (!seen.success) return seen.waits_then || (words && waits);
    if (header.kind == Header::endless || header.kind == Header::each) return true;
    if (header.kind == Header::counted) return true;
    return words || waits || bound_of_loop(tree, loop).kind == Bound::count;
  }

  // That a thread is to end, or a wait was cut short, is no failure of what was tried.
  static bool interrupts(const std::string& error) {
    return icontains(error, "interrupt") || error == "SystemExit" || icontains(error, "cancelled") ||
           error == "Empty" || error == "QueueEmpty" || error == "Full" || error == "StopIteration" ||
           asks_for_room(error);
  }
  // A larger buffer is asked for: how the call tells its size.
  static bool asks_for_room(const std::string& error) {
    for (std::string_view word : {"INSUFFICIENT", "MORE_DATA", "ERANGE", "ENOMEM", "EOVERFLOW", "LENGTH_MISMATCH",
                                  "ShortDst", "TooSmall", "TOO_SMALL", "E2BIG", "ShortBuffer"})
      if (error.find(word) != error.npos) return true;
    return false;
  }

  bool counts_attempts() const {
    for (auto name : counters_in(tree, loop))
      if (says_retry(name)) return true;
    return says_retry(header.item);
  }

  // What a case of a choice stands for: `case err == nil`, `Err(e) =>`.
  std::optional<Says> outcome_of(int i) const {
    auto kind = tree.kind(i);
    if (kind == "match_arm") {
      auto pattern = tree.text(i);
      return pattern.starts_with("Err(") ? Says{1} : pattern.starts_with("Ok(") ? Says{-1} : Says{};
    }
    if (kind != "expression_case" && kind != "default_case") return {};
    int value = tree.child(i, Part::value);
    return value >= 0 ? failure_of(tree.text(value), true) : Says{.failed = 1};
  }

  // `switch { case err == nil: return; default: wait }`, `match get() { Ok(v) => return v, Err(e) => wait }`.
  void read_choice(int choice) {
    if (tree.kind(choice) == "select_statement") return;
    bool fine = false, failed = false, waits = false;
    auto rest = flow_after(tree, choice, loop);
    int cases = choice;
    for (int c = tree.first(choice); c >= 0; c = tree.next(c))
      if (tree.kind(c) == "match_block") cases = c;
    for (int c = tree.first(cases); c >= 0; c = tree.next(c)) {
      auto says = outcome_of(c);
      if (!says) continue;
      auto flow = flow_of(tree, c, loop);
      if (says->failed < 0) fine |= flow.leaves || flow.again || sets_condition(c, c);
      if (says->failed > 0 && (flow.again || (flow.falls && rest.again))) {
        failed = true;
        waits |= waits_within(c);
      }
    }
    int tried = call_before(choice, -1);
    bool by_result = tree.kind(choice) == "match_expression";
    if (!fine || !failed || (!waits && !by_result) || tried < 0) return;
    seen = {.back = true, .success = true, .waits_then = waits, .stretch = tried};
    place.back.emplace_back(by_result ? "Err" : "err != nil");
    place.looked_at = true;
  }

  // `for attempt := 0; attempt <= max; attempt++` with a wait between and a way out: it counts attempts, whatever it
  // asks for success.
  void read_counted() {
    if (seen.back || header.body < 0 || !waits_within(loop)) return;
    bool counts = says_retry(header.item) ||
                  (header.kind == Header::each && (text_says_retry(header.text) || says_delay(header.text)));
    for (auto name : counters_in(tree, loop)) counts |= says_retry(name) && mentions(header.text, name);
    if (auto bound = bound_of_loop(tree, loop); header.kind != Header::each)
      counts |= bound.kind == Bound::count && text_says_retry(bound.text);
    int call = tried_call(tree, header.body);
    if (!counts || call < 0) return;
    bool out = false;
    for (int i = call; i < tree[loop].past; i++)
      out |= (tree[i].role == Role::leave || tree[i].role == Role::stop) && ours(i) && flow_of(tree, i, loop).leaves;
    if (!out) return;
    seen = {.back = true, .success = true, .stretch = header.body};
    place.back.emplace_back("any");
  }

  // `for range newRetryTimer(ctx)`: the header itself waits and counts.
  void read_retry_timer() {
    if (seen.back || header.kind != Header::each || !header.item.empty() || header.body < 0) return;
    if (header.text.find('(') == header.text.npos || !text_says_retry(header.text) || tried_call(tree, header.body) < 0)
      return;
    seen = {.back = true, .success = true, .stretch = header.body};
    place.back.emplace_back("any");
  }

  // Within a case of a select: what has come is worked off, unless the case itself is a wait.
  bool is_pump() const {
    for (int p = tree[seen.stretch].parent; p > loop; p = tree[p].parent)
      if (tree.kind(p) == "communication_case") {
        int what = tree.first(p);
        return what < 0 || tree.text(what).find("time.After") == std::string_view::npos;
      }
    return false;
  }
};

}  // namespace

void find_loops(const Tree& tree, std::vector<Location>& found) {
  for (int loop = 0; loop < tree.size(); loop++) {
    if (!is_loop(tree, loop)) continue;
    LoopReader reader{tree, loop};
    for (int i = loop + 1; i < tree[loop].past; i++) {
      if (tree[i].role == Role::attempt && reader.ours(i)) reader.read_attempt(i);
      if (tree[i].role == Role::choice && reader.ours(i) && !reader.seen.back) reader.read_choice(i);
      if (tree[i].role == Role::branch && reader.ours(i) && tree.around(i, Role::handler) < loop) reader.read_branch(i);
    }
    reader.read_own_condition();
    reader.read_counted();
    reader.read_retry_timer();
    if (!reader.is_retry()) continue;
    auto& place = reader.place;
    describe_calls(tree, reader.seen.stretch, place);
    for (int i = loop; i < tree[loop].past; i++)
      if (tree[i].role == Role::call && !is_talk(callee_of(tree, i)))
        place.callees.emplace_back(last_name(callee_of(tree, i)));
    place.bound = bound_of_loop(tree, loop);
    place.wait = wait_in(tree, loop);
    if (place.wait.kind == Wait::none && place.bound.kind == Bound::elsewhere && reader.header.kind == Header::each)
      place.wait = {Wait::elsewhere, false, false, place.bound.text};
    place.gives_up_silently = gives_up_silently(tree, loop, place);
    found.push_back(std::move(place));
  }
}

}  // namespace retrial::scan
