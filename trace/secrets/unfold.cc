#include "trace/secrets/unfold.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace retrial::trace {
namespace {

// An ASCII character from digits, or 0.
char ascii_of(std::string_view digits, int base) {
  unsigned value = 0;
  auto [end, error] = std::from_chars(digits.begin(), digits.end(), value, base);
  return error == std::errc() && end == digits.end() && !digits.empty() && value < 128 ? static_cast<char>(value)
                                                                                       : '\0';
}

struct Entity {
  std::string_view name;
  char stands_for;
};
constexpr Entity kEntities[] = {{"quot", '"'}, {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"apos", '\''}};

// Of each pair of bytes the one that is not zero: 1 or 0; none: no UTF-16.
std::optional<std::size_t> utf16(std::string_view text) {
  if (text.starts_with("\xff\xfe")) return 0;
  if (text.starts_with("\xfe\xff")) return 1;
  constexpr std::size_t kLook = 8;
  if (text.size() < kLook) return {};
  bool little = true, big = true;
  for (std::size_t n = 0; n < kLook; n++) {
    little &= (text[n] == 0) == (n % 2 == 1);
    big &= (text[n] == 0) == (n % 2 == 0);
  }
  return little ? std::optional<std::size_t>(0) : big ? std::optional<std::size_t>(1) : std::nullopt;
}

}  // namespace

bool is_utf16(std::string_view text) { return utf16(text).has_value(); }

Unfolded::Unfolded(std::string_view text) : view_(text) {
  auto wide = utf16(text);
  if (!wide && text.find_first_of("\\%&") == text.npos) return;
  std::size_t step = wide ? 2 : 1;
  for (std::size_t n = wide.value_or(0); n < text.size(); n += step) {
    text_ += text[n];
    from_.push_back(static_cast<std::uint32_t>(n / step * step));
  }
  from_.push_back(static_cast<std::uint32_t>(text.size()));
  depths_.assign(text_.size(), 0);
  for (int passes = 0; fold_out();)
    if (++passes == kDeepest) {
      whole_ = false;
      break;
    }
  view_ = text_;
}

Unfolded::Escape Unfolded::escape_at(std::size_t n) const {
  auto rest = std::string_view(text_).substr(n + 1);
  auto first = rest.empty() ? '\0' : rest[0];
  switch (text_[n]) {
    case '\\':
      switch (first) {
        case '"':
        case '\\':  // what the level above had to escape, too
          return depth(n + 1) >= depth(n) ? Escape{2, first} : Escape{};
        case '/':
        case '\'':
          return {2, first};
        case 'n':
          return {2, '\n'};
        case 'r':
          return {2, '\r'};
        case 't':
        case 'b':
        case 'f':
          return {2, '\t'};
        case 'u':
          if (char c = ascii_of(rest.substr(1, 4), 16); c && rest.size() > 4) return {6, c};
          return {};
        case 'x':
          if (char c = ascii_of(rest.substr(1, 2), 16); c && rest.size() > 2) return {4, c};
          return {};
        default:
          return {};
      }
    case '%':
      if (char c = ascii_of(rest.substr(0, 2), 16); c && rest.size() > 1) return {3, c};
      return {};
    case '&': {
      auto end = rest.substr(0, 10).find(';');
      if (end == rest.npos) return {};
      auto name = rest.substr(0, end);
      if (name.starts_with("#")) {
        bool hex = name.substr(1).starts_with('x') || name.substr(1).starts_with('X');
        char c = ascii_of(name.substr(hex ? 2 : 1), hex ? 16 : 10);
        return c ? Escape{end + 2, c} : Escape{};
      }
      auto* found = std::ranges::find(kEntities, name, &Entity::name);
      return found == std::end(kEntities) ? Escape{} : Escape{end + 2, found->stands_for};
    }
    default:
      return {};
  }
}

// Reads one level, in place. False: there was none.
bool Unfolded::fold_out() {
  auto at = text_.find_first_of("\\%&");
  if (at == text_.npos) return false;
  bool any = false;
  auto to = at;
  for (; at < text_.size(); to++) {
    auto escape = escape_at(at);
    auto size = std::max<std::size_t>(escape.size, 1);
    auto kept = depths_[at];
    if (escape.size) {
      any = true;
      int deepest = 0;
      for (auto i = at; i < at + size; i++) deepest = std::max(deepest, depth(i));
      kept = static_cast<std::uint8_t>((deepest + 1) | (text_[at] == '%' ? kPercent : 0));
    }
    text_[to] = escape.size ? escape.stands_for : text_[at];
    depths_[to] = kept;
    from_[to] = from_[at];
    at += size;
  }
  from_[to] = from_.back();
  text_.resize(to);
  depths_.resize(to);
  from_.resize(to + 1);
  return any;
}

}  // namespace retrial::trace
