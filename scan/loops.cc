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
  bool asked = false;       // the loop's own condition says that it failed
  bool weak = false;        // only that a value is there says that it went well
};

struct LoopReader {
  const Tree& tree;
  int loop;
  Header header = header_of(tree, loop);
  Evidence seen;
  Location place = location_at(tree, loop, Shape::loop);

  bool ours(int i) const { return loop_of(tree, i) == loop; }

  bool waits_within(int stretch) const {
    for (int i = stretch; i < tree[stretch].past; i++)
      if (tree[i].role == Role::call && is_waiting(callee_of(tree, i))) return true;
    return false;
  }

  // Is something that the loop's condition asks for set there?
  bool sets_condition(int stretch, int after) const {
    if (header.kind != Header::condition && header.kind != Header::counted) return false;
    for (int i = stretch; i < tree[stretch].past; i++) {
      if (tree[i].role != Role::assign || (i < after && !tree.within(after, i))) continue;
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
      if (int guard = guard_of(tree, h); guard >= 0 && looks_at_error(tree.text(guard), h)) place.looked_at = true;
      auto rest = flow_after(tree, attempt, loop);
      bool leads = flow.again || (flow.falls && rest.again);
      auto names = errors_of(tree, h);
      auto& into = leads ? leading : leaving;
      into.insert(into.end(), names.begin(), names.end());
      if (!leads) continue;
      back = true;
      seen.waits_then |= block >= 0 && waits_within(block);
      place.looked_at |= block >= 0 && branches_on_error(block, h);
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

  bool branches_on_error(int block, int handler) const {
    for (int i = block; i < tree[block].past; i++)
      if (int test = tree.child(i, Part::condition); tree[i].role == Role::branch && test >= 0)
        if (looks_at_error(tree.text(test), handler)) return true;
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
      auto says = says_at(tree, i);
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
    auto says = says_at(tree, branch);
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
    place.back.push_back((says.failed < 0 ? "unless " : "") + one_line(bare(tree.text(test)), 40));
    place.whatever = true;
    place.looked_at |= asks_how(tree.text(test)) || (tree.language().errors_are_values && failed.leaves);
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
      if (test < 0 || says_at(tree, p).failed >= 0) return false;
    }
    return true;
  }

  // What the condition looks at: a call in it or in what stands before it there, the one whose result it names, or the
  // last one before it in this loop.
  int call_before(int branch, int test) const {
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

  bool is_tried(int call) const {
    auto callee = callee_of(tree, call);
    return !is_talk(callee) && !ends_process(callee) && !is_maker(callee) && !is_given_error(tree, call) &&
           receiver(callee) != "ctx" && receiver(callee) != "context";
  }

  // `Post(url, NewReader(body))` of NewReader.
  int outermost(int call) const {
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

  bool in_header(int i) const { return header.body >= 0 && i < header.body && header.kind == Header::each; }

  // `while not ok and n < 3: ok = send()`, `while (dial() < 0) sleep(1)`.
  void read_own_condition() {
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

  // `errno == EINTR`: nothing failed.
  static bool asks_whether_ready(std::string_view test) {
    return std::ranges::any_of(identifiers(test), [](auto id) { return says_not_ready(id); });
  }

  Says says_of_header() const {
    auto says = failure_of(header.text, tree.language().errors_are_values);
    return tree.kind(loop).starts_with("until") ? Says{-says.failed, says.weak} : says;
  }

  // `if (answer.status < 500) throw …`, wherever it stands in the loop.
  void look_for_looks() {
    for (int i = loop + 1; i < tree[loop].past; i++)
      if (int test = tree.child(i, Part::condition); tree[i].role == Role::branch && test >= 0 && ours(i))
        place.looked_at |= asks_how(tree.text(test));
  }

  // `for { session(); sleep }`: what runs long has ended, and is begun anew whatever came of it.
  void read_supervised() {
    if ((seen.back && seen.success) || header.body < 0 || header.kind == Header::counted || header.kind == Header::each)
      return;
    int call = -1;
    for (int i = header.body; i < tree[header.body].past && call < 0; i++)
      if (tree[i].role == Role::call && ours(i) && !in_function(i, loop) && is_tried(i) &&
          runs_long(callee_of(tree, i)))
        call = i;
    if (call < 0 || !waits_within(loop) || takes_another(tree, loop)) return;
    for (int p = tree[call].parent, below = call; p > header.body; below = p, p = tree[p].parent)
      if (tree[p].role == Role::handler || (tree[p].role == Role::branch && tree[below].part == Part::then)) return;
    seen.back = seen.success = true;
    seen.stretch = call;
    if (!place.back.empty()) return;
    place.back.emplace_back("any");
    place.looked_at = true;  // nothing was caught
  }

  // What is tried was given from outside, and is told which attempt it is: `fn(i)`.
  bool is_told_the_turn(int call) const {
    int function = tree.function_of(loop);
    int given = function >= 0 ? tree.child(function, Part::parameters) : -1;
    auto callee = call >= 0 ? callee_of(tree, call) : std::string_view();
    return given >= 0 && header.kind == Header::counted && receiver(callee).empty() &&
           mentions(tree.text(given), callee);
  }

  // Each turn tries something else: the next of the list, a line of a file.
  bool takes_items() const {
    if (seen.stretch < 0 || is_told_the_turn(tried_call(tree, seen.stretch))) return false;
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
    if (takes_items() && !text_says_retry(header.text)) return false;
    bool counted = bound_of_loop(tree, loop).kind == Bound::count;
    // That a value is there is mostly no success, but of what acts and is begun several times alike.
    bool acts = header.kind == Header::counted && call >= 0 && reaches_out(callee_of(tree, call));
    if (seen.weak && !((words || acts) && (waits || counted))) return false;
    if (std::ranges::any_of(place.back, asks_for_room)) return false;
    if (call >= 0 && !words && !waits && moves_on(tree, loop, call)) return false;
    if (call >= 0 && only_reads(tree, seen.stretch, call)) return false;
    if (streams && !(seen.success && seen.caught) && !words && !seen.waits_then) return false;
    if (!seen.success) return seen.waits_then || (words && waits);
    if (header.kind == Header::endless || header.kind == Header::each) return true;
    if (header.kind == Header::counted) return true;
    return words || waits || counted || seen.asked || (seen.caught && seen.success && !takes_another(tree, loop));
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

  // What a case of a switch stands for: `case err == nil`.
  std::optional<Says> says_of_case(int i) const {
    auto kind = tree.kind(i);
    if (kind != "expression_case" && kind != "default_case") return {};
    int value = tree.child(i, Part::value);
    return value >= 0 ? failure_of(tree.text(value), true) : Says{.failed = 1};
  }

  // `switch { case err == nil: return; default: wait }`.
  void read_switch(int choice) {
    bool fine = false, failed = false, waits = false;
    auto rest = flow_after(tree, choice, loop);
    for (int c = tree.first(choice); c >= 0; c = tree.next(c)) {
      auto says = says_of_case(c);
      if (!says) continue;
      auto flow = flow_of(tree, c, loop);
      if (says->failed < 0) fine |= flow.leaves || flow.again || sets_condition(c, c);
      if (says->failed > 0 && (flow.again || (flow.falls && rest.again))) {
        failed = true;
        waits |= waits_within(c);
      }
    }
    int tried = call_before(choice, -1);
    if (!fine || !failed || !waits || tried < 0) return;
    seen = {.back = true, .success = true, .waits_then = waits, .stretch = tried};
    place.back.emplace_back("err != nil");
    place.looked_at = true;
  }

  // `match get() { Ok(v) => return v, Err(e) if n < 3 => wait, other => return other }`. A case for what is left stands
  // for what failed if it leads back, and for what went well if it leaves.
  void read_match(int choice) {
    bool fine = false, back = false, waits = false, by_result = false;
    bool went_well = false;  // a case of its own stands for what went well
    auto rest = flow_after(tree, choice, loop);
    for (int c = choice; c < tree[choice].past; c++) {
      if (tree.kind(c) != "match_arm" || tree.around(c, Role::choice) != choice) continue;
      auto says = outcome_of(tree, c);
      int guard = guard_of(tree, c);
      auto flow = flow_of(tree, c, loop);
      bool again = flow.again || (flow.falls && rest.again);
      by_result |= says.failed != 0;
      auto asked = guard >= 0 ? failure_of(tree.text(guard), false) : Says{-1};
      went_well |= says.failed < 0 && asked.failed < 0;
      if (guard >= 0 && says.failed != 0 && !went_well_there(c, says))
        place.looked_at |= text_names_error(tree.text(guard));
      if ((says.failed > 0 || (says.failed == 0 && went_well)) && again) back = true, waits |= waits_within(c);
      fine |= says.failed <= 0 && (flow.leaves || (flow.falls && rest.leaves) || sets_condition(c, c));
    }
    int value = tree.child(choice, Part::value);
    int tried = value >= 0 && tried_call(tree, value) >= 0 ? value : call_before(choice, value);
    if (!fine || !back || !by_result || tried < 0) return;
    seen = {.back = true, .success = true, .waits_then = waits, .stretch = tried};
    place.back.emplace_back("Err");
  }

  // `Ok(r) if r.status() < 500 => return Err(…)` looks at what failed.
  bool went_well_there(int arm, Says says) const {
    return says.failed < 0 && tree.text(arm).find("Err(") == std::string_view::npos;
  }

  static bool text_names_error(std::string_view text) {
    return std::ranges::any_of(identifiers(text), [](auto id) { return id == "e" || says_failed(id); });
  }

  void read_choice(int choice) {
    if (tree.kind(choice) == "match_expression") return read_match(choice);
    if (tree.kind(choice) != "select_statement") read_switch(choice);
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
      out |= (tree[i].role == Role::leave || tree[i].role == Role::stop) && ours(i) && flow_of(tree, i, loop).leaves &&
             !where_failed(i);
    if (!out) return;
    seen = {.back = true, .success = true, .stretch = header.body};
    place.back.emplace_back("any");
  }

  bool where_failed(int i) const {
    int branch = tree.around(i, Role::branch);
    return branch > loop && tree.within(i, tree.child(branch, Part::then)) && says_at(tree, branch).failed > 0;
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
        auto text = what >= 0 ? tree.text(what) : std::string_view();
        bool ticks = text.ends_with(".C") && !place.back.empty() && place.back.front().starts_with("unless ");
        return text.find("time.After") == text.npos && !ticks;
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
    reader.read_supervised();
    reader.look_for_looks();
    if (!reader.is_retry()) continue;
    auto& place = reader.place;
    describe_calls(tree, reader.seen.stretch, place);
    for (int i = loop; i < tree[loop].past; i++)
      if (tree[i].role == Role::call && !is_talk(callee_of(tree, i))) place.callees.push_back(callee_at(tree, i));
    place.bound = bound_of_loop(tree, loop);
    place.wait = wait_in(tree, loop);
    if (place.wait.kind == Wait::none && place.bound.kind == Bound::elsewhere && reader.header.kind == Header::each)
      place.wait = {Wait::elsewhere, false, false, place.bound.text};
    place.gives_up_silently = gives_up_silently(tree, loop, place);
    found.push_back(std::move(place));
  }
}

}  // namespace retrial::scan
