#include "deploy/yaml/emit.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "base/text.h"

namespace retrial::deploy {

namespace {

// What stands for nothing (`{a: }`) libyaml writes as a text of no length where braces leave it no room: there it is
// written out.
void spell_null(yaml_document_t& document, int node) {
  auto* of = yaml_document_get_node(&document, node);
  auto& scalar = of->data.scalar;
  if (of->type != YAML_SCALAR_NODE || scalar.length != 0 || scalar.style != YAML_PLAIN_SCALAR_STYLE) return;
  auto* null = static_cast<yaml_char_t*>(std::malloc(sizeof "null"));  // the document frees it
  if (!null) return;
  std::memcpy(null, "null", sizeof "null");
  std::free(scalar.value);
  scalar.value = null, scalar.length = 4;
}

void spell_nulls(yaml_document_t& document) {
  for (auto* node = document.nodes.start; node < document.nodes.top; node++) {
    if (node->type == YAML_MAPPING_NODE && node->data.mapping.style == YAML_FLOW_MAPPING_STYLE) {
      for (auto* pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++)
        spell_null(document, pair->value);
    } else if (node->type == YAML_SEQUENCE_NODE && node->data.sequence.style == YAML_FLOW_SEQUENCE_STYLE) {
      for (auto* item = node->data.sequence.items.start; item < node->data.sequence.items.top; item++)
        spell_null(document, *item);
    }
  }
}

}  // namespace

bool needs_quotes(std::string_view text) {
  constexpr std::array<std::string_view, 10> kWords{"y", "n", "yes", "no", "on", "off", "true", "false", "null", "~"};
  if (text.empty() || std::ranges::find(kWords, lower(text)) != kWords.end()) return true;
  auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '/'; };
  auto inner = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '.'; };
  return !letter(text.front()) || !std::ranges::all_of(text, inner);
}

Emitter::Emitter() {
  yaml_emitter_initialize(&emitter_);
  yaml_emitter_set_output(
      &emitter_,
      [](void* to, unsigned char* bytes, std::size_t size) {
        static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(bytes), size);
        return 1;
      },
      &text_);
  yaml_emitter_set_width(&emitter_, -1);
  yaml_emitter_set_unicode(&emitter_, 1);
  yaml_emitter_open(&emitter_);
}

Emitter::~Emitter() { yaml_emitter_delete(&emitter_); }

void Emitter::dump(yaml_document_t& document) {
  document.start_implicit = !many_;  // `---` stands between two
  document.end_implicit = 1;
  many_ = true;
  spell_nulls(document);
  yaml_emitter_dump(&emitter_, &document);
}

std::string Emitter::text() && {
  yaml_emitter_close(&emitter_);
  yaml_emitter_flush(&emitter_);
  return std::move(text_);
}

}  // namespace retrial::deploy
