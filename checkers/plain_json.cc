#include "checkers/plain_json.h"

#include <algorithm>

#include "trace/recording/redact.h"

namespace retrial::checkers {
namespace {

class Reader {
 public:
  Reader(std::string_view text, std::vector<Leaf>& leaves) : text_(text), leaves_(leaves) {}

  bool read() {
    std::string path;
    skip();
    if (!object(path, 0)) return false;
    skip();
    return at_ == text_.size();
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (peek() != c) return false;
    at_++;
    return true;
  }
  void skip() {
    while (peek() == ' ' || peek() == '\n' || peek() == '\r' || peek() == '\t') at_++;
  }

  void add(const std::string& path, std::size_t depth, std::string_view value, Leaf::Kind kind) {
    // An object that lies too deep is none of the body's values, and so is what lies in it.
    if (depth <= kDeepest && !value.contains(trace::kRedacted)) leaves_.push_back({path, std::string(value), kind});
  }

  bool string(std::string_view& out) {
    if (!take('"')) return false;
    auto end = text_.find('"', at_);
    if (end == text_.npos) return false;
    out = text_.substr(at_, end - at_);
    at_ = end + 1;
    unsigned char odd = 0;  // without a branch for each: most of a body is texts
    for (unsigned char c : out) odd |= static_cast<unsigned char>((c < 0x20) | (c >= 0x7f) | (c == '\\'));
    return odd == 0;
  }

  bool number(std::string_view& out) {
    constexpr std::size_t kMostDigits = 18;  // of a whole number that needs no rounding
    auto from = at_;
    bool negative = take('-');
    auto digits = at_;
    while (peek() >= '0' && peek() <= '9') at_++;
    auto count = at_ - digits;
    bool zero_first = count > 0 && text_[digits] == '0' && (count > 1 || negative);
    if (count == 0 || count > kMostDigits || zero_first || peek() == '.' || peek() == 'e' || peek() == 'E')
      return false;
    out = text_.substr(from, at_ - from);
    return true;
  }

  bool word(std::string_view& out) {
    for (std::string_view known : {"true", "false", "null"})
      if (text_.substr(at_).starts_with(known)) {
        at_ += known.size();
        out = known;
        return true;
      }
    return false;
  }

  bool value(std::string& path, std::size_t depth) {
    std::string_view text;
    switch (peek()) {
      case '{':
        return depth < 100 && object(path, depth);
      case '[':
        at_++;
        skip();
        if (!take(']')) return false;
        add(path, depth, "[]", Leaf::Kind::array);
        if (depth <= kDeepest) leaves_.push_back({path + "#", "0", Leaf::Kind::number, true});
        return true;
      case '"':
        if (!string(text)) return false;
        add(path, depth, text, Leaf::Kind::text);
        return true;
      case 't':
      case 'f':
      case 'n':
        if (!word(text)) return false;
        add(path, depth, text, Leaf::Kind::other);
        return true;
      default:
        if (!number(text)) return false;
        add(path, depth, text, Leaf::Kind::number);
        return true;
    }
  }

  bool object(std::string& path, std::size_t depth) {
    if (!take('{')) return false;
    skip();
    if (take('}')) {
      add(path.empty() ? "body" : path, depth, "{}", Leaf::Kind::other);
      return true;
    }
    auto outer = path.size();
    do {
      skip();
      std::string_view key;
      if (!string(key) || key.empty() || key == "body") return false;  // which is how all of a body is called
      skip();
      if (!take(':')) return false;
      skip();
      if (outer) path += '.';
      path += key;
      if (!value(path, depth + 1)) return false;
      path.resize(outer);
      skip();
    } while (take(','));
    return take('}');
  }

  std::string_view text_;
  std::vector<Leaf>& leaves_;
  std::size_t at_ = 0;
};

}  // namespace

bool read_plain_json(std::string_view text, std::vector<Leaf>& leaves) {
  auto before = leaves.size();
  if (Reader(text, leaves).read()) return true;
  leaves.resize(before);
  return false;
}

}  // namespace retrial::checkers
