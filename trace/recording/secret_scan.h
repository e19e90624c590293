#pragma once
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace retrial::trace {

enum class TextKind { body, target };  // target: of a request, or a URL

// Where secrets stand in a text of any format, cut anywhere: the parts [first, second), in order, none in another.
// There is one reading for all formats, by what they have in common: a name, a sign behind it, and a value that ends
// as it began.
std::vector<std::pair<std::size_t, std::size_t>> secrets_in(std::string_view text, TextKind kind);

}  // namespace retrial::trace
