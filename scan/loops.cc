// Loops whose error path leads back to what failed.
#include <algorithm>

#include "base/text.h"
#include "scan/detectors.h"
#include "scan/flow.h"
#include "scan/limits.h"
#include "scan/loop_reader.h"
#include "scan/words.h"

namespace retrial::scan {

LoopReader read_loop(const Tree& tree, int loop) {
  LoopReader reader{tree, loop};
  reader.read();
  return reader;
}

void LoopReader::read() {
  for (int i = loop + 1; i < tree[loop].past; i++) {
    if (tree[i].role == Role::attempt && ours(i)) read_attempt(i);
    if (tree[i].role == Role::choice && ours(i) && !seen.back) read_choice(i);
    if (tree[i].role == Role::branch && ours(i) && tree.around(i, Role::handler) < loop) read_branch(i);
  }
  read_own_condition();
  read_counted();
  read_retry_timer();
  read_supervised();
  look_for_looks();
}

// `while True: for host in self.hosts: …`: the list stands still while this loop runs.
bool LoopReader::goes_through_the_same(int inner) const {
  auto within = header_of(tree, inner);
  auto names = identifiers(within.text);
  std::erase_if(names, [&](auto name) {  // `cfg` of `cfg.hosts` may be set as it likes
    auto past = static_cast<std::size_t>(name.data() - within.text.data()) + name.size();
    return past < within.text.size() && within.text[past] == '.';
  });
  if (header.kind == Header::each || within.kind != Header::each || within.item.empty() || names.empty() ||
      within.text.contains('(') || says_delay(within.text) || text_says_retry(within.text) || says_retry(within.item))
    return false;
  return std::ranges::none_of(names, [&](auto name) {
    auto& set = tree.assignments(name);
    return mentions(header.text, name) || mentions(header.item, name) ||
           std::ranges::any_of(set, [&](int i) { return tree.within(i, loop); });
  });
}

// Each thing has its turn, whatever became of the one before: nothing leaves the loop but a failure.
bool LoopReader::is_for_each_thing() const {
  if (header.kind != Header::each || text_says_retry(header.text) || says_retry(header.item) || is_retry())
    return false;
  for (int i = loop + 1; i < tree[loop].past; i++) {
    if (is_loop(tree, i) && !read_loop(tree, i).is_for_each_thing()) return false;
    if ((tree[i].role == Role::leave || tree[i].role == Role::stop) && !in_function(i, loop) &&
        tree.around(i, Role::handler) < loop && !where_failed(i) && flow_of(tree, i, loop).leaves)
      return false;
  }
  return true;
}

bool LoopReader::is_retry() const {
  if (!seen.back || seen.stretch < 0) return false;
  if (is_pump()) return false;
  bool words = says_retry_within(loop) || says_retry(place.function);
  bool waits = waits_within(loop);
  int call = tried_call(tree, seen.stretch);
  bool streams = call >= 0 && is_stream(callee_of(tree, call));
  if (takes_items() && !text_says_retry(header.text)) return false;
  bool counted = bound_of_loop(tree, loop).kind == Bound::count;
  // That a value is there is mostly no success, but of what acts and is begun several times alike.
  bool acts = header.kind == Header::counted && call >= 0 && reaches_out(callee_of(tree, call));
  if (seen.weak && !((words || acts) && (waits || counted))) return false;
  if (std::ranges::any_of(place.back, asks_for_room)) return false;
  if (call >= 0 && !words && !waits && !(counted && seen.caught) && moves_on(tree, loop, call)) return false;
  if (call >= 0 && (only_reads(tree, seen.stretch, call) || follows_answer(tree, loop, call))) return false;
  if (call >= 0 && waits_for_what_was_begun(call)) return false;
  if (streams && !(seen.success && seen.caught) && !words && !seen.waits_then) return false;
  if (!seen.success)
    return seen.waits_then || (words && waits) || (seen.caught && (asks_policy_each_turn() || counts_to_retries()));
  bool by_context = header.text == "ctx.Err() == nil" || header.text == "!ctx.IsCancellationRequested";
  if (header.kind == Header::endless || header.kind == Header::each || by_context) return true;
  if (header.kind == Header::counted) return true;
  return words || waits || counted || seen.asked || (seen.caught && seen.success && !takes_another(tree, loop));
}

namespace {

// A number, or what a name says is how long.
bool is_time(const Tree& tree, int argument) {
  auto text = tree.text(argument);
  return tree[argument].role == Role::number || says_time(text) || icontains(text, "timeout") ||
         icontains(text, "wait") || icontains(text, "second") || icontains(text, "remain");
}

}  // namespace

// `while (retryLoop.shouldContinue())`: what it is told of each turn decides.
bool LoopReader::asks_policy_each_turn() const {
  return header.kind == Header::condition && header.text.find('(') != header.text.npos &&
         text_says_retry(receiver(header.text.substr(0, header.text.find('(')))) && icontains(header.text, "should");
}

// `for (let i = 0; i <= retries; i++)`: its turns are attempts, also where it forgets to leave.
bool LoopReader::counts_to_retries() const {
  return header.kind == Header::counted && (text_says_retry(header.text) || says_retry(header.item));
}

// `f.result(10)` of what was begun before the loop: its failure is that it is not ready yet.
bool LoopReader::waits_for_what_was_begun(int call) const {
  auto callee = callee_of(tree, call);
  auto name = last_name(callee);
  bool timed =
      !place.back.empty() && std::ranges::any_of(place.back, [](auto& error) { return icontains(error, "timeout"); });
  if (!timed || (name != "result" && name != "get" && name != "join" && name != "wait")) return false;
  int arguments = tree.child(call, Part::arguments), first = arguments >= 0 ? tree.first(arguments) : -1;
  if (first >= 0 && !is_time(tree, first)) return false;  // `session.get(url)` asks for something
  auto& set = tree.assignments(last_name(receiver(callee)));
  return !set.empty() && std::ranges::all_of(set, [&](int i) {
    return tree.function_of(i) != tree.function_of(loop) || !tree.within(i, loop);
  });
}

// Its code and its comments, each by itself: an apostrophe in a comment begins no text.
bool LoopReader::says_retry_within(int stretch) const {
  auto from = tree[stretch].begin;
  for (int i = stretch; i < tree[stretch].past; i++) {
    if (tree[i].role != Role::comment) continue;
    if (text_says_retry(tree.text(i)) || text_says_retry(tree.source().substr(from, tree[i].begin - from))) return true;
    from = tree[i].end;
  }
  return text_says_retry(tree.source().substr(from, tree[stretch].end - from));
}

// What is tried was given from outside, and is told which attempt it is: `fn(i)`.
bool LoopReader::is_told_the_turn(int call) const {
  int function = tree.function_of(loop);
  int given = function >= 0 ? tree.child(function, Part::parameters) : -1;
  auto callee = call >= 0 ? callee_of(tree, call) : std::string_view();
  return given >= 0 && header.kind == Header::counted && receiver(callee).empty() && mentions(tree.text(given), callee);
}

// Each turn tries something else: the next of the list, a line of a file.
bool LoopReader::takes_items() const {
  if (seen.stretch < 0 || is_told_the_turn(tried_call(tree, seen.stretch))) return false;
  for (auto name : names_of_the_turn(tree, loop, header))
    if (uses(seen.weak && header.kind == Header::each ? header.body : seen.stretch, name) ||
        (header.kind == Header::each && appears_in(tree.text(seen.stretch), name)))
      return true;
  for (int i = seen.stretch; i < tree[seen.stretch].past; i++)
    if (tree[i].role == Role::call && is_tried(i) && is_given_what_came(tree, loop, seen.stretch, i)) return true;
  if (header.kind == Header::counted)
    for (std::string_view length : {".length", "len(", ".size()", ".count"})
      if (header.text.find(length) != header.text.npos && !text_says_retry(header.text) && !says_delay(header.text))
        return true;
  return false;
}

bool LoopReader::uses(int stretch, std::string_view name) const {
  int call = tried_call(tree, stretch);
  for (int i = stretch; call >= 0 && i < tree[stretch].past; i++) {
    if (tree[i].role != Role::call || is_talk(callee_of(tree, i))) continue;
    if (appears_in(tree.text(i), name)) return true;
  }
  return false;
}

// Within a case of a select: what has come is worked off, unless the case itself is a wait.
bool LoopReader::is_pump() const {
  for (int p = tree[seen.stretch].parent; p > loop; p = tree[p].parent)
    if (tree.kind(p) == "communication_case") {
      int what = tree.first(p);
      auto text = what >= 0 ? tree.text(what) : std::string_view();
      bool ticks = text.ends_with(".C") && !place.back.empty() && place.back.front().starts_with("unless ");
      return text.find("time.After") == text.npos && !ticks;
    }
  return false;
}

// `retryer.continueOrPropagate`, of another file: who is asked whether may wait, too.
static bool is_named_alone(const Tree& tree, std::string_view text) {
  return text_says_retry(receiver(text)) && text.find_first_of("( ") == text.npos &&
         tree.functions(last_name(text)).empty();
}

void find_loops(const Tree& tree, std::vector<Location>& found) {
  for (int loop = 0; loop < tree.size(); loop++) {
    if (!is_loop(tree, loop)) continue;
    auto reader = read_loop(tree, loop);
    if (!reader.is_retry()) continue;
    auto& place = reader.place;
    describe_calls(tree, reader.seen.stretch, place);
    for (int i = loop; i < tree[loop].past; i++)
      if (tree[i].role == Role::call && !is_talk(callee_of(tree, i))) place.callees.push_back(callee_at(tree, i));
    place.bound = bound_of_loop(tree, loop);
    place.wait = wait_in(tree, loop, reader.seen.past);
    if (place.wait.kind == Wait::none && place.bound.kind == Bound::elsewhere &&
        (reader.header.kind == Header::each || reader.asks_policy_each_turn() ||
         is_named_alone(tree, place.bound.text)))
      place.wait = {Wait::elsewhere, false, false, place.bound.text};
    if (int call = tried_call(tree, reader.seen.stretch); place.wait.kind == Wait::none && call >= 0)
      place.wait = wait_before_trying(tree, call);
    place.gives_up_silently = gives_up_silently(tree, loop, place);
    found.push_back(std::move(place));
  }
}

}  // namespace retrial::scan
