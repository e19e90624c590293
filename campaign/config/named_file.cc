#include "campaign/config/named_file.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

namespace retrial::campaign {

Result<std::string> text_of(const std::filesystem::path& file) {
  if (std::error_code error; std::filesystem::is_directory(file, error))
    return fail("expected a file, found a folder", file.string(), Blame::user);
  std::ifstream in(file, std::ios::binary);
  if (!in) return fail_errno("cannot be read", errno, file.string(), Blame::user);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

std::optional<std::pair<std::string, std::string>> file_in(trace::ConfigTable& table, std::string_view key,
                                                           std::string_view beside) {
  auto said = table.text(key);
  if (!said) return {};
  auto file = std::filesystem::path(beside).parent_path() / *said;
  auto text = text_of(file);
  if (text) return {{file.string(), std::move(*text)}};
  table.refuse(key, fmt::format("expected the path of a file, relative to this one ({})", text.error().what));
  return {};
}

}  // namespace retrial::campaign
