#pragma once
#include <cstddef>

#include "trace/recording/unfold.h"

namespace retrial::trace {

// A secret that is known by what it looks like, whatever it is called.
struct Shape {
  std::size_t begin = 0, end = 0;  // nothing: both 0
  explicit operator bool() const { return end > begin; }
};

// Does one begin at `at`, where no word goes on? What the end of the text cuts off is one all the same.
Shape token_at(const Unfolded& text, std::size_t at);
// Could one begin with `text`? Cheap, and never wrong where it says no.
bool may_begin_token(std::string_view text);
// "-----BEGIN ... PRIVATE KEY-----" at `at`, to its end, or to that of the string or text that it stands in; at the
// "-----END" of one whose beginning is not seen, from `from` on.
Shape pem_at(const Unfolded& text, std::size_t at, std::size_t from);
// The password in ://user:password@host, with `at` at its "://" (RFC 3986 3.2.1); of a user alone, one that looks
// random.
Shape userinfo_at(const Unfolded& text, std::size_t at);

// Of base64 in either alphabet (RFC 4648 4, 5): what it says, if that is text; else empty.
std::string text_in_base64(std::string_view run);

bool looks_random(std::string_view text);

}  // namespace retrial::trace
