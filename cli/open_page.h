#pragma once
#include <filesystem>

#include "base/result.h"

namespace retrial::cli {

// Shows a page in a browser: $BROWSER, else xdg-open. Waits for that command, as most of them
// only tell a browser that is there. An error names the page, for who opens it by hand.
Result<void> open_page(const std::filesystem::path& page);

}  // namespace retrial::cli
