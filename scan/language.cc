#include "scan/language.h"

#include <algorithm>
#include <vector>

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

std::string language_named(std::string_view path) {
  auto* language = language_of(path);
  return language ? std::string(language->name) : std::string();
}

std::string names_of_languages() {
  std::vector<std::string_view> names;
  for (auto* one : languages())
    if (std::ranges::count(names, one->name) == 0) names.push_back(one->name);
  std::string all;
  for (auto name : names) all += (all.empty() ? "" : name == names.back() ? " and " : ", ") + std::string(name);
  return all;
}

}  // namespace retrial::scan
