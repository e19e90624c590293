#include "campaign/workload/adapters/hooked.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace retrial::campaign {

Launch Hooked::suite(const std::vector<std::string>& argv) const {
  return {.argv = argv, .environment = {"RETRIAL_SERIAL=1"}};
}

Launch Hooked::only(const std::vector<std::string>& argv, const std::vector<std::string>& tests, bool) const {
  return {.argv = argv,
          .environment = {"RETRIAL_SERIAL=1", "RETRIAL_NO_TIME_LIMIT=1"},
          .only = fmt::format("{}", fmt::join(tests, "\n"))};
}

std::optional<std::size_t> program_behind(const std::vector<std::string>& argv,
                                          std::initializer_list<std::string_view> launchers,
                                          std::initializer_list<std::string_view> names) {
  for (std::size_t i = 0; i < argv.size(); i++) {
    auto name = program_name(argv[i]);
    if (std::ranges::count(names, name)) return i;
    bool leads = argv[i].starts_with('-') || argv[i].contains('=') || std::ranges::count(launchers, name);
    if (!leads && !(i > 0 && argv[i - 1].starts_with('-'))) return {};
  }
  return {};
}

}  // namespace retrial::campaign
