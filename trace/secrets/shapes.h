#pragma once
#include <string>

#include "trace/secrets/characters.h"
#include "trace/secrets/unfold.h"

namespace retrial::trace {

// A secret that is known by what it looks like, whatever it is called: does one begin at `at`, where no word goes on?
// What the end of the text cuts off is one all the same.
Span token_at(const Unfolded& text, std::size_t at);
// The password in ://user:password@host, with `at` at its "://" (RFC 3986 3.2.1); of a user alone, one that looks
// random.
Span userinfo_at(const Unfolded& text, std::size_t at);

// Of base64 in either alphabet (RFC 4648 4, 5): what it says, if that is text; else empty.
inline constexpr std::size_t kShortestBase64 = 12;  // of a name, a sign and a value
bool is_text_in_base64(std::string_view run);
std::string text_in_base64(std::string_view run);

}  // namespace retrial::trace
