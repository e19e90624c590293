#include "base/sentence.h"

#include <algorithm>

namespace retrial {

std::string sentence(std::string text) {
  bool word = std::ranges::all_of(text.substr(0, text.find(' ')), [](char c) { return c >= 'a' && c <= 'z'; });
  if (word && !text.empty()) text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

}  // namespace retrial
