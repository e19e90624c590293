#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "trace/calls/json_order.h"

namespace {
using Json = nlohmann::json;

int depth_of(std::string_view text) {  // at most
  int deepest = 0, depth = 0;
  for (char c : text) {
    depth += (c == '{' || c == '[') - (c == '}' || c == ']');
    deepest = depth > deepest ? depth : deepest;
  }
  return deepest;
}
}  // namespace

// What is JSON has an order, and holds in it what it held; and what is in order stays as it is.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  auto ordered = retrial::trace::json_in_order(text);
  auto before = Json::parse(text, nullptr, false);
  bool structured = !before.is_discarded() && before.is_structured();
  if (structured && !ordered && depth_of(text) <= 60) std::abort();
  if (!ordered) return 0;
  if (ordered->size() > size) std::abort();
  if (structured && Json::parse(*ordered, nullptr, false) != before) std::abort();
  if (retrial::trace::json_in_order(*ordered) != ordered) std::abort();
  return 0;
}
