#pragma once
#include <map>
#include <string>
#include <string_view>

namespace retrial::campaign {

// The environment of a command: value by name.
using Variables = std::map<std::string, std::string>;

// A part of a variable that lists several things, as PATH does.
struct ListItem {
  std::string variable;   // "PYTHONPATH"
  std::string value;      // "/start"
  std::string separator;  // ":"
};

std::string joined(const std::string& first, std::string_view separator, const std::string& second);
// Beside what stands there already.
void put_first(Variables& all, const ListItem& item);
void put_last(Variables& all, const ListItem& item);

}  // namespace retrial::campaign
