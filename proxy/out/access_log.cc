#include "proxy/out/access_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace retrial::proxy {
namespace {
using trace::Exchange;

std::string utc(Nanos wall) {
  auto seconds = static_cast<std::time_t>(wall / kSecond);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  auto size = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  return fmt::format("{}.{:03}Z", std::string_view(text, size), wall % kSecond / kMillisecond);
}
std::string ms(Nanos from, Nanos to) {
  return from && to > from ? fmt::format("{:.3f}", static_cast<double>(to - from) / kMillisecond) : "";
}
std::string number(std::uint64_t n) { return n ? fmt::format("{}", n) : ""; }
std::string fault(const Exchange& e) { return trace::is_pass(e.fault) ? "" : trace::show(e.fault); }

constexpr AccessField kFields[] = {
    {"time", false, [](const Exchange& e, const WallTime& wall) { return utc(wall.of(e.begun)); }},
    {"id", true, [](const Exchange& e, const WallTime&) { return number(e.id); }},
    {"connection", true, [](const Exchange& e, const WallTime&) { return number(e.connection); }},
    {"service", false, [](const Exchange& e, const WallTime&) { return e.service; }},
    {"host", false, [](const Exchange& e, const WallTime&) { return e.host; }},
    {"method", false, [](const Exchange& e, const WallTime&) { return e.method; }},
    {"target", false, [](const Exchange& e, const WallTime&) { return e.target; }},
    {"operation", false, [](const Exchange& e, const WallTime&) { return e.operation; }},
    {"status", false,
     [](const Exchange& e, const WallTime&) { return e.client_status ? trace::status_of(e, e.client_status) : ""; }},
    {"own_status", false,
     [](const Exchange& e, const WallTime&) { return e.service_status ? trace::status_of(e, e.service_status) : ""; }},
    {"ending", false, [](const Exchange& e, const WallTime&) { return std::string(trace::show(e.ending)); }},
    {"ms", true, [](const Exchange& e, const WallTime&) { return ms(e.begun, e.told); }},
    {"own_ms", true,
     [](const Exchange& e, const WallTime&) { return ms(e.request_read ? e.request_read : e.begun, e.answered); }},
    {"request_bytes", true, [](const Exchange& e, const WallTime&) { return fmt::format("{}", e.request_bytes); }},
    {"response_bytes", true, [](const Exchange& e, const WallTime&) { return fmt::format("{}", e.response_bytes); }},
    {"call", true, [](const Exchange& e, const WallTime&) { return number(e.call); }},
    {"attempt", true, [](const Exchange& e, const WallTime&) { return number(static_cast<std::uint64_t>(e.attempt)); }},
    {"fault", false, [](const Exchange& e, const WallTime&) { return fault(e); }},
    {"fault_id", false, [](const Exchange& e, const WallTime&) { return e.fault_id; }},
    {"fired", false,
     [](const Exchange& e, const WallTime&) {
       return trace::is_pass(e.fault) ? "" : std::string(e.fired ? "yes" : "no");
     }},
    {"evidence", false, [](const Exchange& e, const WallTime&) { return e.evidence; }},
    {"call_site", false, [](const Exchange& e, const WallTime&) { return e.tag.site ? trace::show(*e.tag.site) : ""; }},
    {"test", false, [](const Exchange& e, const WallTime&) { return e.tag.test; }},
};

// Most texts have nothing to escape, and are many a second.
std::string json_text(std::string_view text) {
  auto as_it_is = [](unsigned char c) { return c >= ' ' && c < 0x7f && c != '"' && c != '\\'; };
  if (std::ranges::all_of(text, as_it_is)) return std::string("\"").append(text).append("\"");
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}
// In a line of text nothing that a client sends may begin another, or hide.
std::string plain(std::string text) {
  if (text.empty()) return "-";
  for (auto& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return text;
}

}  // namespace

std::span<const AccessField> access_fields() { return kFields; }

Result<AccessFormat> AccessFormat::parse(std::string_view text) {
  AccessFormat format;
  if (text == "json") return format;
  Part part;
  for (std::size_t at = 0; at < text.size();) {
    auto open = text.find('{', at);
    part.text += text.substr(at, open - at);
    if (open == text.npos) break;
    auto close = text.find('}', open);
    auto name = text.substr(open + 1, close == text.npos ? text.npos : close - open - 1);
    auto field = std::ranges::find(kFields, name, &AccessField::name);
    if (close == text.npos || field == std::end(kFields)) {
      std::vector<std::string_view> known;
      for (auto& f : kFields) known.push_back(f.name);
      auto near = nearest(name, known);
      return fail(fmt::format("expected \"json\", or a text with names of fields in braces, found {{{}}}{}",
                              name.substr(0, 40), near ? fmt::format(", did you mean {{{}}}?", *near) : ""),
                  "access_format", Blame::user);
    }
    part.field = static_cast<std::size_t>(field - std::begin(kFields));
    format.parts_.push_back(std::move(part));
    part = {};
    at = close + 1;
  }
  if (!part.text.empty() || format.parts_.empty()) format.parts_.push_back(std::move(part));
  return format;
}

std::string AccessFormat::line(const Exchange& e, const WallTime& wall) const {
  std::string out;
  if (parts_.empty()) {
    out = "{";
    for (auto& field : kFields) {
      auto value = field.value(e, wall);
      if (value.empty()) continue;
      out.append(out.size() > 1 ? ",\"" : "\"").append(field.name).append("\":");
      out += field.number ? value : json_text(value);
    }
    return out += "}";
  }
  for (auto& part : parts_) {
    out += part.text;
    if (part.field != SIZE_MAX) out += plain(kFields[part.field].value(e, wall));
  }
  return out;
}

LineFile::~LineFile() {
  if (fd_ > STDERR_FILENO) ::close(fd_);
}

Result<void> LineFile::open() {
  if (path_ == "-") {
    fd_ = STDOUT_FILENO;
    return {};
  }
  int fd = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
  if (fd < 0) return fail_errno("cannot be written", errno, path_, Blame::user);
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
  return {};
}

// The last bytes that were written, if nothing stands behind them.
bool LineFile::take_back(std::size_t bytes) {
  struct stat is{};
  auto end = ::lseek(fd_, 0, SEEK_CUR);
  if (fstat(fd_, &is) != 0 || !S_ISREG(is.st_mode) || end != is.st_size) return false;
  return ::ftruncate(fd_, end - static_cast<off_t>(bytes)) == 0;
}

Result<void> LineFile::write(std::string_view lines) {
  std::string closed;
  if (torn_) lines = closed.append("\n").append(lines);
  auto all = lines;
  while (!lines.empty()) {
    auto put = ::write(fd_, lines.data(), lines.size());
    if (put < 0 && errno == EINTR) continue;
    if (put > 0) {
      torn_ = false;
      lines.remove_prefix(static_cast<std::size_t>(put));
      continue;
    }
    auto why = put < 0 ? errno : ENOSPC;
    auto written = all.substr(0, all.size() - lines.size());
    auto begun = written.size() - (written.rfind('\n') + 1);  // of a line
    lost_ += static_cast<std::uint64_t>(std::ranges::count(lines, '\n'));
    if (torn_ && written.empty()) lost_--;  // the end that the torn one was to get
    if (begun) torn_ = !take_back(begun);
    return fail_errno("cannot be written", why, path_);
  }
  return {};
}

}  // namespace retrial::proxy
