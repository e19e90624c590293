#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace retrial::scan {

// One value of a file of settings: `a.b.c: 3`, whatever its syntax; an item of a list belongs to the list's key.
struct Setting {
  std::uint32_t line = 0;
  std::vector<std::string> path;  // the keys around it, and its own
  std::string value;              // empty: what stands below says it
};

// YAML's blocks and one-line braces, JSON, and Java's properties. Never fails: what it does not understand it leaves
// out.
std::vector<Setting> read_settings(std::string_view path, std::string_view text);

}  // namespace retrial::scan
