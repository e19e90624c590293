#include "proxy/codec/head_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "proxy/codec/h1_facts.h"
#include "proxy/codec/scan.h"

namespace retrial::proxy {
namespace {

constexpr std::size_t kLongestMethod = 64;
constexpr std::string_view kLongMethod = "the method has more than 64 bytes";
constexpr std::string_view kNoMethod = "a request begins with a method, a token, and one space";

bool blank(char c) { return c == ' ' || c == '\t'; }

}  // namespace

void HeadParser::begin(bool request, std::size_t most_fields, std::string_view before,
                       std::span<const Field> fields_before) {
  facts_before_ = facts_;
  facts_ = {};
  request_ = request;
  most_fields_ = most_fields;
  before_ = before;
  fields_before_ = fields_before;
  line_ = scanned_ = 0;
  started_ = bare_lf_ = false;
}

HeadParser::Step HeadParser::take(std::string_view text, std::vector<Field>& fields) {
  for (;;) {
    // A line that was not whole before is looked at again only when its end is there.
    if (started_ && scanned_ == line_) {
      if (fields.empty() && same_fields(text, fields)) return Step::whole;
      while (fields.size() < most_fields_ && field(text, fields)) {
      }
      if (text.size() - line_ >= 2 && text[line_] == '\r' && text[line_ + 1] == '\n') {
        line_ += 2;
        return Step::whole;
      }
    }
    auto* lf = static_cast<const char*>(std::memchr(text.data() + scanned_, '\n', text.size() - scanned_));
    if (!lf) {
      scanned_ = text.size();
      auto begun = text.substr(line_);
      if (!request_ || started_ || begun.empty() || begun == "\r") return Step::more;
      auto method = token(begun);
      if (method > kLongestMethod) return wrong(kLongMethod, line_), Step::refused;
      if (method == begun.size()) return Step::more;
      if (method > 0 && begun[method] == ' ') return Step::more;
      return wrong(kNoMethod, line_ + method), Step::refused;
    }
    auto end = static_cast<std::size_t>(lf - text.data());
    auto begin = line_;
    auto content = end > begin && text[end - 1] == '\r' ? end - 1 : end;
    if (started_ && content != begin && !blank(text[begin])) {
      if (fields.size() >= most_fields_) return Step::too_many_fields;
      if (!field(text, fields)) return Step::refused;
      continue;
    }
    line_ = scanned_ = end + 1;
    if (content == end) (started_ ? facts_.bare_lf : bare_lf_) = true;
    if (!started_) {
      if (content == begin && request_) continue;  // empty lines before a request (RFC 9112 2.2)
      method_ = begin;
      if (!start_line(text.substr(begin, content - begin))) return Step::refused;
      started_ = true;
    } else if (content == begin) {
      return Step::whole;
    } else if (!fold(text.substr(begin, content - begin), content, fields)) {
      return Step::refused;
    }
  }
}

bool HeadParser::wrong(std::string_view why, std::size_t at, std::string_view name) {
  why_ = why;
  wrong_at_ = at;
  wrong_field_ = name;
  return false;
}

std::string HeadParser::why(std::string_view text) const {
  auto before = text.substr(0, std::min(wrong_at_, text.size()));
  auto line = std::ranges::count(before, '\n') + 1;
  auto column = before.size() - (before.rfind('\n') + 1) + 1;  // npos + 1 is 0
  auto field = wrong_field_.empty() ? "" : fmt::format(" of {}", wrong_field_.substr(0, kLongestMethod));
  return fmt::format("line {}, byte {} of its head: {}{}", line, column, why_, field);
}

bool HeadParser::start_line(std::string_view line) { return request_ ? request_line(line) : status_line(line); }

bool HeadParser::request_line(std::string_view line) {
  auto method = token(line);
  if (method > kLongestMethod) return wrong(kLongMethod, method_);
  if (method == 0 || method >= line.size() || line[method] != ' ') return wrong(kNoMethod, method_ + method);
  auto space = line.find(' ', method + 1);
  if (space == method + 1)
    return wrong("the request target is empty, or there are two spaces before it", method_ + space);
  if (space == line.npos) return wrong("no HTTP version follows the request target", method_ + line.size());
  auto version = line.substr(space + 1);
  if (version.size() != 8 || !version.starts_with("HTTP/1.") || version[7] < '0' || version[7] > '9')
    return wrong("\"HTTP/1.1\" or \"HTTP/1.0\" must follow the request target and one space, and end the line",
                 method_ + space + 1);
  minor_ = version[7] - '0';
  method_end_ = method_ + method;
  target_end_ = method_ + space;
  return true;
}

bool HeadParser::status_line(std::string_view line) {
  constexpr std::string_view kNoStatus = "a response begins with \"HTTP/1.1\", one space and a status of three digits";
  if (line.size() < 12 || !line.starts_with("HTTP/1.") || line[8] != ' ') return wrong(kNoStatus, method_);
  if (line[7] < '0' || line[7] > '9' || (line.size() > 12 && line[12] != ' ')) return wrong(kNoStatus, method_);
  status_ = 0;
  for (char c : line.substr(9, 3)) {
    if (c < '0' || c > '9') return wrong(kNoStatus, method_ + 9);
    status_ = status_ * 10 + (c - '0');
  }
  minor_ = line[7] - '0';
  if (status_ < 100) return wrong("the status is below 100", method_ + 9);
  return !controls(line.substr(12)) || wrong("the reason phrase holds a control byte", method_ + 12);
}

inline bool HeadParser::add(const char* text, std::string_view name, std::string_view value, FieldName known,
                            std::vector<Field>& fields) {
  auto at = [text](const char* p) { return static_cast<std::uint32_t>(p - text); };
  if (known != FieldName::other && known != FieldName::plain) {
    if (!note(known, value)) return false;
    if (known == FieldName::host && facts_.hosts++ == 0) facts_.host = static_cast<int>(fields.size());
  }
  if (known == FieldName::other) facts_.unknown = true;
  if (known == FieldName::content_type) {
    facts_.structured = structured(value);
    facts_.grpc = value.size() > 12 && value[12] == 'g' && value.starts_with("application/grpc");
  }
  fields.push_back({at(name.begin()), at(name.end()), at(value.begin()), at(value.end()), known});
  return true;
}

// The field at line_, and on to the next line. False, and nothing is done: it is not whole, no field, or none that can
// be read.
bool HeadParser::field(std::string_view text, std::vector<Field>& fields) {
  if (fields.size() < fields_before_.size() && same_field(text, fields)) return true;
  auto* line = text.data() + line_;
  auto* end = text.data() + text.size();
  if (line == end || *line == '\r' || *line == '\n' || blank(*line))
    return wrong("a line ends in a bare CR, or is blank where a header field should begin", line_);
  auto* colon = first_colon(line, end);
  if (colon == end || colon == line) return wrong("a header field is a name, a colon and a value", line_);
  std::string_view name(line, static_cast<std::size_t>(colon - line));
  auto known = field_name(name);
  if (known == FieldName::other && !is_token(name))
    return wrong("a header field's name holds a space or a byte that no name may", line_ + token(name));
  auto* value = colon + 1;
  while (value < end && blank(*value)) value++;
  auto* value_end = first_control(value, end);
  auto* next = value_end;
  if (next < end && *next == '\r') next++;
  if (next == end || *next != '\n')
    return wrong("there is a control byte in the value", static_cast<std::size_t>(value_end - text.data()), name);
  bool bare = next == value_end;
  while (value_end > value && blank(value_end[-1])) value_end--;
  if (!add(text.data(), name, {value, value_end}, known, fields))
    return wrong("1 to 18 digits are expected as the value", static_cast<std::size_t>(value - text.data()), name);
  facts_.bare_lf |= bare;
  line_ = scanned_ = static_cast<std::size_t>(next + 1 - text.data());
  return true;
}

// All that stood behind the start line of the head before.
inline bool HeadParser::same_fields(std::string_view text, std::vector<Field>& fields) {
  if (fields_before_.empty()) return false;
  auto begin = fields_before_.front().name;
  auto size = before_.size() - begin;
  if (text.size() - line_ < size || std::memcmp(text.data() + line_, before_.data() + begin, size) != 0) return false;
  fields.assign(fields_before_.begin(), fields_before_.end());
  if (auto shift = static_cast<std::uint32_t>(line_) - begin; shift != 0)
    for (auto& f : fields) {
      f.name += shift;
      f.name_end += shift;
      f.value += shift;
      f.value_end += shift;
    }
  facts_ = facts_before_;
  line_ += size;
  return true;
}
// The line that stood in the same place of the head before.
inline bool HeadParser::same_field(std::string_view text, std::vector<Field>& fields) {
  auto n = fields.size();
  auto& f = fields_before_[n];
  auto end = n + 1 < fields_before_.size() ? fields_before_[n + 1].name : before_.size() - 2;
  auto size = end - f.name;
  if (before_[end - 2] != '\r') return false;  // it is to be named
  if (text.size() - line_ < size || std::memcmp(text.data() + line_, before_.data() + f.name, size) != 0) return false;
  auto* line = text.data() + line_;
  std::string_view name(line, f.name_end - f.name), value(line + (f.value - f.name), f.value_end - f.value);
  if (!add(text.data(), name, value, f.known, fields)) return false;
  line_ += size;
  scanned_ = line_;
  return true;
}

bool HeadParser::note(FieldName known, std::string_view value) {
  switch (known) {
    case FieldName::content_length:
      facts_.lengths++;
      if (value.empty() || value.size() > 18) return false;
      facts_.length = 0;
      for (char c : value) {
        if (c < '0' || c > '9') return false;
        facts_.length = facts_.length * 10 + static_cast<unsigned>(c - '0');
      }
      return true;
    case FieldName::transfer_encoding: {
      facts_.codings++;
      facts_.only_chunked = folds_to(value, "chunked");
      auto last = value.rfind(',');
      facts_.chunked = iequals(trim(value.substr(last == value.npos ? 0 : last + 1)), "chunked");
      if (last != value.npos && lists(value.substr(0, last), "chunked"))
        facts_.codings++;  // twice is one too many (6.1)
      return true;
    }
    case FieldName::connection:
      if (folds_to(value, "keep-alive")) {
        facts_.keep_alive = true;
      } else if (folds_to(value, "close")) {
        facts_.close = true;
      } else {
        facts_.close |= lists(value, "close");
        facts_.keep_alive |= lists(value, "keep-alive");
        facts_.names_upgrade |= lists(value, "upgrade");
        facts_.hops = true;
      }
      return true;
    case FieldName::upgrade:
      facts_.upgrade = true;
      return true;
    case FieldName::content_encoding:
      facts_.encoded = true;
      return true;
    case FieldName::expect:
      facts_.expects = iequals(value, "100-continue");
      return true;
    default:
      return true;
  }
}

bool HeadParser::fold(std::string_view line, std::size_t end, std::vector<Field>& fields) {
  auto begin = line_ - 1;  // within the line, which line_ is behind
  if (fields.empty()) return wrong("white space stands before the first header field", begin);
  if (controls(line)) return wrong("there is a control byte in a value that goes on in a second line", begin);
  // What decides where the message ends has been read without this line.
  auto known = fields.back().known;
  if (known == FieldName::content_length || known == FieldName::transfer_encoding)
    return wrong("Content-Length or Transfer-Encoding goes on in a second line", begin);
  facts_.folded = true;
  while (!line.empty() && blank(line.back())) {
    line.remove_suffix(1);
    end--;
  }
  if (!line.empty()) fields.back().value_end = static_cast<std::uint32_t>(end);
  return true;
}

void HeadParser::bind(std::string_view raw, std::span<const Field> fields, bool answers_head, Head& head,
                      std::string& valid_host) const {
  head.raw = raw;
  head.fields = fields;
  head.minor = minor_;
  head.sized = facts_.lengths > 0;
  head.length = facts_.length;
  head.chunked = facts_.chunked;
  head.folded = facts_.folded;
  head.expects_continue = facts_.expects;
  head.upgrades = facts_.upgrade && facts_.names_upgrade && minor_ > 0;  // RFC 9110 7.8
  head.names_hops = facts_.hops;
  head.unknown = facts_.unknown;
  head.encoded = facts_.encoded;
  head.structured = facts_.structured;
  head.grpc = facts_.grpc;
  head.hosts = facts_.hosts;
  head.host = facts_.host >= 0 ? head.value(fields[static_cast<std::size_t>(facts_.host)]) : std::string_view();
  if (request_) {
    head.until_close = false;
    head.method = raw.substr(method_, method_end_ - method_);
    head.target = raw.substr(method_end_ + 1, target_end_ - method_end_ - 1);
    head.bodiless = !facts_.chunked && facts_.length == 0;
  } else {
    head.status = status_;
    bool none = answers_head || status_ < 200 || status_ == 204 || status_ == 304;  // RFC 9112 6.3
    head.until_close = !none && !facts_.chunked && facts_.lengths == 0;
    head.bodiless = none || (!facts_.chunked && !head.until_close && facts_.length == 0);
  }
  head.keep_alive = !head.until_close && !facts_.close && (minor_ > 0 || facts_.keep_alive);
  head.ambiguous = {};
  if (bare_lf_ || facts_.bare_lf)
    head.ambiguous = "a line ends in a bare LF";
  else if (facts_.codings > 1 || (facts_.codings && !facts_.chunked) || (request_ && !facts_.only_chunked))
    head.ambiguous = "Transfer-Encoding is not just chunked";
  else if (facts_.codings && facts_.lengths)
    head.ambiguous = "Content-Length and Transfer-Encoding";
  else if (facts_.codings && minor_ == 0)
    head.ambiguous = "Transfer-Encoding in HTTP/1.0";
  else if (facts_.lengths > 1)
    head.ambiguous = "more than one Content-Length";
  else if (request_ && facts_.folded)
    head.ambiguous = "a header field goes on in a second line";
  if (!request_) return;
  head.invalid = what_is_invalid(head, valid_host);
  if (!head.invalid.empty() && controls(head.target))  // a CR ends a line to some
    head.ambiguous = "the request target holds a control byte";
}

}  // namespace retrial::proxy
