#include "deploy/yaml/emit.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace retrial::deploy {

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
  yaml_emitter_dump(&emitter_, &document);
}

std::string Emitter::text() && {
  yaml_emitter_close(&emitter_);
  yaml_emitter_flush(&emitter_);
  return std::move(text_);
}

}  // namespace retrial::deploy
