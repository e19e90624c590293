#include "scan/language.h"

extern "C" const TSLanguage* tree_sitter_python();

namespace retrial::scan {

const Language& python_language() {
  static constexpr std::string_view endings[] = {".py", ".pyw"};
  static constexpr Language::Kind kinds[] = {
      {"function_definition", Role::function},
      {"lambda", Role::function},
      {"while_statement", Role::loop},
      {"for_statement", Role::each},
      {"try_statement", Role::attempt},
      {"except_clause", Role::handler},
      {"finally_clause", Role::last},
      {"if_statement", Role::branch},
      {"elif_clause", Role::branch},
      {"conditional_expression", Role::branch},
      {"match_statement", Role::choice},
      {"call", Role::call},
      {"return_statement", Role::leave},
      {"raise_statement", Role::raise},
      {"continue_statement", Role::again},
      {"break_statement", Role::stop},
      {"assignment", Role::assign},
      {"augmented_assignment", Role::assign},
      {"named_expression", Role::assign},
      {"keyword_argument", Role::option},
      {"pair", Role::option},
      {"decorator", Role::decorator},
      {"integer", Role::number},
      {"float", Role::number},
      {"string", Role::text},
      {"identifier", Role::name},
      {"comment", Role::comment},
  };
  static const Language language{"Python", "python", tree_sitter_python, endings, kinds, kFields, false};
  return language;
}

}  // namespace retrial::scan
