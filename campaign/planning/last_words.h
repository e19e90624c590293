#pragma once
#include <filesystem>
#include <string>

#include "trace/run.h"

namespace retrial::campaign {

// Of a run without any fault that ended with a status other than 0: "`pytest` ends with status 1 by itself, without any
// fault", its last words, each on a line of its own, and where all of them are. Nobody is blamed: the reader knows
// best. Empty: it ended well, or we ended it.
std::string last_words(const std::string& command, const trace::Run& run, const std::filesystem::path& log);

}  // namespace retrial::campaign
