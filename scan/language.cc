#include "scan/language.h"

#include <array>

namespace retrial::scan {

std::span<const Language* const> languages() {
#define RETRIAL_LANGUAGE(name) &name##_language(),
  static const std::array all{RETRIAL_LANGUAGES(RETRIAL_LANGUAGE)};
#undef RETRIAL_LANGUAGE
  return all;
}

const Language* language_of(std::string_view path) {
  for (auto* language : languages())
    for (auto ending : language->endings)
      if (path.ends_with(ending)) return language;
  return nullptr;
}

}  // namespace retrial::scan
