#pragma once
#include <filesystem>
#include <string>

// What a test had done by the line on which it failed, in its own words.
namespace retrial::campaign {

// The lines from where a test or function is begun up to `line` (from 1), at most 40 and 4 KB of them, the last ones;
// empty where the file cannot be read, is larger than 1 MB, or has no such line. A secret in it is not shown.
std::string lines_up_to(const std::filesystem::path& file, int line);

}  // namespace retrial::campaign
