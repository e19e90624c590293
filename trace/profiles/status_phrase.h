#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace retrial::trace {

// A status's reason phrase as it is written in codes and sentences: "Not Found", "not found", "NOT_FOUND", "not-found",
// "NotFound", "notFound".

// Where a status's phrase stands in a text, as [begin, begin + size), at the borders of words.
struct PhraseAt {
  std::size_t begin = 0, size = 0;
};
std::optional<PhraseAt> find_phrase(std::string_view text, int status);

// The phrase of a status (RFC 9110 15) in the style of `sample`, a phrase or a code.
std::string phrase_like(std::string_view sample, int status);

}  // namespace retrial::trace
