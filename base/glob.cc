#include "base/glob.h"

namespace retrial {

// One place to come back to for each kind of star: a later star makes the earlier one of its kind final, and "**" makes
// every "*" before it final. So the cost is at most pattern times text.
bool glob_matches(std::string_view pattern, std::string_view text) {
  constexpr auto kNone = std::string_view::npos;
  std::size_t p = 0, t = 0;
  std::size_t star = kNone, star_text = 0;  // pattern after the last "*", and where its run ends
  std::size_t wide = kNone, wide_text = 0;  // the same for "**"
  for (;;) {
    if (p < pattern.size() && pattern[p] == '*') {
      bool is_wide = p + 1 < pattern.size() && pattern[p + 1] == '*';
      while (p < pattern.size() && pattern[p] == '*') p++;
      if (is_wide) {
        wide = p, wide_text = t;
        star = kNone;
      } else {
        star = p, star_text = t;
      }
      continue;
    }
    if (t == text.size() && p == pattern.size()) return true;
    if (t < text.size() && p < pattern.size() && pattern[p] == text[t]) {
      p++, t++;
    } else if (star != kNone && star_text < text.size() && text[star_text] != '/') {
      p = star, t = ++star_text;
    } else if (wide != kNone && wide_text < text.size()) {
      star = kNone;
      p = wide, t = ++wide_text;
    } else {
      return false;
    }
  }
}

}  // namespace retrial
