#pragma once
#include <string>

namespace retrial::cli {

// What `--version` prints: version, commit, and which libc it runs on, linked how.
std::string version_line(bool linked_statically);

}  // namespace retrial::cli
