#include "campaign/workload/adapters/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "trace/executions.h"

namespace retrial::campaign {

std::span<const Adapter* const> adapters() {
#define RETRIAL_ROW(name) &name##_adapter(),
  static const std::array all = {RETRIAL_ADAPTERS(RETRIAL_ROW)};
#undef RETRIAL_ROW
  return all;
}

std::string only_where_again(const std::vector<std::string>& tests) {
  bool again = std::ranges::any_of(tests, [](auto& test) { return trace::test_of(test) != test; });
  return again ? fmt::format("{}", fmt::join(tests, "\n")) : std::string();
}

const Adapter& adapter_for(const std::vector<std::string>& argv) {
  for (auto* a : adapters())
    if (a->knows(argv)) return *a;
  return *adapters().back();
}

bool is_test_file(std::string_view file) {
  auto folders = split(file, '/');
  auto name = folders.back();
  folders.pop_back();
  if (file.starts_with('/')) folders.clear();  // outside the project: its folders say nothing
  auto stem = name.substr(0, name.rfind('.'));
  return std::ranges::any_of(adapters(), [&](auto* adapter) {
    auto& known = adapter->runner().test_files;
    return std::ranges::count(known.names, name) ||
           std::ranges::any_of(known.prefixes, [&](auto prefix) { return stem.starts_with(prefix); }) ||
           std::ranges::any_of(known.suffixes, [&](auto suffix) { return stem.ends_with(suffix); }) ||
           std::ranges::any_of(known.folders, [&](auto folder) { return std::ranges::count(folders, folder) > 0; });
  });
}

std::string_view program_name(std::string_view word) {
  auto slash = word.rfind('/');
  return slash == word.npos ? word : word.substr(slash + 1);
}

}  // namespace retrial::campaign
