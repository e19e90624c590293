#include "trace/toml/toml.h"

#include <fmt/format.h>

#include <algorithm>

namespace retrial::trace {

std::optional<toml::table> parse_toml(std::string_view text, std::string_view file_name, Errors& errors) {
  auto parsed = toml::parse(text, std::string(file_name));
  if (parsed) return std::move(parsed).table();
  auto at = parsed.error().source().begin;
  std::string why(parsed.error().description());
  std::replace(why.begin(), why.end(), '\n', ' ');
  errors.emplace_back(static_cast<int>(at.line), Error{fmt::format("column {}: {}", at.column, why),
                                                       fmt::format("{}:{}", file_name, at.line), Blame::user});
  return {};
}

}  // namespace retrial::trace
