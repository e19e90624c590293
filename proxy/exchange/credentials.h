#pragma once
#include <cstdint>
#include <string>
#include <string_view>

// Whether two requests authorize themselves with the same, and with what they had been given: by digests under a key
// that this process draws, and never writes. No secret, and nothing of one, is kept.
namespace retrial::proxy {

// Is it Authorization (RFC 9110 11.6.2), or a header that APIs have in its place?
bool authorizes(std::string_view header);

// Of a header's value, without its scheme ("Bearer "). 0 only where no key could be drawn.
std::uint32_t credentials_digest(std::string_view value);
// Of the token in an answer (RFC 6749 5.1, or by another name of it), as credentials_digest() has it; 0: there is none.
std::uint32_t credentials_given(std::string_view body);

// Those of one head after another: mostly they are the same.
struct LastCredentials {
  std::string value;  // a short one, as it was sent; in memory alone
  std::uint32_t of_value = 0, digest = 0;
  void take(std::string_view sent);
};

}  // namespace retrial::proxy
