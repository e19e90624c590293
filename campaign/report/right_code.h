#pragma once
#include <string_view>
#include <vector>

namespace retrial::campaign::report {

// A program of docs/right-code.md, as that was when this was built.
struct RightProgram {
  std::string_view language;  // "python", "node", "java", "go"
  std::string_view text;      // its first line names its file
};

// What does right what this verdict is told of: the programs of the section that the page's table names, and of those
// before it, which they use. Empty: the page has none.
std::vector<RightProgram> right_code(std::string_view verdict);

}  // namespace retrial::campaign::report
