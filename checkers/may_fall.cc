#include "checkers/may_fall.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "checkers/index.h"

namespace retrial::checkers {
namespace {

// "DELETE /docs/{id}" with `off` 1: "docs".
std::string path_of(const std::string& operation, std::size_t off) {
  auto words = words_of(operation);
  if (words.size() <= 1 + off) return {};
  return fmt::format("{}", fmt::join(words.begin() + 1, words.end() - static_cast<std::ptrdiff_t>(off), "/"));
}
bool moves_by_what_is_sent(const Field& f) { return f.left.find_first_not_of("0123456789.", 1) != f.left.npos; }

}  // namespace

void MayFall::saw(const Deed& d) {
  auto service = service_of(*d.e);
  for (auto& leaf : d.request.leaves) sent_.emplace(service, last_name(leaf.path));
  if (d.kind == predict::Kind::end && d.fate == Fate::done) emptied_.emplace(service, path_of(d.e->operation, 1));
}

std::string MayFall::why(const Checker& c, const std::vector<Checker>& holding) const {
  auto& number = c.fields.front().right;
  if (sent_.contains({c.service, last_name(number)})) return "clients send it";
  bool emptied = emptied_.contains({c.service, path_of(c.then, 0)});
  for (auto& other : holding) {
    bool of_it = other.service == c.service && other.then == c.then && !other.fields.empty() &&
                 other.fields.front().right == number;
    if (!of_it) continue;
    if (other.rule == Rule::adds && moves_by_what_is_sent(other.fields.front()))
      return fmt::format("{} moves it by what it sends", other.after);
    if (emptied && (other.rule == Rule::counts || other.rule == Rule::adds)) return "what it counts can be deleted";
  }
  return {};
}

}  // namespace retrial::checkers
