#include "campaign/planning/shard.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"

namespace retrial::campaign {
namespace {

constexpr int kMost = 1000;

// Targets of one call site and method stand beside each other.
std::string order_of(const Case& c) {
  auto& r = c.row;
  return fmt::format("{}\n{}\n{}", r.site ? trace::show(*r.site) : r.service,
                     r.operation.substr(0, r.operation.find(' ')), c.target_key());
}

}  // namespace

Result<Shard> parse_shard(std::string_view text) {
  auto slash = std::min(text.find('/'), text.size());
  auto number = to_int(text.substr(0, slash));
  auto of = slash < text.size() ? to_int(text.substr(slash + 1)) : std::nullopt;
  if (number && of && *number >= 1 && *number <= *of && *of <= kMost)
    return Shard{static_cast<int>(*number), static_cast<int>(*of)};
  return fail(fmt::format("expected which of how many, from 1/{0} to {0}/{0} such as 2/5, got \"{1}\"",
                          of && *of >= 1 && *of <= kMost ? *of : 5, text),
              "--shard", Blame::user);
}

std::string show(const Shard& shard) { return fmt::format("{}/{}", shard.number, shard.of); }

void keep(Plan& plan, const Shard& shard) {
  std::set<std::pair<bool, std::string>> ours;
  for (bool further : {false, true}) {
    std::map<std::string, std::size_t> cases;  // by target
    std::size_t all = 0, before = 0;
    for (auto& c : plan.cases)
      if (c.further == further) cases[order_of(c)]++, all++;
    for (auto& [target, n] : cases) {
      auto middle = before + n / 2;
      before += n;
      if (static_cast<int>(middle * static_cast<std::size_t>(shard.of) / all) + 1 == shard.number)
        ours.emplace(further, target);
    }
  }
  std::erase_if(plan.cases, [&](auto& c) { return !ours.contains({c.further, order_of(c)}); });
}

}  // namespace retrial::campaign
