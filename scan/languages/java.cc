#include "scan/language.h"

extern "C" const TSLanguage* tree_sitter_java();

namespace retrial::scan {

const Language& java_language() {
  static constexpr std::string_view endings[] = {".java"};
  static constexpr Language::Kind kinds[] = {
      {"method_declaration", Role::function},
      {"constructor_declaration", Role::function},
      {"lambda_expression", Role::function},
      {"while_statement", Role::loop},
      {"do_statement", Role::loop},
      {"for_statement", Role::loop},
      {"enhanced_for_statement", Role::each},
      {"try_statement", Role::attempt},
      {"try_with_resources_statement", Role::attempt},
      {"catch_clause", Role::handler},
      {"finally_clause", Role::last},
      {"if_statement", Role::branch},
      {"ternary_expression", Role::branch},
      {"switch_expression", Role::choice},
      {"method_invocation", Role::call},
      {"object_creation_expression", Role::call},
      {"return_statement", Role::leave},
      {"throw_statement", Role::raise},
      {"continue_statement", Role::again},
      {"break_statement", Role::stop},
      {"assignment_expression", Role::assign},
      {"variable_declarator", Role::assign},
      {"resource", Role::assign},
      {"update_expression", Role::assign},
      {"element_value_pair", Role::option},
      {"annotation", Role::decorator},
      {"marker_annotation", Role::decorator},
      {"decimal_integer_literal", Role::number},
      {"decimal_floating_point_literal", Role::number},
      {"string_literal", Role::text},
      {"identifier", Role::name},
      {"line_comment", Role::comment},
      {"block_comment", Role::comment},
  };
  static const Language language{"Java", "java", tree_sitter_java, endings, kinds, kFields, false};
  return language;
}

}  // namespace retrial::scan
