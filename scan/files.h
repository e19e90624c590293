#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"

// Which files are a project's own source.
namespace retrial::scan {

inline constexpr std::size_t kLargest = 1 << 20;  // bytes; what is larger was seldom written by hand

// What a campaign looks through of a project by itself: 1.1 MB took 0.4 s of one core to be read as code.
inline constexpr std::size_t kProjectFiles = 50'000;
inline constexpr std::uintmax_t kProjectBytes = 8u << 20;

struct Chosen {
  std::vector<std::string> files;               // relative to the current directory where they are below it, sorted
  std::vector<std::string> settings;            // the same, of files that are no code and may hold retries
  std::map<std::string, std::size_t> left_out;  // why, and how many
};

// Files that are named are taken whatever they are called; of a folder all that git does not ignore, and where git
// knows nothing of it all that is below it, but for vendored and generated code and tests. Links are not followed. An
// error is the user's: nothing there, or more than `most` files to look through.
Result<Chosen> choose_files(const std::vector<std::string>& paths, bool tests, std::size_t most = SIZE_MAX);

// Why this text is not read, or nothing: "minified", "generated", "not UTF-8".
std::string why_not(std::string_view text);

}  // namespace retrial::scan
