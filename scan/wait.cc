#include <algorithm>
#include <set>

#include "base/text.h"
#include "scan/flow.h"
#include "scan/limits.h"
#include "scan/words.h"

namespace retrial::scan {
namespace {

bool any_of(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(parts, [&](auto part) { return icontains(text, part); });
}

struct Reading {
  const Tree& tree;
  int function;  // -1: the whole file
  int stretch;   // that is run again: what is multiplied in it grows
  std::vector<std::string_view> counters;
  std::set<std::string_view> seen;
  bool tells_the_turn = false;  // what waits is told which attempt it was, not how long

  void read(std::string_view text, Wait& wait, int depth) {
    if (any_of(text, {"random", "rand.", "jitter", "uniform", "rand("}) || mentions(text, "rand")) wait.jitter = true;
    if (any_of(text, {"retry_after", "retryafter", "retry-after", "ratelimit-reset", "rate-limit-reset"}))
      wait.told = true;
    bool grows = is_power(text) || any_of(text, {"pow(", "<<", "exponential", "expo(", "exp2", "fibo"});
    // A call that is not to be seen here says how long.
    bool asks = text.find('(') != text.npos && text.find("Duration::from_") == text.npos &&
                !any_of(text, {"getenv", "environ"}) &&
                any_of(text, {"backoff", "delay", "next", "wait", "interval", "step", "sleep", "duration", "retry",
                              "retries", "reconnect"});
    bool known = false;
    for (auto id : identifiers(text)) {
      bool counts = std::ranges::count(counters, id) > 0 || iequals(id, "attempt") || iequals(id, "attempts") ||
                    iequals(id, "retrycount") || iequals(id, "retry_count") || iequals(id, "retries");
      bool stepped = std::ranges::count(counters, id) > 0 && text.find_first_of("?=<>") == text.npos &&
                     text.find('(') == text.npos && !tells_the_turn;
      if (stepped || (counts && any_of(text, {"*", "["}))) grows = true;
      if (depth > 0 && seen.insert(id).second && follow(id, wait, depth)) known |= is_asked(text, id);
    }
    if (grows) wait.kind = Wait::growing;
    if (asks && !known && wait.kind != Wait::growing) wait.kind = Wait::elsewhere;
  }

  // Is it what the text calls first, but for conversions?
  static bool is_asked(std::string_view text, std::string_view id) {
    for (auto other : identifiers(text)) {
      auto behind = static_cast<std::size_t>(other.data() - text.data()) + other.size();
      if (behind < text.size() && text[behind] == '(' && other != "Duration" && other != "min" && other != "max" &&
          other != "float" && other != "int")
        return other == id;
    }
    return true;
  }

  // What a function is given may be the number of attempts.
  std::vector<std::string_view> parameters_of(int i) const {
    std::vector<std::string_view> named;
    if (int given = tree.child(i, Part::parameters); given >= 0)
      for (auto id : identifiers(tree.text(given)))
        if (says_retry(id) || icontains(id, "count") || id == "n" || icontains(id, "times")) named.push_back(id);
    return named;
  }

  // What a name holds: by its assignments around here, or by the function of that name in this file.
  // True: a function of this file says it.
  bool follow(std::string_view id, Wait& wait, int depth) {
    bool local = false;
    for (int i : tree.assignments(id))
      if (function < 0 || tree.within(i, function)) {
        read_assignment(i, id, wait, depth);
        local = true;
      }
    if (local) return false;
    bool function_here = false;
    for (int i : tree.functions(id)) function_here |= read_function(i, wait, depth);
    // Another function's own variable is none of ours; a member is.
    for (int i : tree.assignments(id))
      if (tree.function_of(i) < 0 || tree.text(tree.target_of(i)).find('.') != std::string_view::npos)
        read_assignment(i, id, wait, depth);
    return function_here;
  }

  bool read_function(int i, Wait& wait, int depth) {
    int body = tree.child(i, Part::body);
    if (body < 0 || tree.within(stretch, i)) return false;
    auto kept = counters;
    for (auto parameter : parameters_of(i)) counters.push_back(parameter);
    auto text = tree.text(body);
    read(text, wait, depth - 1);
    counters = kept;
    if (wait.kind == Wait::none) wait.kind = Wait::fixed;
    if (any_of(text, {"yield"}) && any_of(text, {"+=", "*="})) wait.kind = Wait::growing;
    return true;
  }

  void read_assignment(int i, std::string_view id, Wait& wait, int depth) {
    auto text = tree.text(i);
    int value = tree.child(i, Part::value);
    auto held = value >= 0 ? tree.text(value) : std::string_view{};
    bool again = any_of(text, {"*=", "<<=", "+="}) || (mentions(held, id) && any_of(held, {"*", "<<", "+"}));
    if (again && (function < 0 || tree.within(i, stretch))) wait.kind = Wait::growing;
    if (held.size() < 2000) read(held, wait, depth - 1);
  }
};

// What a name was taken out of around here: `match next_delay() { Some(d) => sleep(d) }`, `if let Some(d) =
// next_delay()`.
std::string_view taken_out_of(const Tree& tree, int i, std::string_view name) {
  for (int p = i; p >= 0 && tree[p].role != Role::function; p = tree[p].parent) {
    int pattern = tree.first(p), test = tree.child(p, Part::condition);
    if (tree.kind(p) == "match_arm" && pattern >= 0 && mentions(tree.text(pattern), name)) {
      int choice = tree.around(p, Role::choice), value = choice >= 0 ? tree.child(choice, Part::value) : -1;
      return value >= 0 ? tree.text(value) : std::string_view();
    }
    auto text = test >= 0 && tree[p].role == Role::branch ? tree.text(test) : std::string_view();
    auto sign = text.starts_with("let ") ? text.find('=') : text.npos;
    if (sign != text.npos && mentions(text.substr(0, sign), name)) return trim(text.substr(sign + 1));
  }
  return {};
}

bool is_zero(std::string_view text) { return text == "0" || text == "0.0"; }

// A parameter that nothing stands for where it is not given: who calls says how long.
bool is_only_given(const Tree& tree, int call, std::string_view name) {
  int function = tree.function_of(call);
  while (function >= 0 && name_of_function(tree, function).empty()) function = tree.function_of(function);
  int given = function >= 0 ? tree.child(function, Part::parameters) : -1;
  if (given < 0 || !mentions(tree.text(given), name)) return false;
  for (int i = 0; i < tree.size(); i++)  // `later(request, 3000)`
    if (tree[i].role == Role::call && last_name(callee_of(tree, i)) == name_of_function(tree, function)) {
      int arguments = tree.child(i, Part::arguments);
      for (int c = arguments >= 0 ? tree.first(arguments) : -1; c >= 0; c = tree.next(c))
        if (tree[c].role == Role::number && !is_zero(tree.text(c))) return false;
    }
  auto behind = trim(tree.text(given).substr(tree.text(given).find(name) + name.size()));
  return !behind.starts_with('=') && tree.assignments(name).empty();
}

// Where a wait is cut short, not how long it is.
bool is_token(std::string_view text) {
  return text == "ct" || text == "ctx" || icontains(text, "token") || icontains(text, "signal") || text == "null";
}

// How long a call waits: the first of its arguments that is neither what is run afterwards nor what cuts it short.
std::string waited(const Tree& tree, int call) {
  int arguments = tree.child(call, Part::arguments);
  bool timer = is_timer(callee_of(tree, call));
  for (int c = arguments >= 0 ? tree.first(arguments) : -1; c >= 0; c = tree.next(c)) {
    auto text = tree.text(c);
    if (tree[c].role == Role::function || tree[c].role == Role::comment || is_token(text) || text == "this") continue;
    if (text.starts_with("TimeUnit.")) continue;  // of what stands before it
    bool says = any_of(last_name(text), {"delay", "ms", "wait", "time", "interval", "backoff"});
    bool runs = tree[c].role != Role::number && !tree.functions(last_name(text)).empty() && tree[c].role != Role::call;
    bool named = tree[c].role == Role::name && tree.next(c) >= 0 && c == tree.first(arguments);
    if (timer && !says && (text.starts_with("new ") || runs || named || tree.kind(c) == "method_reference")) continue;
    return std::string(text);
  }
  return {};
}

// `strategy.block(sleepTime)`: whatever it is called, it is told how long.
bool is_given_a_wait(std::string_view callee, std::string_view given) {
  auto ids = identifiers(given);
  if (ids.empty() || ids.size() > 2 || given.find('(') != given.npos || is_talk(callee)) return false;
  auto word = lower(ids.back()), name = lower(last_name(callee));
  bool says = word.find("sleep") != word.npos || word == "delay" || word.ends_with("_delay") ||
              word.find("backoff") != word.npos;
  return says &&
         (name == "block" || name.find("wait") != name.npos || name.find("pause") != name.npos || name == "advance");
}

void merge(Wait& all, const Wait& one) {
  static constexpr int kSaid[] = {0, 1, 3, 2};  // how much a kind says
  if (kSaid[one.kind] > kSaid[all.kind]) {
    all.kind = one.kind;
    all.text = one.text;
  }
  all.jitter |= one.jitter;
  all.told |= one.told;
}

// `<-tick.C` of `tick := time.NewTicker(d)`: each turn waits for it.
Wait wait_for_ticks(const Tree& tree, int stretch) {
  for (int i = stretch; i < tree[stretch].past; i++) {
    auto text = tree.text(i);
    if (tree.kind(i) != "selector_expression" || !text.ends_with(".C")) continue;
    for (int set : tree.assignments(last_name(receiver(text)))) {
      auto made = tree.text(set);
      if (auto at = made.find("time.NewTicker("); at != made.npos)
        return {Wait::fixed, false, false, one_line(bare(made.substr(at + 14)))};
    }
  }
  return {};
}

}  // namespace

std::vector<Delay> delays_of(const Tree& tree) {
  std::vector<Delay> found;
  for (int f = 0; f < tree.size(); f++) {
    if (tree[f].role != Role::function) continue;
    auto name = name_of_function(tree, f);
    int body = tree.child(f, Part::body);
    if (body < 0 || name.size() < 4 ||
        !any_of(name, {"backoff", "back_off", "delay", "sleep", "wait", "interval", "jitter"}))
      continue;
    Reading reading{tree, f, f, counters_in(tree, f), {name}};
    if (int given = tree.child(f, Part::parameters); given >= 0)
      for (auto id : identifiers(tree.text(given)))
        if (says_retry(id) || any_of(id, {"count", "times"})) reading.counters.push_back(id);
    Wait wait;
    reading.read(tree.text(body), wait, 3);
    if (wait.kind == Wait::growing || wait.jitter || wait.told) found.push_back({std::string(name), wait});
  }
  return found;
}

// `done.plus(pause)`, `time.Now().Add(d)`: how long.
static std::string_view added_to_time(std::string_view text) {
  for (std::string_view plus : {".plus(", ".plusMillis(", ".plusSeconds(", ".Add("})
    if (auto at = text.find(plus); at != text.npos && text.ends_with(')'))
      return text.substr(at + plus.size(), text.size() - at - plus.size() - 1);
  return text;
}

Wait wait_told(const Tree& tree, int call) {
  int arguments = tree.child(call, Part::arguments), function = tree.function_of(call);
  int first = arguments >= 0 ? tree.first(arguments) : -1;
  for (int c = first >= 0 ? tree.next(first) : -1; c >= 0; c = tree.next(c)) {
    auto text = tree.text(c);
    if (tree[c].role == Role::option) {
      int value = tree.child(c, Part::value);
      if (value < 0 || !any_of(text.substr(0, text.find_first_of("=:")), {"delay", "eta", "countdown", "run_at"}))
        continue;
      text = tree.text(value);
    }
    bool when = any_of(text, {"delay", "next", "backoff", "wait", "retryat", "retry_at", "when"});
    if (!when || function < 0 || tree[c].role == Role::function) continue;
    auto held = text;
    for (int set : tree.assignments(last_name(text)))
      if (int value = tree.child(set, Part::value); value >= 0 && tree.within(set, function)) held = tree.text(value);
    Reading reading{tree, function, function, counters_in(tree, function), {}};
    Wait one;
    reading.read(added_to_time(held), one, 4);
    if (one.kind == Wait::none)
      one.kind = held.find('(') == text.npos || added_to_time(held) != held ? Wait::fixed : Wait::elsewhere;
    one.text = one_line(text);
    return one;
  }
  return {};
}

Wait wait_in(const Tree& tree, int stretch, int past) {
  if (past < 0) past = tree[stretch].past;
  Wait all;
  int function = tree[stretch].role == Role::function ? stretch : tree.function_of(stretch);
  auto counters = counters_in(tree, stretch);
  Header header;
  if (is_loop(tree, stretch)) {
    header = header_of(tree, stretch);
    if (!header.item.empty() && header.kind != Header::each)
      for (auto id : identifiers(header.item)) counters.push_back(id);
  }
  for (int i = stretch; i < past; i++) {
    if (tree[i].role != Role::call) continue;
    auto text = waited(tree, i);
    if (!waits(tree, i) && !is_given_a_wait(callee_of(tree, i), text)) continue;
    auto how = last_name(callee_of(tree, i));
    if (is_zero(text) || how == "setImmediate") continue;
    Reading reading{tree,     function, stretch,
                    counters, {},       any_of(last_name(callee_of(tree, i)), {"backoff", "back_off"})};
    Wait one;
    reading.read(text, one, 4);
    if (auto whole = one.kind == Wait::none ? taken_out_of(tree, i, text) : std::string_view(); !whole.empty())
      reading.read(whole, one, 4);
    bool listed = header.kind == Header::each && mentions(text, last_name(header.item));
    if (listed) {
      reading.read(header.text, one, 4);
      if (one.kind == Wait::none)
        one.kind = header.text.find("] *") != header.text.npos || header.text.find("]*") != header.text.npos
                       ? Wait::fixed
                       : Wait::growing;
    }
    auto name = last_name(callee_of(tree, i));
    if (one.kind == Wait::none && (text.empty() || any_of(name, {"backoff", "back_off", "delay"})) &&
        !any_of(name, {"sleep"})) {
      reading.follow(name, one, 2);
      if (one.kind == Wait::none) one.kind = identifiers(text).empty() && !text.empty() ? Wait::fixed : Wait::elsewhere;
    }
    if (one.kind == Wait::none) {
      bool asks = text.find('(') != text.npos && any_of(text, {"backoff", "delay", "next", "wait", "interval", "step"});
      one.kind = text.empty() || asks || is_only_given(tree, i, text) ? Wait::elsewhere : Wait::fixed;
    }
    if (how == "tick") one.kind = Wait::fixed;
    one.text = one_line(text.empty() || reading.tells_the_turn ? tree.text(i) : std::string_view(text));
    merge(all, one);
  }
  if (all.kind == Wait::none) all = wait_for_ticks(tree, stretch);
  for (int i = stretch; all.kind == Wait::none && is_loop(tree, stretch) && i < tree[stretch].past; i++)
    if (tree[i].role == Role::call && tree.around(i, Role::handler) > stretch) merge(all, wait_of_helper(tree, i));
  return all;
}

}  // namespace retrial::scan
