#include "scan/language.h"

extern "C" const TSLanguage* tree_sitter_go();

namespace retrial::scan {

const Language& go_language() {
  static constexpr std::string_view endings[] = {".go"};
  static constexpr Language::Kind kinds[] = {
      {"function_declaration", Role::function},
      {"method_declaration", Role::function},
      {"func_literal", Role::function},
      {"for_statement", Role::loop},
      {"if_statement", Role::branch},
      {"expression_switch_statement", Role::choice},
      {"type_switch_statement", Role::choice},
      {"select_statement", Role::choice},
      {"call_expression", Role::call},
      {"return_statement", Role::leave},
      {"continue_statement", Role::again},
      {"break_statement", Role::stop},
      {"assignment_statement", Role::assign},
      {"short_var_declaration", Role::assign},
      {"var_spec", Role::assign},
      {"inc_statement", Role::assign},
      {"dec_statement", Role::assign},
      {"keyed_element", Role::option},
      {"int_literal", Role::number},
      {"float_literal", Role::number},
      {"interpreted_string_literal", Role::text},
      {"raw_string_literal", Role::text},
      {"identifier", Role::name},
      {"field_identifier", Role::name},
      {"comment", Role::comment},
  };
  static const Language language{"Go", "go", tree_sitter_go, endings, kinds, kFields, true};
  return language;
}

}  // namespace retrial::scan
