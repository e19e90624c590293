#pragma once
#include <string>
#include <string_view>

#include "campaign/report/terminal.h"

namespace retrial::campaign::report {

enum class Ink { plain, bold, faint, red, yellow, green, cyan };
std::string paint(std::string_view text, Ink ink, const Style& style);

// Text for a terminal, built line by line: wrapped at its width, coloured only where it may be. What is handed in is
// made safe for a terminal (one_line).
class Page {
 public:
  explicit Page(const Style& style) : style_(style) {}

  void blank() { text_ += '\n'; }
  // The words of `text`, wrapped; the first line begins with `head` (in its ink), the others with as many spaces.
  void wrapped(std::string_view head, std::string_view text, Ink head_ink = Ink::plain, Ink ink = Ink::plain);
  // `left` and, at the right margin where both fit on one line, `right`; else `right` below, indented by `indent`.
  void spread(std::string_view left, std::string_view right, Ink left_ink, Ink right_ink, std::size_t indent);
  const std::string& text() const { return text_; }

 private:
  const Style& style_;
  std::string text_;
};

// "~40 s", "~4 min": an expected time, no more exact than it is.
std::string about(Nanos time);

}  // namespace retrial::campaign::report
