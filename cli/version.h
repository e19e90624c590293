#pragma once
#include <string>
#include <string_view>

namespace retrial::cli {

// "1.2.3" of a commit with the tag v1.2.3, else that of the build's project.
std::string_view version();
// What `--version` prints: version, commit, and which libc it runs on, linked how.
std::string version_line(bool linked_statically);

}  // namespace retrial::cli
