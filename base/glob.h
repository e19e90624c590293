#pragma once
#include <string_view>

namespace retrial {

// Does the whole text match? `*` stands for any characters but '/', `**` for any; all else for itself.
bool glob_matches(std::string_view pattern, std::string_view text);

}  // namespace retrial
