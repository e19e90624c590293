#include "scan/flow.h"

#include "base/text.h"
#include "scan/language.h"
#include "scan/words.h"

namespace retrial::scan {
namespace {

std::string_view label_of(const Tree& tree, int jump) {
  for (int c = tree.first(jump); c >= 0; c = tree.next(c)) {
    auto kind = tree.kind(c);
    if (kind == "statement_identifier" || kind == "label_name" ||
        (kind == "identifier" && tree.language().name == "Java"))
      return tree.text(c);
  }
  return {};
}

bool labelled(const Tree& tree, int loop, std::string_view label) {
  int p = tree[loop].parent;
  return p >= 0 && tree.kind(p) == "labeled_statement" && tree.text(p).starts_with(label);
}

// What a `continue` or a `break` ends, as far as this loop is concerned: itself, something within it, or something
// around it.
enum class Aim { inside, ours, beyond };
Aim aim_of(const Tree& tree, int jump, int loop, bool stops) {
  if (auto label = label_of(tree, jump); !label.empty()) {
    if (labelled(tree, loop, label)) return Aim::ours;
    for (int p = tree[jump].parent; p >= 0 && p != loop; p = tree[p].parent)
      if (is_loop(tree, p) && labelled(tree, p, label)) return Aim::inside;
    return Aim::beyond;
  }
  auto family = tree.language().family;
  bool choice_stops = stops && family != "python" && family != "rust" && family != "ruby";
  for (int p = tree[jump].parent; p >= 0 && p != loop; p = tree[p].parent)
    if (is_loop(tree, p) || (choice_stops && tree[p].role == Role::choice)) return Aim::inside;
  return Aim::ours;
}

bool is_case(const Tree& tree, int i) {
  auto kind = tree.kind(i);
  return kind.find("case") != kind.npos || kind == "switch_default" || kind == "switch_block_statement_group" ||
         kind == "switch_rule" || kind == "switch_section" || kind == "match_arm" || kind == "when";
}

// `done = true` in `while (!done && n < 3)`: it ends with this turn, as by a `break`.
bool ends_by_flag(const Tree& tree, int assign, int loop) {
  int target = tree.target_of(assign), value = tree.child(assign, Part::value);
  if (target < 0 || value < 0 || !is_loop(tree, loop)) return false;
  auto held = trim(tree.text(value));
  bool on = held == "true" || held == "True", off = held == "false" || held == "False";
  if (!on && !off) return false;
  auto rest = header_of(tree, loop).text;
  bool until = tree.kind(loop).starts_with("until");
  if (rest.contains(until ? "&&" : "||") || rest.contains(until ? " and " : " or ")) return false;
  while (!rest.empty()) {
    auto joint = std::min({rest.find("&&"), rest.find("||"), rest.find(" and "), rest.find(" or ")});
    auto part = bare(rest.substr(0, joint));
    auto past = joint == rest.npos ? rest.size() : rest[joint] == ' ' ? rest.find(' ', joint + 1) : joint + 2;
    rest = rest.substr(past);
    bool denied = part.starts_with('!') || part.starts_with("not ");
    if (denied) part = bare(part.substr(part.front() == '!' ? 1 : 4));
    if (part == trim(tree.text(target))) return denied == until ? off : on;
  }
  return false;
}

Flow either(Flow a, Flow b) { return {a.falls || b.falls, a.again || b.again, a.leaves || b.leaves}; }

Flow in_turn(const Tree& tree, int from, int loop) {
  Flow all{.falls = true};
  for (int c = from; c >= 0 && all.falls; c = tree.next(c)) {
    auto one = flow_of(tree, c, loop);
    all = {one.falls, all.again || one.again, all.leaves || one.leaves};
  }
  return all;
}

Flow of_branch(const Tree& tree, int branch, int loop) {
  Flow all;
  bool otherwise = false;
  for (int c = tree.first(branch); c >= 0; c = tree.next(c)) {
    if (tree[c].part == Part::condition) continue;
    if (tree[c].part != Part::then && tree[c].part != Part::otherwise) continue;
    auto one = tree[c].role == Role::branch && tree[c].part == Part::otherwise && tree.kind(c) == "elif_clause"
                   ? flow_of(tree, tree.child(c, Part::then) >= 0 ? tree.child(c, Part::then) : c, loop)
                   : flow_of(tree, c, loop);
    all = either(all, one);
    otherwise |= tree[c].part == Part::otherwise && tree.kind(c) != "elif_clause";
  }
  if (!otherwise) all.falls = true;
  return all;
}

Flow of_attempt(const Tree& tree, int attempt, int loop) {
  int body = tree.child(attempt, Part::body);
  Flow all{.falls = true};
  for (int c = body >= 0 ? body : tree.first(attempt); c >= 0 && all.falls; c = body >= 0 ? -1 : tree.next(c)) {
    if (tree[c].role == Role::handler) continue;
    auto one = flow_of(tree, c, loop);
    all = {one.falls, all.again || one.again, all.leaves || one.leaves};
  }
  for (int c = tree.first(attempt); c >= 0; c = tree.next(c))
    if (tree[c].role == Role::handler) all = either(all, in_turn(tree, tree.first(c), loop));
  return all;
}

// The statement of this loop that a `goto` further on leads to, or -1. Not where another follows: a machine of states
// would be read once for each way through it.
int target_of_goto(const Tree& tree, int jump, int loop) {
  if (tree.kind(jump) != "goto_statement" || !is_loop(tree, loop)) return -1;
  auto label = tree.first(jump) >= 0 ? tree.text(tree.first(jump)) : std::string_view();
  int to = -1;
  for (int i = jump + 1; !label.empty() && i < tree[loop].past; i++) {
    bool labeled = tree.kind(i) == "labeled_statement" && tree.first(i) >= 0 && tree.text(tree.first(i)) == label;
    if (to < 0 && labeled) to = loop_of(tree, i) == loop ? i : tree[loop].past;
    if (to >= 0 && tree.kind(i) == "goto_statement") return -1;
  }
  return to < tree[loop].past ? to : -1;
}

// What is left there was cancelled, and says nothing: only which cases go on.
Flow of_select(const Tree& tree, int select, int loop) {
  Flow all;
  for (int c = tree.first(select); c >= 0; c = tree.next(c)) {
    if (!is_case(tree, c)) continue;
    auto one = in_turn(tree, tree.first(c), loop);
    all.falls |= one.falls;
    all.again |= one.again;
  }
  if (!all.falls && !all.again) all.falls = true;
  return all;
}

}  // namespace

bool is_loop(const Tree& tree, int i) { return tree[i].role == Role::loop || tree[i].role == Role::each; }

int loop_of(const Tree& tree, int i) {
  for (int p = tree[i].parent; p >= 0 && tree[p].role != Role::function; p = tree[p].parent)
    if (is_loop(tree, p)) return p;
  return -1;
}

Flow flow_of(const Tree& tree, int statement, int loop) {
  switch (tree[statement].role) {
    case Role::function:
    case Role::option:
    case Role::comment:
    case Role::name:
      return {.falls = true};
    case Role::leave:
    case Role::raise:
      return {.leaves = true};
    case Role::again:
    case Role::stop: {
      bool stops = tree[statement].role == Role::stop;
      switch (aim_of(tree, statement, loop, stops)) {
        case Aim::inside:
          return {.falls = true};
        case Aim::beyond:
          return {.leaves = true};
        case Aim::ours:
          return stops ? Flow{.leaves = true} : Flow{.again = true};
      }
      return {};
    }
    case Role::branch:
      return of_branch(tree, statement, loop);
    case Role::attempt:
      return of_attempt(tree, statement, loop);
    case Role::call:
      if (ends_process(callee_of(tree, statement))) return {.leaves = true};
      if (tree.language().family == "rust" && tree.child(statement, Part::arguments) >= 0)  // `Err(match … { … })`
        return in_turn(tree, tree.child(statement, Part::arguments), loop);
      return {.falls = true};
    case Role::assign:
      if (ends_by_flag(tree, statement, loop)) return {.leaves = true};
      return in_turn(tree, tree.first(statement), loop);
    case Role::loop:
    case Role::each: {
      auto inner = in_turn(tree, tree.first(statement), loop);
      inner.falls = true;
      return inner;
    }
    case Role::choice: {
      Flow all{.falls = true};
      if (tree.kind(statement) == "select_statement") return of_select(tree, statement, loop);
      all.falls = tree.kind(statement) != "match_expression";  // one of its cases holds
      for (int c = tree.first(statement); c >= 0; c = tree.next(c)) {
        if (tree[c].part == Part::value) continue;
        if (!is_case(tree, c)) {
          for (int d = tree.first(c); d >= 0; d = tree.next(d)) all = either(all, flow_of(tree, d, loop));
          continue;
        }
        all = either(all, flow_of(tree, c, loop));
      }
      return all;
    }
    default:
      if (int to = target_of_goto(tree, statement, loop); to >= 0) {
        auto there = flow_of(tree, to, loop);
        if (!there.falls) return there;
        auto rest = flow_after(tree, to, loop);
        return {rest.falls, there.again || rest.again, there.leaves || rest.leaves};
      }
      return in_turn(tree, tree.first(statement), loop);
  }
}

Flow flow_after(const Tree& tree, int statement, int loop) {
  Flow all{.falls = true};
  for (int at = statement; at >= 0 && at != loop && all.falls; at = tree[at].parent) {
    int p = tree[at].parent;
    if (p < 0) break;
    auto role = tree[p].role;
    if (role == Role::branch || role == Role::attempt || role == Role::choice || role == Role::handler ||
        is_case(tree, at) || p == loop)
      continue;
    auto rest = in_turn(tree, tree.next(at), loop);
    all = {rest.falls, all.again || rest.again, all.leaves || rest.leaves};
  }
  if (all.falls) all.again = true;
  all.falls = false;
  return all;
}

Header header_of(const Tree& tree, int loop) {
  Header header;
  header.body = tree.child(loop, Part::body);
  int holder = loop;
  for (int c = tree.first(loop); c >= 0; c = tree.next(c)) {
    auto kind = tree.kind(c);
    if (kind == "for_clause") holder = c;
    if (kind == "range_clause" || (tree[loop].role == Role::each && holder == loop)) {
      int in = kind == "range_clause" ? c : loop;
      int item = tree.child(in, Part::target), over = tree.child(in, Part::value);
      if (item < 0) item = tree.child(in, Part::name);
      if (item < 0 && header.body >= 0) item = tree.child(header.body, Part::parameters);  // `each do |one|`
      header.item = item >= 0 ? tree.text(item) : std::string_view{};
      header.text = over >= 0 ? tree.text(over) : std::string_view{};
      header.kind = Header::each;
      bool span = header.text.find("..") != header.text.npos && header.text.find_first_of("[\"'") == header.text.npos;
      if (header.text.starts_with("range(") || span || (over >= 0 && tree[over].role == Role::number))
        header.kind = Header::counted;
      if (header.text.starts_with("itertools.count(") || header.text.starts_with("count("))
        header.kind = Header::endless;
      header.test = over;
      return header;
    }
    if (tree.language().family == "go" && holder == loop && tree[c].part != Part::body && tree[c].role != Role::comment)
      header.test = c;
  }
  if (int test = tree.child(holder, Part::condition); test >= 0) header.test = test;
  header.text = header.test >= 0 ? bare(tree.text(header.test)) : std::string_view{};
  while (!header.text.empty() && header.text.back() == ';') header.text.remove_suffix(1);
  if (header.text.empty() || header.text == "true" || header.text == "True" || header.text == "1")
    header.kind = Header::endless;
  else
    header.kind = tree.child(holder, Part::update) >= 0 ? Header::counted : Header::condition;
  return header;
}

Says says_at(const Tree& tree, int holder) {
  int test = tree.child(holder, Part::condition);
  if (test < 0) return {};
  auto says = failure_of(tree.text(test), tree.language().errors_are_values);
  auto kind = tree.kind(holder);
  if (kind.starts_with("unless") || kind.starts_with("until")) says.failed = -says.failed;
  return says;
}

int guard_of(const Tree& tree, int holder) {
  for (int c = tree.first(holder); c >= 0; c = tree.next(c)) {
    if (tree[c].role == Role::guard) return tree.first(c);
    if (tree.kind(c) == "match_pattern") return tree.child(c, Part::condition);
  }
  return -1;
}

std::string_view bare(std::string_view condition) {
  for (condition = trim(condition); condition.size() > 1 && condition.front() == '(' && condition.back() == ')';) {
    int depth = 0;
    std::size_t i = 0;
    for (; i < condition.size(); i++) {
      depth += condition[i] == '(' ? 1 : condition[i] == ')' ? -1 : 0;
      if (depth == 0) break;
    }
    if (i + 1 != condition.size()) break;
    condition = trim(condition.substr(1, condition.size() - 2));
  }
  return condition;
}

std::string_view name_of_function(const Tree& tree, int function) {
  if (int name = tree.child(function, Part::name); name >= 0)
    return tree.text(name).substr(0, tree.text(name).find('('));  // C++ declares it with its parameters
  int p = tree[function].parent;
  if (p >= 0 && tree[p].role == Role::call) p = tree[p].parent;  // useCallback(() => …)
  if (p >= 0 && tree[p].role == Role::other && tree[p].parent >= 0 && tree[tree[p].parent].role == Role::assign)
    p = tree[p].parent;
  if (p < 0 || (tree[p].role != Role::assign && tree[p].role != Role::option)) return {};
  int name = tree.child(p, Part::name);
  if (name < 0) name = tree.child(p, Part::target);
  return name >= 0 ? last_name(tree.text(name)) : std::string_view{};
}

std::string_view callee_of(const Tree& tree, int call) {
  int arguments = tree.child(call, Part::arguments);
  auto all = tree.text(call);
  return arguments < 0 ? all : trim(all.substr(0, tree[arguments].begin - tree[call].begin));
}

}  // namespace retrial::scan
