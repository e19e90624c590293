#include "checkers/elsewhere.h"

#include <algorithm>

namespace retrial::checkers {
namespace {

std::string part(const std::string& service, const std::string& operation, const std::string& path) {
  return service + "\n" + operation + "\n" + path.substr(0, path.find("[]"));
}
std::string part(const Checker& c, const std::string& path) { return part(c.service, c.then, path); }

bool lies_at(const std::string& inner, const std::string& outer) {
  return inner.starts_with(outer) && (inner.size() == outer.size() || inner[outer.size()] == '/');
}

}  // namespace

void Elsewhere::saw(const Deed& d) {
  if (!d.looks()) {
    if (d.fate == Fate::refused) return;
    auto here = [&](auto& read) { return lies_at(d.spot, read.second.spot) || lies_at(read.second.spot, d.spot); };
    std::erase_if(reads_, here);
    for (auto& [asked, read] : reads_) read.elsewhere = true;
    return;
  }
  if (d.fate != Fate::done || !d.answer.known) return;
  auto& read = reads_[d.e->service + d.e->target];
  if (read.elsewhere)
    for (auto& leaf : d.answer.leaves)
      if (auto* was = leaf.in_array ? nullptr : read.answer.at(leaf.path); was && was->text != leaf.text)
        changed_.insert(part(service_of(*d.e), d.e->operation, leaf.path));
  read = {d.spot, d.answer};
}

void Elsewhere::counted_by(const std::vector<Checker>& all) {
  for (auto& c : all)
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
