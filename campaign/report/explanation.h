#pragma once
#include <string>
#include <string_view>

namespace retrial::campaign::report {

// docs/verdicts.md as it was when this was built (explanation.cmake).
std::string_view verdicts_page();
// What that page says of a verdict or a note, as Markdown: its section, or its row among the notes. Empty: it has none.
std::string explanation(std::string_view verdict);

}  // namespace retrial::campaign::report
