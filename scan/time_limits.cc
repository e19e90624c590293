// What ends a loop from outside of it when its time is over.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "scan/flow.h"
#include "scan/limits.h"
#include "scan/words.h"

namespace retrial::scan {
namespace {

// Runs what it holds or is given, and no longer than it is told: `asyncio.timeout(20)`, `tokio::time::timeout(d, …)`.
bool limits_time(std::string_view callee) {
  static constexpr std::array<std::string_view, 9> all{"timeout",      "timeout_at",  "timeout_after",
                                                       "with_timeout", "withtimeout", "fail_at",
                                                       "fail_after",   "move_on_at",  "move_on_after"};
  return std::ranges::count(all, lower(last_name(callee))) > 0;
}

// In the head of Python's `with`.
std::string_view limit_in_head(const Tree& tree, int with) {
  int body = tree.child(with, Part::body);
  for (int i = with; tree.kind(with) == "with_statement" && i < body; i++)
    if (tree[i].role == Role::call && limits_time(callee_of(tree, i))) return tree.text(i);
  return {};
}

}  // namespace

std::string_view limit_around(const Tree& tree, int loop) {
  for (int p = tree[loop].parent; p >= 0; p = tree[p].parent) {
    int holder = tree[p].parent;
    if (tree[p].role == Role::function && (holder < 0 || tree[holder].part != Part::arguments)) return {};
    if (auto limit = limit_in_head(tree, p); !limit.empty()) return limit;
    if (tree[p].role == Role::call && limits_time(callee_of(tree, p))) return callee_of(tree, p);
  }
  return {};
}

// A timer that fails is begun before the loop, and each attempt runs against it: `Promise.race([attempt(), timedOut])`.
std::string_view limit_raced(const Tree& tree, int call, int loop) {
  int arguments = tree.child(call, Part::arguments);
  if (arguments < 0 || callee_of(tree, call) != "Promise.race") return {};
  for (auto id : identifiers(tree.text(arguments)))
    for (int i : tree.assignments(id)) {
      auto set = tree.text(i);
      bool fails = set.find("reject") != set.npos || set.find("throw") != set.npos;
      if (!tree.within(i, loop) && tree.function_of(i) == tree.function_of(loop) && fails &&
          set.find("setTimeout") != set.npos)
        return id;
    }
  return {};
}

}  // namespace retrial::scan
