#include "scan/language.h"

extern "C" const TSLanguage* tree_sitter_javascript();
extern "C" const TSLanguage* tree_sitter_typescript();
extern "C" const TSLanguage* tree_sitter_tsx();

// JavaScript and TypeScript: three grammars whose nodes have the same names.
namespace retrial::scan {
namespace {

constexpr Language::Kind kScriptKinds[] = {
    {"function_declaration", Role::function},
    {"function_expression", Role::function},
    {"generator_function_declaration", Role::function},
    {"generator_function", Role::function},
    {"arrow_function", Role::function},
    {"method_definition", Role::function},
    {"while_statement", Role::loop},
    {"do_statement", Role::loop},
    {"for_statement", Role::loop},
    {"for_in_statement", Role::each},
    {"try_statement", Role::attempt},
    {"catch_clause", Role::handler},
    {"finally_clause", Role::last},
    {"if_statement", Role::branch},
    {"ternary_expression", Role::branch},
    {"switch_statement", Role::choice},
    {"call_expression", Role::call},
    {"new_expression", Role::call},
    {"return_statement", Role::leave},
    {"throw_statement", Role::raise},
    {"continue_statement", Role::again},
    {"break_statement", Role::stop},
    {"assignment_expression", Role::assign},
    {"augmented_assignment_expression", Role::assign},
    {"variable_declarator", Role::assign},
    {"public_field_definition", Role::assign},
    {"field_definition", Role::assign},
    {"update_expression", Role::assign},
    {"pair", Role::option},
    {"decorator", Role::decorator},
    {"number", Role::number},
    {"string", Role::text},
    {"template_string", Role::text},
    {"identifier", Role::name},
    {"property_identifier", Role::name},
    {"comment", Role::comment},
};

}  // namespace

const Language& javascript_language() {
  static constexpr std::string_view endings[] = {".js", ".mjs", ".cjs", ".jsx"};
  static const Language language{"JavaScript", "javascript", tree_sitter_javascript, endings, kScriptKinds,
                                 kFields,      false};
  return language;
}

const Language& typescript_language() {
  static constexpr std::string_view endings[] = {".ts", ".mts", ".cts"};
  static const Language language{"TypeScript", "javascript", tree_sitter_typescript, endings, kScriptKinds,
                                 kFields,      false};
  return language;
}

const Language& tsx_language() {
  static constexpr std::string_view endings[] = {".tsx"};
  static const Language language{"TypeScript", "javascript", tree_sitter_tsx, endings, kScriptKinds, kFields, false};
  return language;
}

}  // namespace retrial::scan
