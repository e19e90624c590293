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
// Beside what stands there already. Each is noted under kLists too: a process that is given another value of the
// variable, as by `PYTHONPATH=src pytest` in a Makefile, gets its part there all the same (native/runners/exec.c).
void put_first(Variables& all, const ListItem& item);
void put_last(Variables& all, const ListItem& item);
// An option, unless one of its name ("-count=") stands there.
void put_option(Variables& all, const ListItem& item);
inline constexpr const char* kLists = "RETRIAL_LISTS";

}  // namespace retrial::campaign
