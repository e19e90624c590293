#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace retrial {

// What git prints, run with these words in the current directory; where it fails, the first line of its complaint.
// `asked` is what the user said that needs it: "--changed-since".
Result<std::string> git(std::vector<std::string> words, const std::string& asked);

// The repository that a folder lies in: of it and those above it the nearest with a .git. Absolute paths.
std::optional<std::filesystem::path> repository_around(const std::filesystem::path& folder);

}  // namespace retrial
