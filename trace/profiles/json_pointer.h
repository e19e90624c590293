#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace retrial::trace {

// What a JSON pointer (RFC 6901) leads to in a body's sample, which may end anywhere: a text as it means, a number or a
// literal as it is written, "" of an object or an array. Nothing where it leads nowhere, or behind the sample's end.
std::optional<std::string> json_at(std::string_view body, std::string_view pointer);

bool is_json_pointer(std::string_view text);  // one that is not empty

}  // namespace retrial::trace
