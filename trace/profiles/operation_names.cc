#include "trace/profiles/operation_names.h"

#include <algorithm>

#include "trace/profiles/message.h"

namespace retrial::trace {
namespace {
constexpr std::size_t kShown = 4;  // a batch of many kinds is named by its first
}

void OperationNames::add(std::string_view name) {
  if (name.empty()) return;
  auto one = message::name_of_operation(name);
  if (std::ranges::find(names_, one) == names_.end()) names_.push_back(std::move(one));
}

std::string OperationNames::text() const {
  std::string out;
  for (std::size_t i = 0; i < std::min(names_.size(), kShown); i++) out.append(i == 0 ? " " : ",").append(names_[i]);
  if (names_.size() > kShown) out += ",...";
  return out;
}

}  // namespace retrial::trace
