#pragma once
#include <yaml.h>

#include <string>
#include <string_view>

namespace retrial::deploy {

// Whether a text must be quoted for YAML 1.1 and 1.2 both to read it as a text: "yes", "0644", "1.0", "a: b", "".
bool needs_quotes(std::string_view text);

// Documents one after another, as text.
class Emitter {
 public:
  Emitter();
  ~Emitter();
  Emitter(const Emitter&) = delete;
  void dump(yaml_document_t& document);  // which is deleted by it
  std::string text() &&;

 private:
  yaml_emitter_t emitter_;
  std::string text_;
  bool many_ = false;
};

}  // namespace retrial::deploy
