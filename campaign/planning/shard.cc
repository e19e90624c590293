#include "campaign/planning/shard.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"

namespace retrial::campaign {
namespace {

constexpr int kMost = 1000;

// Of a case's target: those of one call site and method stand beside each other.
std::string target_of(const std::optional<trace::CallSite>& site, const std::string& service,
                      const std::string& operation, const std::string& test) {
  return fmt::format("{}\n{}\n{}\n{}\n{}", site ? trace::key_of(*site) : service,
                     operation.substr(0, operation.find(' ')), operation, service, test);
}
std::string target_of(const Case& c) {
  auto target = target_of(c.row.site, c.row.service, c.row.operation, c.places.size() == 1 ? c.row.test : "");
  return fmt::format("{:d}{}", c.further, target);
}
std::string target_of(const PlannedCase& c) { return target_of(c.site, c.service, c.operation, c.test); }

// `of_part`: which cases are dealt out by themselves.
template <class C>
void keep_part(std::vector<C>& cases, const Shard& shard, auto of_part) {
  std::map<std::string, std::size_t> targets;  // with how many cases
  std::size_t all = 0, before = 0;
  for (auto& c : cases)
    if (of_part(c)) targets[target_of(c)]++, all++;
  std::set<std::string> others;
  for (auto& [target, n] : targets) {
    auto middle = before + n / 2;
    before += n;
    auto part = middle * static_cast<std::size_t>(shard.of) / std::max<std::size_t>(all, 1) + 1;
    if (static_cast<int>(part) != shard.number) others.insert(target);
  }
  std::erase_if(cases, [&](auto& c) { return others.contains(target_of(c)); });
}

}  // namespace

Result<Shard> parse_shard(std::string_view text) {
  auto slash = std::min(text.find('/'), text.size());
  auto number = to_int(text.substr(0, slash));
  auto of = slash < text.size() ? to_int(text.substr(slash + 1)) : std::nullopt;
  if (number && of && *number >= 1 && *number <= *of && *of <= kMost)
    return Shard{static_cast<int>(*number), static_cast<int>(*of)};
  return fail(fmt::format("expected which of how many, from 1/{0} to {0}/{0} such as 1/{0}, got \"{1}\"",
                          of && *of >= 1 && *of <= kMost ? *of : 5, text),
              "--shard", Blame::user);
}

std::string show(const Shard& shard) { return fmt::format("{}/{}", shard.number, shard.of); }

void keep(std::vector<Case>& cases, const Shard& shard) {
  for (bool further : {false, true}) keep_part(cases, shard, [&](auto& c) { return c.further == further; });
}
void keep(std::vector<PlannedCase>& cases, const Shard& shard) {
  keep_part(cases, shard, [](auto&) { return true; });
}

}  // namespace retrial::campaign
