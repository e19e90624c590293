#pragma once
#include <string>
#include <vector>

#include "base/result.h"

namespace retrial {

// What git prints, run with these words in the current directory; where it fails, the first line of its complaint.
// `asked` is what the user said that needs it: "--changed-since".
Result<std::string> git(std::vector<std::string> words, const std::string& asked);

}  // namespace retrial
