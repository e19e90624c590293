#include "proxy/codec/chunks.h"

#include <algorithm>

#include "proxy/codec/h1_facts.h"
#include "proxy/codec/scan.h"

namespace retrial::proxy {
namespace {
constexpr int kMostDigits = 15;
constexpr std::size_t kMost = 64u << 10;

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c = static_cast<char>(c | 32);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}
bool printable(char c) { return static_cast<unsigned char>(c) >= ' ' ? c != 127 : c == '\t'; }
}  // namespace

void ChunkReader::begin() {
  at_ = At::size;
  size_ = 0;
  digits_ = 0;
  last_ = done_ = false;
  length_ = 0;
  line_.clear();
  trailers_.clear();
}

ChunkReader::Taken ChunkReader::take(std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size();) {
    if (at_ == At::data) {
      auto some = static_cast<std::size_t>(std::min<std::uint64_t>(size_, bytes.size() - i));
      size_ -= some;
      if (size_ == 0) at_ = At::data_cr;
      return {Step::data, i + some, bytes.substr(i, some)};
    }
    was_ = at_;
    if (!byte(bytes[i++])) return {Step::bad, i - 1, {}};
    if (done_) return {Step::end, i, {}};
  }
  return {Step::more, bytes.size(), {}};
}

bool ChunkReader::byte(char c) {
  switch (at_) {
    case At::size:
      if (int d = digit(c); d >= 0) {
        size_ = size_ << 4 | static_cast<unsigned>(d);
        return ++digits_ <= kMostDigits;
      }
      at_ = At::blank;
      return digits_ > 0 && byte(c);
    case At::blank:
      if (c == '\r') at_ = At::size_lf;
      if (c == ';') at_ = At::extension;
      return ++length_ <= kMost && (c == '\r' || c == ';' || c == ' ' || c == '\t');
    case At::extension:
      if (c == '"') at_ = At::quoted;
      if (c == '\r') at_ = At::size_lf;
      return ++length_ <= kMost && (c == '\r' || printable(c));
    case At::quoted:
      at_ = c == '"' ? At::extension : c == '\\' ? At::escaped : At::quoted;
      return ++length_ <= kMost && printable(c);
    case At::escaped:
      at_ = At::quoted;
      return printable(c);
    case At::size_lf:
      last_ = size_ == 0;
      length_ = 0;
      at_ = last_ ? At::line : At::data;
      digits_ = 0;
      return c == '\n';
    case At::data:
      return false;
    case At::data_cr:
      at_ = At::data_lf;
      return c == '\r';
    case At::data_lf:
      at_ = At::size;
      return c == '\n';
    case At::line:
      if (c == '\r') {
        at_ = At::line_lf;
        return true;
      }
      line_ += c;
      return ++length_ <= kMost && printable(c);
    case At::line_lf:
      at_ = At::line;
      if (c != '\n') return false;
      if (!line_.empty()) return trailer();
      done_ = true;
      return true;
  }
  return false;
}

const char* ChunkReader::why() const {
  switch (was_) {
    case At::size:
    case At::blank:
      return "a chunk's size is 1 to 15 hexadecimal digits, and ends with CRLF or \";\"";
    case At::extension:
    case At::quoted:
    case At::escaped:
      return "a chunk's extension holds a control byte, or is too long";
    case At::size_lf:
      return "the line of a chunk's size ends with CRLF";
    case At::data:
    case At::data_cr:
    case At::data_lf:
      return "CRLF follows the content of a chunk, which is as long as its size says";
    case At::line:
    case At::line_lf:
      return "a trailer field cannot be read, or all of them are too long";
  }
  return "";
}

bool ChunkReader::trailer() {
  auto colon = line_.find(':');
  auto name = std::string_view(line_).substr(0, colon);
  if (colon == line_.npos || !is_token(name)) return false;
  if (may_trail(name)) trailers_.append(line_).append("\r\n");
  line_.clear();
  return true;
}

}  // namespace retrial::proxy
