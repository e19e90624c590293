#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "trace/toml/config_table.h"

namespace retrial::campaign {

Result<std::string> text_of(const std::filesystem::path& file);

// Path and text of the file that this key names, relative to the folder of the file `beside`; nothing where the key is
// not there, or it cannot be read: that is complained of.
std::optional<std::pair<std::string, std::string>> file_in(trace::ConfigTable& table, std::string_view key,
                                                           std::string_view beside);

}  // namespace retrial::campaign
