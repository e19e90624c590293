#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"
#include "scan/detectors.h"
#include "scan/flow.h"
#include "scan/limits.h"
#include "scan/words.h"

namespace retrial::scan {
namespace {

bool says_count(std::string_view id) {
  return icontains(id, "try") || icontains(id, "tries") || icontains(id, "count");
}

// Also within a text that is put together: f"{path}.{n}".
bool has_word(std::string_view text, std::string_view word) {
  auto inner = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1))
    if ((at == 0 || !inner(text[at - 1])) && (at + word.size() == text.size() || !inner(text[at + word.size()])))
      return true;
  return false;
}

// With a number or a limit: it counts the attempts.
bool counts_against(std::string_view test, std::string_view name) {
  return mentions(test, name) && (test.find_first_of("<>0123456789") != test.npos || text_says_retry(test));
}

bool is_compared(const Tree& tree, int loop, std::string_view name) {
  for (int i = loop; i < tree[loop].past; i++) {
    int test = tree.child(i, Part::condition), guard = guard_of(tree, i);
    if (test >= 0 && counts_against(tree.text(test), name)) return true;
    if (guard >= 0 && counts_against(tree.text(guard), name)) return true;
  }
  return false;
}

// Off a list, a queue, an iterator, something that sends messages.
bool takes(std::string_view callee) {
  static constexpr std::array<std::string_view, 18> all{
      "next",    "remove", "pop",  "shift", "poll",     "take",      "popleft",   "dequeue", "trydequeue",
      "receive", "recv",   "lpop", "brpop", "readline", "nexttoken", "pop_front", "scan",    "readmessage"};
  auto name = lower(last_name(callee));
  return std::ranges::count(all, name) > 0 ||
         ((name == "get" || name == "get_nowait") && is_queue_name(last_name(receiver(callee))));
}

// Not by a walk over what is here: that is another loop's business.
bool takes_message(std::string_view callee) {
  auto name = lower(last_name(callee));
  return takes(callee) && name != "next" && name != "remove" && name != "scan";
}

// `getNextHost(iterator)`, `plan.nextHost()`: each turn tries another, until there is none.
bool takes_out_of_plan(const Tree& tree, int call) {
  auto parts = parts_of(last_name(callee_of(tree, call)));
  if (parts.size() < 2 || std::ranges::count(parts, "next") == 0) return false;
  for (auto id : identifiers(tree.text(call)))
    for (auto& part : parts_of(id))
      if (part == "iterator" || part == "iter" || part == "plan") return true;
  return false;
}

// Put back whatever becomes of it: `server = pool.pop(0); pool.append(server)` comes to the same again.
bool is_kept(const Tree& tree, int loop, std::string_view name) {
  for (int i = loop; i < tree[loop].past; i++) {
    int arguments = tree[i].role == Role::call ? tree.child(i, Part::arguments) : -1;
    int first = arguments >= 0 ? tree.first(arguments) : -1;
    if (first >= 0 && puts_back(callee_of(tree, i)) && tree.text(first) == name &&
        tree.around(i, Role::handler) < loop && tree.around(i, Role::branch) < loop)
      return true;
  }
  return false;
}

// What somebody types, by its name.
bool names_typing(std::string_view callee) {
  static constexpr std::array<std::string_view, 10> all{"input",  "raw_input",   "getpass",   "question",
                                                        "prompt", "nextline",    "read_line", "readstring",
                                                        "gets",   "readpassword"};
  return std::ranges::count(all, lower(last_name(callee))) > 0;
}

// Or by what a parameter of that name means where nothing is given: `ask=input`.
bool is_typed(const Tree& tree, int call) {
  auto callee = callee_of(tree, call);
  int with = tree.child(call, Part::arguments);  // `cache.gets(key)` asks for something
  bool of_another = !receiver(callee).empty() && with >= 0 && tree.first(with) >= 0 && last_name(callee) == "gets";
  if (names_typing(callee) && !of_another) return true;
  int function = tree.function_of(call), given = function >= 0 ? tree.child(function, Part::parameters) : -1;
  for (int c = given >= 0 ? tree.first(given) : -1; c >= 0; c = tree.next(c)) {
    auto text = tree.text(c);
    auto names = identifiers(text);
    auto equals = text.find('=');
    if (equals != text.npos && !names.empty() && names.front() == callee && names_typing(text.substr(equals + 1)))
      return true;
  }
  return false;
}

bool is_of_text(std::string_view callee) {
  static constexpr std::array<std::string_view, 10> all{"trim",  "strip", "trimspace", "text",    "lower",
                                                        "upper", "chomp", "rstrip",    "trimend", "replace"};
  return std::ranges::count(all, lower(last_name(callee))) > 0;
}

bool comes_round(std::string_view text, std::string_view name) {  // hosts[n % len(hosts)]
  for (auto at = text.find(name); at != text.npos; at = text.find(name, at + 1))
    if (trim(text.substr(at + name.size(), 8)).starts_with('%')) return true;
  return false;
}

// Does the loop end, or wait, by it? Then it says how often something was tried.
bool counts_attempts(const Tree& tree, int loop, std::string_view name) {
  for (int i = loop; i < tree[loop].past; i++)
    if (tree[i].role == Role::call && waits(tree, i) && mentions(tree.text(i), name)) return true;
  return mentions(bound_of_loop(tree, loop).text, name);
}

// `n += 1` where a name is there already, `high = mid` in a search: a number steps on, or what the loop's own condition
// asks for is set, without a call.
std::vector<std::string_view> set_where_it_failed(const Tree& tree, int loop, const Header& header) {
  std::vector<std::string_view> names;
  for (int i = loop; i < tree[loop].past; i++) {
    if (tree[i].role != Role::assign || loop_of(tree, i) != loop || tree.around(i, Role::handler) < loop) continue;
    int target = tree.target_of(i);
    auto text = tree.text(i);
    auto name = target >= 0 ? last_name(tree.text(target)) : std::string_view();
    bool how_often = says_retry(name) || says_count(name) || says_failed(name);
    bool how_long = says_time(name) || icontains(name, "delay") || icontains(name, "timeout");
    bool calls = false;
    for (int c = i; c < tree[i].past; c++) calls |= tree[c].role == Role::call;
    if (name.empty() || how_often || how_long || calls || comes_round(tree.text(loop), name)) continue;
    bool steps = std::ranges::any_of(std::array<std::string_view, 4>{"++", "--", "+=", "-="},
                                     [&](auto sign) { return text.contains(sign); });
    bool searched = header.test >= 0 && mentions(tree.text(header.test), name);
    if ((steps || searched) && !counts_attempts(tree, loop, name)) names.push_back(name);
  }
  return names;
}

}  // namespace

std::vector<std::string_view> names_of_the_turn(const Tree& tree, int loop, const Header& header) {
  std::vector<std::string_view> names;
  if (header.kind == Header::each) {
    names = identifiers(header.item);
    std::erase_if(names, [](auto n) { return n == "const" || n == "let" || n == "var" || n == "final"; });
  } else if (header.kind == Header::counted) {
    for (int i = loop; i < (header.body >= 0 ? header.body : loop); i++)
      if (tree[i].part == Part::update || (tree[i].role == Role::assign && tree[i].part != Part::none))
        for (auto id : identifiers(tree.text(i)))
          if (mentions(header.text, id) && !says_retry(id) && !says_count(id)) names.push_back(id);
    for (auto id : identifiers(header.item))
      if (!says_retry(id) && !says_count(id)) names.push_back(id);
  }
  std::erase_if(names, [](auto n) { return n == "_"; });
  // `for (folder = here; ; folder = dirname(folder))`: the next, not one more.
  for (int i = loop; header.kind != Header::each && i < header.body; i++) {
    auto text = tree.text(i);
    bool steps = text.find("++") != text.npos || text.find("--") != text.npos || text.find("+=") != text.npos ||
                 text.find("-=") != text.npos;
    int target = tree[i].part == Part::update && tree[i].role == Role::assign ? tree.target_of(i) : -1;
    auto name = target >= 0 ? last_name(tree.text(target)) : std::string_view();
    bool counts =
        steps && (header.test >= 0 || says_retry(name) || says_count(name) || counts_attempts(tree, loop, name));
    if (!name.empty() && !counts) names.push_back(name);
  }
  for (auto name : set_where_it_failed(tree, loop, header)) names.push_back(name);
  for (int i = header.body; header.body >= 0 && !names.empty() && i < tree[header.body].past; i++) {
    if (tree[i].role != Role::assign) continue;
    int target = tree.child(i, Part::target), value = tree.child(i, Part::value);
    if (target < 0) target = tree.child(i, Part::name);
    if (target < 0 || value < 0 || !std::ranges::any_of(names, [&](auto n) { return appears_in(tree.text(value), n); }))
      continue;
    for (auto id : identifiers(tree.text(target))) names.push_back(id);
  }
  return names;
}

bool follows_answer(const Tree& tree, int loop, int call) {
  int arguments = tree.child(call, Part::arguments);
  std::string_view answer;
  for (int p = tree[call].parent; p > loop && answer.empty(); p = tree[p].parent)
    if (tree[p].role == Role::assign && tree.target_of(p) >= 0) answer = last_name(tree.text(tree.target_of(p)));
  if (arguments < 0 || answer.empty()) return false;
  for (int i = tree[call].past; i < tree[loop].past; i++) {
    int target = tree[i].role == Role::assign ? tree.target_of(i) : -1, value = tree.child(i, Part::value);
    if (target < 0 || value < 0 || !tree.text(value).starts_with(std::string(answer) + ".")) continue;
    if (mentions(tree.text(arguments), tree.text(target))) return true;
  }
  return false;
}

bool moves_on(const Tree& tree, int loop, int call) {
  int arguments = tree.child(call, Part::arguments);
  if (arguments < 0) return false;
  auto given = tree.text(arguments);
  for (int i = tree[call].past; i < tree[loop].past; i++) {
    if (tree[i].role != Role::assign || tree.target_of(i) < 0) continue;
    auto name = last_name(tree.text(tree.target_of(i)));
    if (name.empty() || says_retry(name) || icontains(name, "delay") || icontains(name, "time") ||
        !has_word(given, name))
      continue;
    int value = tree.child(i, Part::value);
    auto held = value >= 0 ? tree.text(value) : std::string_view();
    bool made = held.find('(') != held.npos && (!mentions(held, name) || icontains(held, "clone"));
    if (!made && !is_compared(tree, loop, name)) return true;
  }
  return false;
}

bool takes_another(const Tree& tree, int loop) {
  for (int i = loop; i < tree[loop].past; i++)
    if (tree[i].role == Role::call && loop_of(tree, i) == loop && takes(callee_of(tree, i))) return true;
  return false;
}

bool is_given_what_came(const Tree& tree, int loop, int stretch, int call) {
  int arguments = tree.child(call, Part::arguments);
  auto callee = callee_of(tree, call);
  for (int i = loop + 1; arguments >= 0 && i < call; i++) {
    if (tree[i].role != Role::assign || loop_of(tree, i) != loop || i >= stretch || tree.within(stretch, i)) continue;
    bool came = false;
    for (int c = i; c < tree[i].past && !came; c++)
      came = tree[c].role == Role::call &&
             (takes_message(callee_of(tree, c)) || is_typed(tree, c) || takes_out_of_plan(tree, c));
    int target = tree.target_of(i);
    if (!came || target < 0) continue;
    for (auto id : identifiers(tree.text(target)))
      if (!says_retry(id) && !says_failed(id) && !says_time(id) && !icontains(id, "delay") &&
          (callee == id || appears_in(tree.text(arguments), id)) && !is_kept(tree, loop, id))
        return true;
  }
  return false;
}

bool only_reads(const Tree& tree, int stretch, int call) {
  static constexpr std::array<std::string_view, 9> all{"int",  "float", "integer", "parse",     "parseint",
                                                       "stoi", "atoi",  "number",  "parsefloat"};
  int outer = -1;  // the first, whatever it does
  for (int i = stretch; i < tree[stretch].past && outer < 0; i++)
    if (tree[i].role == Role::call && (!is_talk(callee_of(tree, i)) || tree.within(call, i))) outer = i;
  return outer >= 0 && std::ranges::count(all, lower(last_name(callee_of(tree, outer)))) > 0 &&
         (outer == call || is_stream(callee_of(tree, call)) || is_typed(tree, call) ||
          is_of_text(callee_of(tree, call)));
}

}  // namespace retrial::scan
