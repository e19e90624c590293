#pragma once
#include <string>

namespace retrial::cli {

// Does a `serve` (or `webhook`) of this very program listen in this container? Read from /proc: a connection would be
// counted. One that drains listens no more. `line` says what was found.
bool serving_here(std::string& line);

}  // namespace retrial::cli
