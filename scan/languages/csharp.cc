#include "scan/language.h"

extern "C" const TSLanguage* tree_sitter_c_sharp();

namespace retrial::scan {

const Language& csharp_language() {
  static constexpr std::string_view endings[] = {".cs"};
  static constexpr Language::Kind kinds[] = {
      {"method_declaration", Role::function},
      {"constructor_declaration", Role::function},
      {"local_function_statement", Role::function},
      {"lambda_expression", Role::function},
      {"anonymous_method_expression", Role::function},
      {"while_statement", Role::loop},
      {"do_statement", Role::loop},
      {"for_statement", Role::loop},
      {"foreach_statement", Role::each},
      {"try_statement", Role::attempt},
      {"catch_clause", Role::handler},
      {"finally_clause", Role::last},
      {"catch_filter_clause", Role::guard},
      {"argument", Role::wrapper},
      {"if_statement", Role::branch},
      {"conditional_expression", Role::branch},
      {"switch_statement", Role::choice},
      {"invocation_expression", Role::call},
      {"object_creation_expression", Role::call},
      {"return_statement", Role::leave},
      {"throw_statement", Role::raise},
      {"throw_expression", Role::raise},
      {"continue_statement", Role::again},
      {"break_statement", Role::stop},
      {"assignment_expression", Role::assign},
      {"variable_declarator", Role::assign},
      {"postfix_unary_expression", Role::assign},
      {"attribute", Role::decorator},
      {"integer_literal", Role::number},
      {"real_literal", Role::number},
      {"string_literal", Role::text},
      {"verbatim_string_literal", Role::text},
      {"identifier", Role::name},
      {"comment", Role::comment},
  };
  static const Language language{"C#", "c#", tree_sitter_c_sharp, endings, kinds, kFields, false};
  return language;
}

}  // namespace retrial::scan
