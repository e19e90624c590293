#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "campaign/workload/variables.h"

namespace retrial::campaign {

// Code that is loaded into a command's processes by environment alone (docs/agents.md). Its files are those below
// integration/agents/NAME. Stateless.
class Agent {
 public:
  // In an agent's folder: what is kept from one run for the next. Removed when the campaign is over.
  static constexpr std::string_view kCache = "cache";

  virtual ~Agent() = default;
  virtual std::string_view name() const = 0;  // "python"
  // Once, when its files lie in `folder`: what has to be made on this machine. `moves_clock`: clocks are to be moved on
  // (docs/time.md). Gives what could not be done, and why, for the reader; empty: all is well.
  virtual std::string prepare(const std::filesystem::path& /*folder*/, bool /*moves_clock*/) const { return {}; }
  // Puts what loads it from `folder` beside what the user has there already. `moves_clock`: this command's clock is
  // moved on.
  virtual void load(const std::filesystem::path& folder, bool moves_clock, Variables& environment) const = 0;
};

// registry.h
std::span<const Agent* const> agents();

}  // namespace retrial::campaign
