#pragma once
#include <span>
#include <string>
#include <string_view>

#include "base/embedded.h"

namespace retrial::campaign::report {

// docs/verdicts.md and docs/faults.md as they were when this was built.
std::span<const EmbeddedFile> pages();
std::string_view page(std::string_view name);  // "faults.md"
// What that page says of a verdict or a note, as Markdown: its section, or its row among the notes. Empty: it has none.
std::string explanation(std::string_view verdict);

}  // namespace retrial::campaign::report
