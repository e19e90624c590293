#pragma once
#include <string_view>

namespace retrial::campaign::report {

// The style sheet of report.html: light and dark by the reader's setting, and for paper.
std::string_view html_style();

}  // namespace retrial::campaign::report
