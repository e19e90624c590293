#pragma once
#include <cstdint>
#include <cstring>
#include <string_view>

namespace retrial::proxy {

// The fields that forwarding looks at, and those that are so common that recording need not look at them again.
enum class FieldName : std::uint8_t {
  other,
  host,
  connection,
  keep_alive,
  proxy_connection,
  te,
  upgrade,
  transfer_encoding,
  content_length,
  content_encoding,
  expect,
  content_type,
  http2_settings,
  plain,  // known, and never a secret: Accept, Content-Type, Date, Server, User-Agent, …
};

// Are eight bytes those of `lower`, letters in either case? All others must be the same: a CR is a '-' but for the bit
// that makes the case.
[[gnu::always_inline]] inline bool word_folds_to(const char* at, const char* lower) {
  std::uint64_t word, wanted;
  std::memcpy(&word, at, sizeof word);
  std::memcpy(&wanted, lower, sizeof wanted);
  auto letters = (wanted & 0x4040404040404040ull) >> 1;
  return ((word ^ wanted) & ~letters) == 0;
}
// Is it `lower`, but for ASCII case? `lower`: letters, and from eight bytes on digits and '-' too.
[[gnu::always_inline]] inline bool folds_to(std::string_view name, std::string_view lower) {
  if (name.size() != lower.size()) return false;
  if (name.size() >= 8) {
    std::size_t i = 0;
    for (; i + 8 < name.size(); i += 8)
      if (!word_folds_to(name.data() + i, lower.data() + i)) return false;
    i = name.size() - 8;
    return word_folds_to(name.data() + i, lower.data() + i);
  }
  for (std::size_t i = 0; i < name.size(); i++)
    if ((name[i] | 0x20) != lower[i]) return false;
  return true;
}

inline FieldName field_name(std::string_view name) {
  auto is = [name](std::string_view lower, FieldName known) {
    return folds_to(name, lower) ? known : FieldName::other;
  };
  switch (name.size()) {
    case 2:
      return is("te", FieldName::te);
    case 4:
      if ((name[0] | 0x20) == 'h') return is("host", FieldName::host);
      return (name[0] | 0x20) == 'd' ? is("date", FieldName::plain) : is("etag", FieldName::plain);
    case 6:
      switch (name[0] | 0x20) {
        case 'e':
          return is("expect", FieldName::expect);
        case 's':
          return is("server", FieldName::plain);
        default:
          return is("accept", FieldName::plain);
      }
    case 7:
      return is("upgrade", FieldName::upgrade);
    case 10:
      switch (name[0] | 0x20) {
        case 'k':
          return is("keep-alive", FieldName::keep_alive);
        case 'u':
          return is("user-agent", FieldName::plain);
        default:
          return is("connection", FieldName::connection);
      }
    case 12:
      return is("content-type", FieldName::content_type);
    case 14:
      return (name[0] | 0x20) == 'c' ? is("content-length", FieldName::content_length)
                                     : is("http2-settings", FieldName::http2_settings);
    case 15:
      return is("accept-encoding", FieldName::plain);
    case 16:
      return (name[0] | 0x20) == 'c' ? is("content-encoding", FieldName::content_encoding)
                                     : is("proxy-connection", FieldName::proxy_connection);
    case 17:
      return is("transfer-encoding", FieldName::transfer_encoding);
    default:
      return FieldName::other;
  }
}

}  // namespace retrial::proxy
