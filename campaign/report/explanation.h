#pragma once
#include <span>
#include <string>
#include <string_view>

#include "base/embedded.h"

namespace retrial::campaign::report {

// docs/verdicts.md as it was when this was built.
std::span<const EmbeddedFile> pages();
// What that page says of a verdict or a note, as Markdown: its section, or its row among the notes. Empty: it has none.
std::string explanation(std::string_view verdict);

}  // namespace retrial::campaign::report
