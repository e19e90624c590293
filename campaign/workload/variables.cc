#include "campaign/workload/variables.h"

namespace retrial::campaign {

std::string joined(const std::string& first, std::string_view separator, const std::string& second) {
  return first.empty() ? second : second.empty() ? first : first + std::string(separator) + second;
}

namespace {
void note(Variables& all, char how, const ListItem& item) {
  all[kLists] += std::string{how} + item.separator + item.variable + "=" + item.value + "\n";
}
}  // namespace

void put_first(Variables& all, const ListItem& item) {
  auto& value = all[item.variable];
  value = joined(item.value, item.separator, value);
  note(all, 'f', item);
}
void put_last(Variables& all, const ListItem& item) {
  auto& value = all[item.variable];
  value = joined(value, item.separator, item.value);
  note(all, 'l', item);
}
void put_option(Variables& all, const ListItem& item) {
  auto& value = all[item.variable];
  if (!value.contains(item.value.substr(0, item.value.find('=') + 1)))
    value = joined(value, item.separator, item.value);
  note(all, 'o', item);
}

}  // namespace retrial::campaign
