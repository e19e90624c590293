#pragma once
#include <string_view>

namespace retrial::proxy {

// The reason phrase of a status; "Error" where it has none that is known.
std::string_view reason_of(int status);

}  // namespace retrial::proxy
