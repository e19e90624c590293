#include "scan/candidates.h"

#include "scan/detectors.h"
#include "scan/flow.h"
#include "scan/loop_reader.h"
#include "scan/words.h"

namespace retrial::scan {

std::vector<Stretch> functions_about_retries(const Language& language, std::string_view text) {
  std::vector<Stretch> found;
  auto tree = Tree::parse(language, text);
  for (int i = 0; i < tree.size(); i++) {
    if (tree[i].role != Role::function || !text_says_retry(tree.text(i)) || tried_call(tree, i) < 0) continue;
    found.push_back({tree[i].line, last_line_of(tree, i), std::string(name_of_function(tree, i))});
    i = tree[i].past - 1;
  }
  return found;
}

namespace {
template <class F>
std::vector<Stretch> loops_that(const Language& language, std::string_view text, F wanted) {
  std::vector<Stretch> found;
  auto tree = Tree::parse(language, text);
  tree.limit_steps();
  for (int loop = 0; loop < tree.size(); loop++) {
    if (!is_loop(tree, loop) || !wanted(tree, loop)) continue;
    int function = tree.function_of(loop);
    found.push_back(
        {tree[loop].line, last_line_of(tree, loop), function < 0 ? "" : std::string(name_of_function(tree, function))});
  }
  return found;
}
}  // namespace

std::vector<Stretch> loops_for_each_thing(const Language& language, std::string_view text) try {
  return loops_that(language, text, [](auto& tree, int loop) { return read_loop(tree, loop).is_for_each_thing(); });
} catch (const TooMuch&) {
  return {};
}

std::vector<Stretch> loops(const Language& language, std::string_view text) try {
  return loops_that(language, text, [](auto&, int) { return true; });
} catch (const TooMuch&) {
  return {};
}

}  // namespace retrial::scan
