// Names within a text that is put together: `f"https://{host}/x"`, `format!("{host}/x")`.
#include "scan/words.h"

namespace retrial::scan {

bool appears_in(std::string_view text, std::string_view identifier) {
  if (mentions(text, identifier)) return true;
  for (auto at = text.find('{'); at != text.npos; at = text.find('{', at + 1)) {
    auto end = text.find_first_of("{}", at + 1);
    if (end == text.npos) return false;
    if (text[end] == '}' && mentions(text.substr(at + 1, end - at - 1), identifier)) return true;
  }
  return false;
}

}  // namespace retrial::scan
