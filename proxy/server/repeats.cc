#include "proxy/server/repeats.h"

#include <fmt/format.h>

namespace retrial::proxy {
namespace {
constexpr Nanos kQuiet = 10 * kSecond;
constexpr std::size_t kMost = 100;  // different lines that are remembered
}  // namespace

// Lines that differ by the number of their connection alone say the same.
std::string Repeats::tell(const std::string& whole, Nanos now) {
  constexpr std::string_view kNumbered = "connection ";
  auto colon = whole.starts_with(kNumbered) ? whole.find(": ") : whole.npos;
  auto line = colon == whole.npos ? whole : whole.substr(colon + 2);
  if (told_.size() >= kMost && !told_.contains(line)) {
    std::erase_if(told_, [&](auto& t) { return now - t.second.at >= kQuiet; });
    if (told_.size() >= kMost) return {};
  }
  auto [it, first] = told_.try_emplace(line, Told{now, 0});
  if (first) return whole;
  auto& told = it->second;
  if (now - told.at < kQuiet) {
    told.left_out++;
    return {};
  }
  auto left_out = told.left_out;
  told = {now, 0};
  return left_out ? fmt::format("{} (and {} times before)", whole, left_out) : whole;
}

}  // namespace retrial::proxy
