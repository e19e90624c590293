#pragma once
#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

#include "scan/tree.h"

struct TSLanguage;

namespace retrial::scan {

// What one grammar's nodes mean. A language is a file below scan/languages and a line in RETRIAL_LANGUAGES.
struct Language {
  struct Kind {
    std::string_view name;  // as the grammar calls the node
    Role role;
  };
  struct Field {
    std::string_view name;
    Part part;
  };
  std::string_view name;    // as reports say it
  std::string_view family;  // languages with the same libraries: "python", "javascript", "java"
  const TSLanguage* (*grammar)();
  std::span<const std::string_view> endings;  // with the dot
  std::span<const Kind> kinds;
  std::span<const Field> fields;
  bool errors_are_values;            // Go: what failed is looked at, not caught
  std::span<const Kind> calls = {};  // Ruby: what is called by these names is control flow
};

#define RETRIAL_LANGUAGES(X) \
  X(python) X(javascript) X(typescript) X(tsx) X(java) X(go) X(rust) X(ruby) X(cpp) X(c) X(csharp)
#define RETRIAL_LANGUAGE(name) const Language& name##_language();
RETRIAL_LANGUAGES(RETRIAL_LANGUAGE)
#undef RETRIAL_LANGUAGE

std::span<const Language* const> languages();
std::string names_of_languages();                    // "Python, JavaScript and Go"
const Language* language_of(std::string_view path);  // by its ending, or null
std::string language_named(std::string_view path);   // its name, or nothing

// The fields that all grammars name alike.
inline constexpr Language::Field kFields[] = {
    {"body", Part::body},
    {"condition", Part::condition},
    {"consequence", Part::then},
    {"alternative", Part::otherwise},
    {"left", Part::target},
    {"right", Part::value},
    {"name", Part::name},
    {"key", Part::name},
    {"value", Part::value},
    {"arguments", Part::arguments},
    {"function", Part::callee},
    {"constructor", Part::callee},
    {"object", Part::object},
    {"operand", Part::object},
    {"parameters", Part::parameters},
    {"property", Part::name},
    {"parameter", Part::parameters},
    {"update", Part::update},
    {"increment", Part::update},
    {"argument", Part::target},
    {"type", Part::header},
};

// The same, and these.
template <std::size_t N>
constexpr auto with_fields(const std::array<Language::Field, N>& more) {
  std::array<Language::Field, std::size(kFields) + N> all;
  std::ranges::copy(more, std::ranges::copy(kFields, all.begin()).out);
  return all;
}

}  // namespace retrial::scan
