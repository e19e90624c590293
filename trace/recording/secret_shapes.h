#pragma once
#include <string_view>

namespace retrial::trace {

// Where a secret that is known by its looks ends, if one begins at text[at], a word's beginning: a key or token of a
// known issuer, a JWT (RFC 7519). `at`: none does. One that the text cuts off ends with it.
std::size_t shaped_secret_end(std::string_view text, std::size_t at);

// Base64 of either alphabet (RFC 4648 4, 5), with or without padding, if all of it that is there is text; else empty.
std::string text_in_base64(std::string_view run);

// Could a secret that is known by its looks begin here? Cheap, and never wrong where it says no.
bool may_begin_shaped_secret(std::string_view text);

}  // namespace retrial::trace
