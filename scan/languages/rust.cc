#include "scan/language.h"

extern "C" const TSLanguage* tree_sitter_rust();

namespace retrial::scan {

const Language& rust_language() {
  static constexpr std::string_view endings[] = {".rs"};
  static constexpr Language::Kind kinds[] = {
      {"function_item", Role::function},       {"closure_expression", Role::function},
      {"loop_expression", Role::loop},         {"while_expression", Role::loop},
      {"for_expression", Role::each},          {"if_expression", Role::branch},
      {"match_expression", Role::choice},      {"call_expression", Role::call},
      {"macro_invocation", Role::call},        {"return_expression", Role::leave},
      {"continue_expression", Role::again},    {"break_expression", Role::stop},
      {"assignment_expression", Role::assign}, {"compound_assignment_expr", Role::assign},
      {"let_declaration", Role::assign},       {"field_initializer", Role::option},
      {"attribute", Role::decorator},          {"integer_literal", Role::number},
      {"float_literal", Role::number},         {"string_literal", Role::text},
      {"raw_string_literal", Role::text},      {"identifier", Role::name},
      {"field_identifier", Role::name},        {"line_comment", Role::comment},
      {"block_comment", Role::comment},
  };
  static const auto fields = with_fields<2>({{{"pattern", Part::name}, {"macro", Part::callee}}});
  static const Language language{"Rust", "rust", tree_sitter_rust, endings, kinds, fields, true};
  return language;
}

}  // namespace retrial::scan
