#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace retrial::campaign {

// A key that an object of this JSON has twice: which of the two is meant nobody knows. None where it is no JSON.
std::optional<std::string> key_said_twice(std::string_view json);

}  // namespace retrial::campaign
