#include "campaign/workload/variables.h"

namespace retrial::campaign {

std::string joined(const std::string& first, std::string_view separator, const std::string& second) {
  return first.empty() ? second : second.empty() ? first : first + std::string(separator) + second;
}

void put_first(Variables& all, const ListItem& item) {
  auto& value = all[item.variable];
  value = joined(item.value, item.separator, value);
}
void put_last(Variables& all, const ListItem& item) {
  auto& value = all[item.variable];
  value = joined(value, item.separator, item.value);
}

}  // namespace retrial::campaign
