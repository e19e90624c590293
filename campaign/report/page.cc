#include "campaign/report/page.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "base/escape.h"
#include "base/text.h"

namespace retrial::campaign::report {

Style style_of(std::FILE* stream) {
  Style style;
  int fd = fileno(stream);
  style.terminal = fd >= 0 && isatty(fd) == 1;
  const char* no_colour = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const char* forced = std::getenv("CLICOLOR_FORCE");
  bool wanted = (style.terminal && !(term && std::string_view(term) == "dumb")) ||
                (forced && *forced && std::string_view(forced) != "0");
  style.colour = wanted && (!no_colour || !*no_colour);
  winsize size{};
  if (style.terminal && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    style.width = std::clamp<int>(size.ws_col, 40, 120);
  if (!style.terminal) style.width = 100;
  return style;
}

std::string paint(std::string_view text, Ink ink, const Style& style) {
  static constexpr std::string_view kCodes[] = {"", "1", "2", "1;31", "33", "32", "36"};
  if (!style.colour || ink == Ink::plain || text.empty()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", kCodes[static_cast<int>(ink)], text);
}

void Page::wrapped(std::string_view head, std::string_view text, Ink head_ink, Ink ink) {
  auto indent = columns(head);
  auto room =
      std::max<std::size_t>(static_cast<std::size_t>(style_.width) - std::min<std::size_t>(indent, style_.width), 20);
  std::vector<std::string> lines = {""};
  auto safe = one_line(text);
  for (auto word : split(safe, ' ')) {
    if (word.empty()) continue;
    auto& line = lines.back();
    if (line.empty())
      line = word;
    else if (columns(line) + 1 + columns(word) <= room)
      line += " " + std::string(word);
    else
      lines.emplace_back(word);
  }
  for (std::size_t i = 0; i < lines.size(); i++)
    text_ += (i ? std::string(indent, ' ') : paint(head, head_ink, style_)) + paint(lines[i], ink, style_) + '\n';
}

void Page::spread(std::string_view left, std::string_view right, Ink left_ink, Ink right_ink, std::size_t indent) {
  auto safe_left = one_line(left), safe_right = one_line(right);
  auto width = static_cast<std::size_t>(style_.width);
  auto used = columns(safe_left) + columns(safe_right);
  text_ += paint(safe_left, left_ink, style_);
  if (used + 2 <= width)
    text_ += std::string(std::min<std::size_t>(width - used, 2), ' ');
  else
    text_ += '\n' + std::string(indent, ' ');
  text_ += paint(safe_right, right_ink, style_) + '\n';
}

std::string about(Nanos time) {
  if (time < kSecond) return "~1 s";
  if (time < 60 * kSecond)
    return fmt::format("~{} s", time < 10 * kSecond ? time / kSecond : (time / kSecond + 4) / 5 * 5);
  auto minutes = (time + 30 * kSecond) / (60 * kSecond);
  return minutes < 90 ? fmt::format("~{} min", minutes)
                      : fmt::format("~{:.1f} h", static_cast<double>(time) / (3600.0 * kSecond));
}

}  // namespace retrial::campaign::report
