// What counts the attempts.
#include <algorithm>

#include "base/text.h"
#include "scan/detectors.h"
#include "scan/limits.h"
#include "scan/words.h"

namespace retrial::scan {
namespace {

bool has_one(std::string_view text, std::initializer_list<std::string_view> any) {
  return std::ranges::any_of(any, [&](auto one) { return text.find(one) != text.npos; });
}

}  // namespace

bool is_set_back(const Tree& tree, int within, std::string_view name) {
  for (int i : tree.assignments(name)) {
    int value = tree.child(i, Part::value);
    if (!tree.within(i, within) || value < 0 || tree[value].role != Role::number) continue;
    auto head = tree.source().substr(tree[i].begin, tree[value].begin - tree[i].begin);
    if (has_one(head, {"+=", "-="})) continue;
    for (int p = tree[i].parent; p > within && tree[p].role != Role::branch; p = tree[p].parent)
      if (tree[p].role == Role::handler || (tree.kind(p) == "match_arm" && outcome_of(tree, p).failed >= 0))
        return true;
  }
  return false;
}

// `value = ask(); value += 1`: what comes from elsewhere in each turn is no count of the turns.
static bool is_asked_anew(const Tree& tree, int within, std::string_view name) {
  return std::ranges::any_of(tree.assignments(name), [&](int i) {
    int value = tree.within(i, within) ? tree.child(i, Part::value) : -1;
    if (value < 0 || mentions(tree.text(value), name)) return false;
    auto head = tree.source().substr(tree[i].begin, tree[value].begin - tree[i].begin);
    return !has_one(head, {"+=", "-="}) && tried_call(tree, value) >= 0;
  });
}

std::vector<std::string_view> counters_in(const Tree& tree, int within) {
  std::vector<std::string_view> names;
  for (int i = within; i < tree[within].past; i++) {
    bool steps_first = tree.kind(i) == "prefix_unary_expression";  // C#'s `++n`, as its `-n`
    if (tree[i].role != Role::assign && !steps_first) continue;
    auto text = tree.text(i);
    int target = tree.child(i, Part::target);
    if (target < 0) target = tree.child(i, Part::name);
    if (target < 0) target = tree.first(i);
    if (target < 0) continue;
    auto name = last_name(tree.text(target));
    int value = tree.child(i, Part::value);
    auto head = value >= 0 ? text.substr(0, tree[value].begin - tree[i].begin) : text;
    bool steps = has_one(head, {"++", "--", "+=", "-="});
    auto held = value >= 0 ? tree.text(value) : std::string_view();
    if (auto minus = held.find(" - "); !steps && minus != held.npos && held.find('(') > minus)  // what is left of them
      for (auto id : identifiers(tree.text(value)))
        steps |= says_retry(id) && !icontains(id, "delay") && !icontains(id, "time");
    if (!steps && value >= 0 && mentions(tree.text(value), name))
      steps = has_one(tree.text(value), {"+ 1", "+1", "- 1", "-1"});
    if (steps && !name.empty() && !is_set_back(tree, within, name) &&
        !is_asked_anew(tree, within, name))
      names.push_back(name);
  }
  return names;
}

}  // namespace retrial::scan
