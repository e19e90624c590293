#pragma once
#include <filesystem>

namespace retrial::campaign {

// A run's output is kept: of what is longer than a mebibyte the first quarter of that and the last three, with a line
// between that says how much was left out.
void shorten_log(const std::filesystem::path& log);

}  // namespace retrial::campaign
