#include "proxy/server/repeats.h"

#include <fmt/format.h>

namespace retrial::proxy {
namespace {
constexpr Nanos kQuiet = 10 * kSecond;
constexpr std::size_t kMost = 100;  // different lines that are remembered
}  // namespace

std::string Repeats::tell(const std::string& line, Nanos now) {
  if (told_.size() >= kMost && !told_.contains(line)) {
    std::erase_if(told_, [&](auto& t) { return now - t.second.at >= kQuiet; });
    if (told_.size() >= kMost) return {};
  }
  auto [it, first] = told_.try_emplace(line, Told{now, 0});
  if (first) return line;
  auto& told = it->second;
  if (now - told.at < kQuiet) {
    told.left_out++;
    return {};
  }
  auto left_out = told.left_out;
  told = {now, 0};
  return left_out ? fmt::format("{} ({} times more before)", line, left_out) : line;
}

}  // namespace retrial::proxy
