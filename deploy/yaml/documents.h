#pragma once
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace retrial::deploy {

using Json = nlohmann::ordered_json;

// The documents of a YAML (or JSON) file that is to be changed in places and otherwise given back as it was: every
// scalar keeps its text and its quotes (`defaultMode: 0644` stays that, `yes` too). Comments are lost.
class YamlDocuments {
 public:
  // An error, blamed on the user, names file and line. Empty documents are left out.
  static Result<YamlDocuments> parse(std::string_view text, const std::string& file_name);
  ~YamlDocuments();
  YamlDocuments(YamlDocuments&&) noexcept;

  std::size_t size() const;
  // As JSON (trace/profiles/yaml.h says how plain scalars are read).
  Result<Json> json(std::size_t document) const;
  // A patch (RFC 6902, JSON) of operations `add` alone. An error where one leads nowhere: nothing is to be used then.
  Result<void> apply(std::size_t document, const std::string& patch);
  std::string text() &&;  // of all of them

 private:
  struct Impl;
  explicit YamlDocuments(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// That value as a document, in block style.
std::string yaml_of(const Json& value);

}  // namespace retrial::deploy
