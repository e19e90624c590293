#include "proxy/codec/head_parser.h"

#include <array>
#include <bit>
#include <cstring>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/text.h"
#include "proxy/codec/h1_facts.h"

namespace retrial::proxy {
namespace {

constexpr auto kToken = [] {  // RFC 9110 5.6.2
  std::array<bool, 256> ok{};
  for (char c : std::string_view("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"))
    ok[static_cast<unsigned char>(c)] = true;
  return ok;
}();
constexpr std::size_t kLongestMethod = 64;

std::size_t token(std::string_view text) {
  std::size_t n = 0;
  while (n < text.size() && kToken[static_cast<unsigned char>(text[n])]) n++;
  return n;
}

// Is there a control byte other than HTAB? Eight bytes at a time tell whether a closer look is needed. `end`: of the
// bytes that may be read.
bool closer(std::string_view text) {
  for (char c : text)
    if ((static_cast<unsigned char>(c) < ' ' && c != '\t') || c == 127) return true;
  return false;
}
std::uint64_t suspect(const char* at) {
  constexpr std::uint64_t kOnes = 0x0101010101010101ull, kHigh = 0x8080808080808080ull;
  std::uint64_t x;
  std::memcpy(&x, at, sizeof x);
  auto del = x ^ (kOnes * 127);
  return (((x - kOnes * ' ') & ~x) | ((del - kOnes) & ~del)) & kHigh;
}
bool controls(std::string_view text, const char* end) {
  if (text.size() < 8) {
    if (end - text.data() < 8) return closer(text);
    auto mask = (std::uint64_t{1} << (text.size() * 8)) - 1;  // the first byte stands lowest
    return (suspect(text.data()) & mask) != 0 && closer(text);
  }
  auto any = suspect(text.data() + text.size() - 8);
  for (std::size_t i = 0; i + 8 < text.size(); i += 8) any |= suspect(text.data() + i);
  return any != 0 && closer(text);
}
static_assert(std::endian::native == std::endian::little);
#if defined(__SSE2__)
// Which of sixteen bytes are a control byte (HTAB too); a bit each.
unsigned controls16(const char* at) {
  auto x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  auto low = _mm_cmpeq_epi8(_mm_min_epu8(x, _mm_set1_epi8(31)), x);
  return static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(low, _mm_cmpeq_epi8(x, _mm_set1_epi8(127)))));
}
unsigned equal16(const char* at, char wanted) {
  auto x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  return static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_set1_epi8(wanted))));
}
#endif

// The first control byte other than HTAB, or `end`.
const char* first_control(const char* at, const char* end) {
#if defined(__SSE2__)
  while (end - at >= 16) {
    auto any = controls16(at);
    if (any == 0) {
      at += 16;
      continue;
    }
    at += std::countr_zero(any);
    if (*at != '\t') return at;
    at++;
  }
#endif
  while (end - at >= 8) {
    auto any = suspect(at);
    if (any == 0) {
      at += 8;
      continue;
    }
    at += std::countr_zero(any) / 8;  // the lowest mark is a true one
    if (*at != '\t') return at;
    at++;
  }
  while (at < end && !closer({at, 1})) at++;
  return at;
}
// The first colon, or `end`.
const char* first_colon(const char* at, const char* end) {
#if defined(__SSE2__)
  for (; end - at >= 16; at += 16)
    if (auto any = equal16(at, ':')) return at + std::countr_zero(any);
#endif
  constexpr std::uint64_t kOnes = 0x0101010101010101ull, kHigh = 0x8080808080808080ull;
  for (; end - at >= 8; at += 8) {
    std::uint64_t x;
    std::memcpy(&x, at, sizeof x);
    x ^= kOnes * ':';
    if (auto any = (x - kOnes) & ~x & kHigh) return at + std::countr_zero(any) / 8;
  }
  while (at < end && *at != ':') at++;
  return at;
}
// May a body of that type have parts that are read (profiles): JSON, XML, a form? Whatever is not known to have none.
bool structured(std::string_view type) {
  if (type.starts_with("text/")) return type.find("xml") != type.npos;
  return !type.starts_with("image/") && !type.starts_with("application/octet-stream");
}
bool blank(char c) { return c == ' ' || c == '\t'; }

}  // namespace

void HeadParser::begin(bool request, std::size_t most_fields) {
  *this = {};
  request_ = request;
  most_fields_ = most_fields;
}

HeadParser::Step HeadParser::take(std::string_view text, std::vector<H1Field>& fields) {
  for (;;) {
    if (started_ && scanned_ == line_ && fields.size() < most_fields_) {
      while (quick_field(text, fields) && fields.size() < most_fields_) {
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
    line_ = scanned_ = end + 1;
    if (content == end) bare_lf_ = true;
    if (!started_) {
      if (content == begin && request_) continue;  // empty lines before a request (RFC 9112 2.2)
      method_ = begin;
      if (!start_line(text.substr(begin, content - begin))) return Step::refused;
      started_ = true;
    } else if (content == begin) {
      return Step::whole;
    } else if (blank(text[begin])) {
      if (!fold(text.substr(begin, content - begin), content, fields)) return Step::refused;
    } else {
      if (fields.size() >= most_fields_) return Step::too_many_fields;
      if (!field(text, begin, content, fields)) return Step::refused;
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
  return status_ >= 100 && !controls(line.substr(12), line.end());
}

inline bool HeadParser::add(const char* text, std::string_view name, std::string_view value, FieldName known,
                            std::vector<H1Field>& fields) {
  auto at = [text](const char* p) { return static_cast<std::uint32_t>(p - text); };
  if (known != FieldName::other && known != FieldName::plain) {
    if (!note(known, value)) return false;
    if (known == FieldName::host && hosts_++ == 0) host_ = static_cast<int>(fields.size());
  }
  if (known == FieldName::other) unknown_ = true;
  if (known == FieldName::content_type) structured_ = structured(value);
  fields.push_back({at(name.begin()), at(name.end()), at(value.begin()), at(value.end()), known});
  return true;
}

// A whole line in which everything is as it mostly is. False, and nothing is done: the long way is to look at it.
bool HeadParser::quick_field(std::string_view text, std::vector<H1Field>& fields) {
  auto* line = text.data() + line_;
  auto* end = text.data() + text.size();
  if (line == end || *line == '\r' || blank(*line)) return false;
  auto* colon = first_colon(line, end);
  if (colon == end || colon == line) return false;
  std::string_view name(line, static_cast<std::size_t>(colon - line));
  auto known = field_name(name);
  if (known == FieldName::other && token(name) != name.size()) return false;
  auto* value = colon + 1;
  while (value < end && blank(*value)) value++;
  auto* value_end = first_control(value, end);
  if (end - value_end < 2 || value_end[0] != '\r' || value_end[1] != '\n') return false;
  auto next = static_cast<std::size_t>(value_end + 2 - text.data());
  while (value_end > value && blank(value_end[-1])) value_end--;
  if (!add(text.data(), name, {value, value_end}, known, fields)) return false;
  line_ = scanned_ = next;
  return true;
}

bool HeadParser::field(std::string_view text, std::size_t from, std::size_t end, std::vector<H1Field>& fields) {
  auto* line = text.data() + from;
  std::size_t size = end - from;
  auto* found = static_cast<const char*>(std::memchr(line, ':', size));
  if (!found || found == line) return false;
  auto colon = static_cast<std::size_t>(found - line);
  std::string_view name(line, colon);
  auto known = field_name(name);
  if (known == FieldName::other && token(name) != colon) return false;
  auto value = colon + 1;
  while (value < size && blank(line[value])) value++;
  while (size > value && blank(line[size - 1])) size--;
  std::string_view content(line + value, size - value);
  if (controls(content, text.data() + text.size())) return false;
  return add(text.data(), name, content, known, fields);
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
  if (fields.empty() || controls(line, line.end())) return false;
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
  head.hosts = hosts_;
  head.host_field = host_;
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
  if (!head.invalid.empty() && controls(head.target, raw.data() + raw.size()))  // a CR ends a line to some
    head.ambiguous = "the request target holds a control byte";
}

}  // namespace retrial::proxy
