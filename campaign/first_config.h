#pragma once
#include <filesystem>
#include <string>

#include "campaign/report/sight.h"

namespace retrial::campaign {

// The text of a first retrial.toml, of what one run has shown of `command` (as a shell reads it) in this folder: a
// table for each service at a steady address, and beside it, as comments, what else may be said, each with what it
// means. A line "# key = value" is one with its # taken away; what is no default then stands for the user's own.
std::string first_config(const report::Sight& sight, const std::string& command, const std::filesystem::path& project);

}  // namespace retrial::campaign
