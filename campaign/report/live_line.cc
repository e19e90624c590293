#include <fmt/format.h>

#include "base/escape.h"
#include "campaign/report/page.h"
#include "campaign/report/words.h"

namespace retrial::campaign::report {

std::string live_text(const Progress& p, int width) {
  // What matters most stands first: a narrow terminal cuts off the end.
  std::string text = p.phase;
  if (p.total) text += fmt::format(" {}/{}", p.number, p.total);
  if (p.total || p.findings) text += ", " + counted(p.findings, "finding");
  if (p.left > 0) text += ", " + about(p.left) + " left";
  if (!p.what.empty()) text += ": " + p.what;
  return cut(one_line(text), static_cast<std::size_t>(width > 1 ? width - 1 : 1));
}

void LiveLine::update(const Progress& progress) {
  if (!style_.terminal) return;
  line_ = live_text(progress, style_.width);
  draw();
}

void LiveLine::show(const Progress& progress) {
  if (style_.terminal) return update(progress);
  auto tenth = progress.total ? 10 * progress.number / progress.total : 0;
  auto step = fmt::format("{}\n{}\n{}", progress.phase, tenth, progress.total ? "" : progress.what);
  if (step == line_) return;
  line_ = step;
  std::fprintf(out_, "%s\n", live_text(progress, 4096).c_str());
  std::fflush(out_);
}

void LiveLine::say(std::string_view line) {
  auto again = drawn_;
  clear();
  std::fprintf(out_, "%s\n", one_line(line).c_str());
  if (again) draw();
  std::fflush(out_);
}

void LiveLine::draw() {
  std::fprintf(out_, "\r\x1b[K%s", line_.c_str());
  std::fflush(out_);
  drawn_ = true;
}

void LiveLine::clear() {
  if (!drawn_) return;
  std::fputs("\r\x1b[K", out_);
  std::fflush(out_);
  drawn_ = false;
}

}  // namespace retrial::campaign::report
