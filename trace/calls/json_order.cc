#include "trace/calls/json_order.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"
#include "trace/calls/content.h"

namespace retrial::trace {
namespace {

constexpr int kDeep = 64;

class Reordering {
 public:
  explicit Reordering(std::string_view text) : text_(text) {}

  std::optional<std::string> all() {
    auto out = value(0);
    skip_space();
    if (broken_ || at_ != text_.size()) return {};
    return out;
  }

 private:
  std::string value(int depth) {
    skip_space();
    if (depth > kDeep) return broken();
    switch (peek()) {
      case '{':
        return object(depth);
      case '[':
        return array(depth);
      case '"':
        return std::string(string());
      default:
        return std::string(literal());
    }
  }

  std::string object(int depth) {
    std::vector<std::pair<std::string_view, std::string>> members;
    for (bool more = opens('}'); more && !broken_; more = continues('}')) {
      skip_space();
      auto name = string();
      skip_space();
      if (!take(':')) return broken();
      members.emplace_back(name, value(depth + 1));
    }
    std::ranges::stable_sort(members, {}, [](auto& m) { return m.first; });
    std::string out;
    for (auto& [name, value] : members) out.append(out.empty() ? "" : ",").append(name).append(":").append(value);
    return "{" + out + "}";
  }

  std::string array(int depth) {
    std::string out = "[";
    for (bool more = opens(']'); more && !broken_; more = continues(']'))
      out.append(out.size() > 1 ? "," : "").append(value(depth + 1));
    return out + "]";
  }

  // Past the opening bracket: does anything stand in it?
  bool opens(char closing) {
    at_++;
    skip_space();
    return !take(closing);
  }
  // Past a value: does another follow?
  bool continues(char closing) {
    skip_space();
    if (take(',')) return true;
    if (!take(closing)) broken();
    return false;
  }

  std::string_view string() {
    auto from = at_;
    if (!take('"')) return broken();
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_, text_.size());
    if (!take('"')) return broken();
    return text_.substr(from, at_ - from);
  }
  std::string_view literal() {
    auto from = at_;
    at_ = std::min(text_.find_first_of(",]} \t\r\n:\"[{", from), text_.size());
    if (at_ == from) return broken();
    return text_.substr(from, at_ - from);
  }

  void skip_space() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (peek() != c || at_ >= text_.size()) return false;
    at_++;
    return true;
  }
  const char* broken() {
    broken_ = true;
    return "";
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool broken_ = false;
};

bool may_be_json(std::string_view text) {
  auto first = text.find_first_not_of(" \t\r\n");
  return first != text.npos && (text[first] == '{' || text[first] == '[');
}

}  // namespace

std::optional<std::string> json_in_order(std::string_view text) {
  if (!may_be_json(text)) return {};
  return Reordering(text).all();
}

void digest_in_order(Exchange& e) {
  if (e.request_digest == 0 || packed(e) || !whole_sample(e)) return;
  if (auto ordered = json_in_order(e.request_sample)) e.request_digest = fnv1a(*ordered);
}

}  // namespace retrial::trace
