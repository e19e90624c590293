#include "scan/language.h"

extern "C" const TSLanguage* tree_sitter_cpp();

namespace retrial::scan {

namespace {

Language by_its_grammar(std::string_view name, std::span<const std::string_view> endings) {
  static constexpr Language::Kind kinds[] = {
      {"function_definition", Role::function}, {"lambda_expression", Role::function},
      {"while_statement", Role::loop},         {"do_statement", Role::loop},
      {"for_statement", Role::loop},           {"for_range_loop", Role::each},
      {"try_statement", Role::attempt},        {"catch_clause", Role::handler},
      {"if_statement", Role::branch},          {"conditional_expression", Role::branch},
      {"switch_statement", Role::choice},      {"call_expression", Role::call},
      {"new_expression", Role::call},          {"return_statement", Role::leave},
      {"co_return_statement", Role::leave},    {"throw_statement", Role::raise},
      {"continue_statement", Role::again},     {"break_statement", Role::stop},
      {"assignment_expression", Role::assign}, {"init_declarator", Role::assign},
      {"update_expression", Role::assign},     {"initializer_pair", Role::option},
      {"number_literal", Role::number},        {"string_literal", Role::text},
      {"raw_string_literal", Role::text},      {"identifier", Role::name},
      {"field_identifier", Role::name},        {"comment", Role::comment},
  };
  static const auto fields = with_fields<1>({{{"declarator", Part::name}}});
  return {name, "c++", tree_sitter_cpp, endings, kinds, fields, false};
}

}  // namespace

const Language& cpp_language() {
  static constexpr std::string_view endings[] = {".cc", ".cpp", ".cxx", ".c++", ".hpp", ".hh", ".hxx", ".h"};
  static const Language language = by_its_grammar("C++", endings);
  return language;
}

const Language& c_language() {
  static constexpr std::string_view endings[] = {".c"};
  static const Language language = by_its_grammar("C", endings);
  return language;
}

}  // namespace retrial::scan
