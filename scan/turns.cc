#include <algorithm>

#include "base/text.h"
#include "scan/detectors.h"
#include "scan/flow.h"
#include "scan/words.h"

namespace retrial::scan {
namespace {

bool says_count(std::string_view id) {
  return icontains(id, "try") || icontains(id, "tries") || icontains(id, "count");
}

}  // namespace

std::vector<std::string_view> names_of_the_turn(const Tree& tree, int loop, const Header& header) {
  std::vector<std::string_view> names;
  if (header.kind == Header::each) {
    names = identifiers(header.item);
    std::erase_if(names, [](auto n) { return n == "_" || n == "const" || n == "let" || n == "var" || n == "final"; });
  } else if (header.kind == Header::counted) {
    for (int i = loop; i < (header.body >= 0 ? header.body : loop); i++)
      if (tree[i].part == Part::update || (tree[i].role == Role::assign && tree[i].part != Part::none))
        for (auto id : identifiers(tree.text(i)))
          if (mentions(header.text, id) && !says_retry(id) && !says_count(id)) names.push_back(id);
    if (!header.item.empty() && !says_retry(header.item) && !says_count(header.item)) names.push_back(header.item);
  }
  // `for (folder = here; ; folder = dirname(folder))`: the next, not one more.
  for (int i = loop; header.kind != Header::each && i < header.body; i++) {
    auto text = tree.text(i);
    bool steps = text.find("++") != text.npos || text.find("--") != text.npos || text.find("+=") != text.npos ||
                 text.find("-=") != text.npos;
    if (tree[i].part == Part::update && tree[i].role == Role::assign && !steps)
      if (int target = tree.target_of(i); target >= 0) names.push_back(last_name(tree.text(target)));
  }
  for (int i = header.body; header.body >= 0 && !names.empty() && i < tree[header.body].past; i++) {
    if (tree[i].role != Role::assign) continue;
    int target = tree.child(i, Part::target), value = tree.child(i, Part::value);
    if (target < 0) target = tree.child(i, Part::name);
    if (target < 0 || value < 0 || !std::ranges::any_of(names, [&](auto n) { return mentions(tree.text(value), n); }))
      continue;
    for (auto id : identifiers(tree.text(target))) names.push_back(id);
  }
  return names;
}

}  // namespace retrial::scan
