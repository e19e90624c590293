// Any bytes as a manifest that is changed in places: either an error in one line, or documents that are given back as
// YAML that says the same, and as what was added to it.
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "deploy/yaml/documents.h"

using retrial::deploy::YamlDocuments;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  auto documents = YamlDocuments::parse(text, "f.yaml");
  if (!documents) {
    if (documents.error().line().find('\n') != std::string::npos) std::abort();
    return 0;
  }
  std::vector<std::string> said;
  std::vector<bool> added;
  for (std::size_t i = 0; i < documents->size(); i++) {
    auto json = documents->json(i);
    if (!json) return 0;  // an alias that leads to itself, more than is taken
    said.push_back(json->dump(-1, ' ', false, retrial::deploy::Json::error_handler_t::replace));
    added.push_back(json->is_object() && !json->contains("added") &&
                    documents->apply(i, R"([{"op":"add","path":"/added","value":"0644"}])"));
  }
  auto again = YamlDocuments::parse(std::move(*documents).text(), "g.yaml");
  if (!again || again->size() != said.size()) std::abort();
  for (std::size_t i = 0; i < again->size(); i++) {
    auto json = again->json(i);
    if (!json) std::abort();
    if (added[i]) {
      if (!json->contains("added") || (*json)["added"] != "0644") std::abort();
      json->erase("added");
    }
    if (json->dump(-1, ' ', false, retrial::deploy::Json::error_handler_t::replace) != said[i]) std::abort();
  }
  return 0;
}
