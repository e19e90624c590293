#include "scan/language.h"

extern "C" const TSLanguage* tree_sitter_ruby();

namespace retrial::scan {

const Language& ruby_language() {
  static constexpr std::string_view endings[] = {".rb", ".rake"};
  static constexpr Language::Kind kinds[] = {
      {"method", Role::function},
      {"singleton_method", Role::function},
      {"lambda", Role::function},
      {"while", Role::loop},
      {"until", Role::loop},
      {"while_modifier", Role::loop},
      {"until_modifier", Role::loop},
      {"for", Role::each},
      {"begin", Role::attempt},
      {"body_statement", Role::attempt},
      {"rescue", Role::handler},
      {"ensure", Role::last},
      {"if", Role::branch},
      {"unless", Role::branch},
      {"elsif", Role::branch},
      {"if_modifier", Role::branch},
      {"unless_modifier", Role::branch},
      {"conditional", Role::branch},
      {"case", Role::choice},
      {"call", Role::call},
      {"yield", Role::call},
      {"return", Role::leave},
      {"next", Role::again},
      {"retry", Role::again},
      {"break", Role::stop},
      {"assignment", Role::assign},
      {"operator_assignment", Role::assign},
      {"pair", Role::option},
      {"integer", Role::number},
      {"float", Role::number},
      {"string", Role::text},
      {"identifier", Role::name},
      {"constant", Role::name},
      {"comment", Role::comment},
  };
  static constexpr Language::Kind calls[] = {{"raise", Role::raise}, {"fail", Role::raise}, {"loop", Role::loop},
                                             {"times", Role::each},  {"each", Role::each},  {"upto", Role::each}};
  static const auto fields =
      with_fields<3>({{{"block", Part::body}, {"receiver", Part::value}, {"method", Part::callee}}});
  static const Language language{"Ruby", "ruby", tree_sitter_ruby, endings, kinds, fields, false, calls};
  return language;
}

}  // namespace retrial::scan
