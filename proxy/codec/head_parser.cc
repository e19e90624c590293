#include "proxy/codec/head_parser.h"

#include <cstring>

#include "base/text.h"
#include "proxy/codec/h1_facts.h"
#include "proxy/codec/scan.h"

namespace retrial::proxy {
namespace {

constexpr std::size_t kLongestMethod = 64;

bool blank(char c) { return c == ' ' || c == '\t'; }

}  // namespace

void HeadParser::begin(bool request, std::size_t most_fields) {
  *this = {};
  request_ = request;
  most_fields_ = most_fields;
}

HeadParser::Step HeadParser::take(std::string_view text, std::vector<H1Field>& fields) {
  for (;;) {
    // A line that was not whole before is looked at again only when its end is there.
    if (started_ && scanned_ == line_) {
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
      if (method > kLongestMethod) return Step::refused;
      if (method == begun.size()) return Step::more;
      return method > 0 && begun[method] == ' ' ? Step::more : Step::refused;
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
    if (content == end) bare_lf_ = true;
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

bool HeadParser::start_line(std::string_view line) { return request_ ? request_line(line) : status_line(line); }

bool HeadParser::request_line(std::string_view line) {
  auto method = token(line);
  if (method == 0 || method > kLongestMethod || method >= line.size() || line[method] != ' ') return false;
  auto space = line.find(' ', method + 1);
  if (space == line.npos || space == method + 1) return false;
  auto version = line.substr(space + 1);
  if (version.size() != 8 || !version.starts_with("HTTP/1.") || version[7] < '0' || version[7] > '9') return false;
  minor_ = version[7] - '0';
  method_end_ = method_ + method;
  target_end_ = method_ + space;
  return true;
}

bool HeadParser::status_line(std::string_view line) {
  if (line.size() < 12 || !line.starts_with("HTTP/1.") || line[8] != ' ') return false;
  if (line[7] < '0' || line[7] > '9' || (line.size() > 12 && line[12] != ' ')) return false;
  status_ = 0;
  for (char c : line.substr(9, 3)) {
    if (c < '0' || c > '9') return false;
    status_ = status_ * 10 + (c - '0');
  }
  minor_ = line[7] - '0';
  return status_ >= 100 && !controls(line.substr(12));
}

inline bool HeadParser::add(const char* text, std::string_view name, std::string_view value, FieldName known,
                            std::vector<H1Field>& fields) {
  auto at = [text](const char* p) { return static_cast<std::uint32_t>(p - text); };
  if (known != FieldName::other && known != FieldName::plain) {
    if (!note(known, value)) return false;
    if (known == FieldName::host && hosts_++ == 0) host_ = static_cast<int>(fields.size());
  }
  if (known == FieldName::other) unknown_ = true;
  if (known == FieldName::content_type) {
    structured_ = structured(value);
    grpc_ = value.size() > 12 && value[12] == 'g' && value.starts_with("application/grpc");
  }
  fields.push_back({at(name.begin()), at(name.end()), at(value.begin()), at(value.end()), known});
  return true;
}

// The field at line_, and on to the next line. False, and nothing is done: it is not whole, no field, or none that can
// be read.
bool HeadParser::field(std::string_view text, std::vector<H1Field>& fields) {
  auto* line = text.data() + line_;
  auto* end = text.data() + text.size();
  if (line == end || *line == '\r' || *line == '\n' || blank(*line)) return false;
  auto* colon = first_colon(line, end);
  if (colon == end || colon == line) return false;
  std::string_view name(line, static_cast<std::size_t>(colon - line));
  auto known = field_name(name);
  if (known == FieldName::other && !is_token(name)) return false;
  auto* value = colon + 1;
  while (value < end && blank(*value)) value++;
  auto* value_end = first_control(value, end);
  auto* next = value_end;
  if (next < end && *next == '\r') next++;
  if (next == end || *next != '\n') return false;
  bool bare = next == value_end;
  while (value_end > value && blank(value_end[-1])) value_end--;
  if (!add(text.data(), name, {value, value_end}, known, fields)) return false;
  bare_lf_ |= bare;
  line_ = scanned_ = static_cast<std::size_t>(next + 1 - text.data());
  return true;
}

bool HeadParser::note(FieldName known, std::string_view value) {
  switch (known) {
    case FieldName::content_length:
      lengths_++;
      if (value.empty() || value.size() > 18) return false;
      length_ = 0;
      for (char c : value) {
        if (c < '0' || c > '9') return false;
        length_ = length_ * 10 + static_cast<unsigned>(c - '0');
      }
      return true;
    case FieldName::transfer_encoding: {
      codings_++;
      only_chunked_ = folds_to(value, "chunked");
      auto last = value.rfind(',');
      chunked_ = iequals(trim(value.substr(last == value.npos ? 0 : last + 1)), "chunked");
      if (last != value.npos && lists(value.substr(0, last), "chunked")) codings_++;  // twice is one too many (6.1)
      return true;
    }
    case FieldName::connection:
      if (folds_to(value, "keep-alive")) {
        keep_alive_ = true;
      } else if (folds_to(value, "close")) {
        close_ = true;
      } else {
        close_ |= lists(value, "close");
        keep_alive_ |= lists(value, "keep-alive");
        names_upgrade_ |= lists(value, "upgrade");
        hops_ = true;
      }
      return true;
    case FieldName::upgrade:
      upgrade_ = true;
      return true;
    case FieldName::content_encoding:
      encoded_ = true;
      return true;
    case FieldName::expect:
      expects_ = iequals(value, "100-continue");
      return true;
    default:
      return true;
  }
}

bool HeadParser::fold(std::string_view line, std::size_t end, std::vector<H1Field>& fields) {
  if (fields.empty() || controls(line)) return false;
  // What decides where the message ends has been read without this line.
  auto known = fields.back().known;
  if (known == FieldName::content_length || known == FieldName::transfer_encoding) return false;
  folded_ = true;
  while (!line.empty() && blank(line.back())) {
    line.remove_suffix(1);
    end--;
  }
  if (!line.empty()) fields.back().value_end = static_cast<std::uint32_t>(end);
  return true;
}

void HeadParser::bind(std::string_view raw, std::span<const H1Field> fields, bool answers_head, H1Head& head,
                      std::string& valid_host) const {
  head.raw = raw;
  head.fields = fields;
  head.minor = minor_;
  head.sized = lengths_ > 0;
  head.length = length_;
  head.chunked = chunked_;
  head.folded = folded_;
  head.expects_continue = expects_;
  head.upgrades = upgrade_ && names_upgrade_ && minor_ > 0;  // RFC 9110 7.8
  head.names_hops = hops_;
  head.unknown = unknown_;
  head.encoded = encoded_;
  head.structured = structured_;
  head.grpc = grpc_;
  head.hosts = hosts_;
  head.host = host_ >= 0 ? head.value(fields[static_cast<std::size_t>(host_)]) : std::string_view();
  if (request_) {
    head.until_close = false;
    head.method = raw.substr(method_, method_end_ - method_);
    head.target = raw.substr(method_end_ + 1, target_end_ - method_end_ - 1);
    head.bodiless = !chunked_ && length_ == 0;
  } else {
    head.status = status_;
    bool none = answers_head || status_ < 200 || status_ == 204 || status_ == 304;  // RFC 9112 6.3
    head.until_close = !none && !chunked_ && lengths_ == 0;
    head.bodiless = none || (!chunked_ && !head.until_close && length_ == 0);
  }
  head.keep_alive = !head.until_close && !close_ && (minor_ > 0 || keep_alive_);
  head.ambiguous = {};
  if (bare_lf_)
    head.ambiguous = "a line ends in a bare LF";
  else if (codings_ > 1 || (codings_ && !chunked_) || (request_ && !only_chunked_))
    head.ambiguous = "Transfer-Encoding is not just chunked";
  else if (codings_ && lengths_)
    head.ambiguous = "Content-Length and Transfer-Encoding";
  else if (codings_ && minor_ == 0)
    head.ambiguous = "Transfer-Encoding in HTTP/1.0";
  else if (lengths_ > 1)
    head.ambiguous = "more than one Content-Length";
  else if (request_ && folded_)
    head.ambiguous = "a header field goes on in a second line";
  if (!request_) return;
  head.invalid = what_is_invalid(head, valid_host);
  if (!head.invalid.empty() && controls(head.target))  // a CR ends a line to some
    head.ambiguous = "the request target holds a control byte";
}

}  // namespace retrial::proxy
