#include "trace/call_site.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>

#include "base/text.h"

namespace retrial::trace {
namespace {

constexpr std::string_view kCalledBy = " <- ";

// Function names hold colons ("Class::method", "<lambda>"), files seldom: the first ":digits" before `end` divides.
std::optional<Frame> frame_of(std::string_view text, char end) {
  for (auto at = text.find(':'); at != text.npos; at = text.find(':', at + 1)) {
    auto stop = text.find(end, at + 1);
    if (stop == text.npos) return {};
    auto line = to_int(text.substr(at + 1, stop - at - 1));
    if (line && *line >= 0 && *line <= INT_MAX)
      return Frame{std::string(text.substr(0, at)), static_cast<int>(*line), std::string(text.substr(stop + 1))};
  }
  return {};
}

// f(frame) for each caller that can be read.
template <class F>
void each_caller(std::string_view callers, F f) {
  for (std::size_t n = 1; n < kMostFrames && !callers.empty();) {
    auto end = std::min(callers.find(','), callers.size());
    if (end > 0) n++;  // an empty one only parts them
    if (auto frame = frame_of(percent_decode(callers.substr(0, end)), ':')) f(std::move(*frame));
    callers.remove_prefix(std::min(end + 1, callers.size()));
  }
}

std::string callers_key(const CallSite& site) {
  std::string out;
  each_caller(site.callers, [&](const Frame& f) { out.append(kCalledBy) += f.file + " " + f.function; });
  return out;
}

}  // namespace

bool CallSite::operator==(const CallSite& other) const {
  return line == other.line && file == other.file && function == other.function &&
         (callers == other.callers || callers_key(*this) == callers_key(other));
}

std::vector<Frame> frames_of(const CallSite& site) {
  std::vector<Frame> out = {{site.file, site.line, site.function}};
  each_caller(site.callers, [&](Frame&& frame) { out.push_back(std::move(frame)); });
  return out;
}

std::string show(const Frame& f) { return fmt::format("{}:{} {}", f.file, f.line, f.function); }
std::string show(const CallSite& site) {
  auto out = show_innermost(site);
  each_caller(site.callers, [&](const Frame& frame) { out.append(kCalledBy) += show(frame); });
  return out;
}
std::string show_innermost(const CallSite& s) { return fmt::format("{}:{} {}", s.file, s.line, s.function); }
std::string key_of(const CallSite& site) { return show_innermost(site) + callers_key(site); }

std::string encoded(const Frame& frame) {
  std::string to;
  for (char c : fmt::format("{}:{}:{}", frame.file, frame.line, frame.function)) {
    if (c > ' ' && c < 0x7f && c != '%' && c != ',')
      to += c;
    else
      to += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return to;
}
std::optional<CallSite> parse_call_site(std::string_view header) {
  auto frame = frame_of(percent_decode(header), ':');
  if (!frame) return {};
  return CallSite{std::move(frame->file), frame->line, std::move(frame->function)};
}

std::optional<CallSite> read_call_site(std::string_view shown) {
  std::optional<CallSite> site;
  for (bool more = true; more;) {
    auto end = shown.find(kCalledBy);
    auto part = trim(shown.substr(0, end));
    auto frame = frame_of(part, ' ');
    if (!frame && part.find(' ') == part.npos) frame = frame_of(std::string(part) + " ", ' ');  // no function said
    if (!frame || frame->file.empty() || frame->line == 0) return {};
    frame->function = trim(frame->function);
    if (!site)
      site = CallSite{std::move(frame->file), frame->line, std::move(frame->function)};
    else
      site->callers += (site->callers.empty() ? "" : ",") + encoded(*frame);
    more = end != shown.npos;
    if (more) shown.remove_prefix(end + kCalledBy.size());
  }
  return site;
}

}  // namespace retrial::trace
