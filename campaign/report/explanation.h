#pragma once
#include <span>
#include <string>
#include <string_view>

#include "base/embedded.h"

namespace retrial::campaign::report {

// docs/verdicts.md, docs/faults.md and docs/right-code.md as they were when this was built.
std::span<const EmbeddedFile> pages();
std::string_view page(std::string_view name);  // "faults.md"
// Of a verdict or a note, as Markdown: what it means and what is usually done about it, then what docs/verdicts.md says
// of it, its section or its row among the notes. Empty: there is none of that name.
std::string explanation(std::string_view verdict);

}  // namespace retrial::campaign::report
