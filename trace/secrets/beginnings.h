#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace retrial::trace {

// What two bytes may be, by the word that they are in memory: the beginning of a name or a token, a sign behind which a
// word ends, a sign that may itself tell of a secret.
enum What : std::uint8_t { nothing, beginning, sign, telling };
using PairTable = std::array<std::uint8_t, 1u << 16>;
extern PairTable what_two_are;
constexpr std::size_t index_of(char a, char b) {
  return static_cast<unsigned char>(a) | static_cast<std::size_t>(static_cast<unsigned char>(b)) << 8;
}

// Could the name of a secret, or a token, begin where `text` does? Cheap, and false is certain.
bool may_begin_secret(std::string_view text);

// One name more that is a secret's, in lower case, letters and digits alone. Before any thread looks.
void add_beginning(std::string name);

}  // namespace retrial::trace
