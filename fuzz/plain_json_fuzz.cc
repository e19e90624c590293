#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "checkers/plain_json.h"
#include "trace/recording/redact.h"

namespace {
using Json = nlohmann::json;

// Of objects that lie no deeper than they are looked into, the values that are neither objects with something in them
// nor arrays.
void values_of(const Json& value, std::size_t depth, std::multiset<std::string>& out) {
  if (value.is_object() && !value.empty()) {
    if (depth < retrial::checkers::kDeepest)
      for (auto& member : value) values_of(member, depth + 1, out);
  } else if (!value.is_array()) {
    auto text = value.is_string() ? value.get<std::string>() : value.dump();
    if (text.find(retrial::trace::kRedacted) == text.npos) out.insert(std::move(text));
  }
}
}  // namespace

// What it reads the other reader takes for an object too, and for the same values, but where a name comes twice.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<retrial::checkers::Leaf> leaves;
  bool read = retrial::checkers::read_plain_json(text, leaves);
  if (!read) {
    if (!leaves.empty()) std::abort();
    return 0;
  }
  auto json = Json::parse(text, nullptr, false);
  if (!json.is_object()) std::abort();
  std::set<std::string> paths;
  std::multiset<std::string> is, was;
  for (auto& leaf : leaves) {
    if (!paths.insert(leaf.path).second) return 0;
    if (leaf.kind != retrial::checkers::Leaf::Kind::array && !leaf.in_array) is.insert(leaf.text);
  }
  values_of(json, 0, was);
  if (is != was) std::abort();
  return 0;
}
