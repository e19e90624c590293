#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/secrets/characters.h"

namespace retrial::trace {

enum class Where : std::uint8_t { body, header, target };

// Could a text hold a secret at all? Far cheaper than to search it, and false is certain.
bool may_hold_secrets(std::string_view text);
// The secrets in a text, which may be cut off anywhere: in their order, apart from each other.
std::vector<Span> secrets_in(std::string_view text, Where where);

}  // namespace retrial::trace
