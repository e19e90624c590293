#include "checkers/elsewhere.h"

#include <algorithm>

namespace retrial::checkers {
namespace {

std::string part(const Checker& c, const std::string& path) {
  return c.service + "\n" + c.then + "\n" + path.substr(0, path.find("[]"));
}

}  // namespace

Elsewhere::Elsewhere(const std::vector<Checker>& holding) {
  for (auto& c : holding)
    if (c.rule == Rule::counts)
      for (auto& f : c.fields) counted_.try_emplace(part(c, f.right), part(c, f.left));
}

void Elsewhere::shown_by(const Checker& narrowed) { changed_.merge(parts_of(narrowed)); }

bool Elsewhere::may_change(const Checker& c) const {
  return std::ranges::any_of(parts_of(c), [&](auto& path) { return changed_.contains(path); });
}

std::set<std::string> Elsewhere::parts_of(const Checker& c) const {
  std::set<std::string> parts;
  if (c.then.empty() || c.rule == Rule::same_answer) return parts;  // all of an answer is more than a part
  if (c.fields.empty()) parts.insert(part(c, ""));                  // whether it is there
  for (auto& f : c.fields) {
    auto one = part(c, f.right);
    auto array = counted_.find(one);
    parts.insert(array == counted_.end() ? one : array->second);
  }
  return parts;
}

}  // namespace retrial::checkers
