#pragma once
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "campaign/workload/adapters/adapter.h"

namespace retrial::campaign {

// A runner whose hook has its tests run one after another, chooses them, and lifts their time limits: whatever is run,
// the command stays.
class Hooked : public Adapter {
 public:
  Launch suite(const std::vector<std::string>& argv) const override;
  Launch only(const std::vector<std::string>& argv, const std::vector<std::string>& tests, bool wide) const override;
};

// Where in a command a program stands, by any of these names: first, or behind assignments, options and these launchers
// (`env A=1`, `bundle exec`, `php -d x=1`).
std::optional<std::size_t> program_behind(const std::vector<std::string>& argv,
                                          std::initializer_list<std::string_view> launchers,
                                          std::initializer_list<std::string_view> names);

}  // namespace retrial::campaign
