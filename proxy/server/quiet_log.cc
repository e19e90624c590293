#include "proxy/server/quiet_log.h"

#include <algorithm>

namespace retrial::proxy {

QuietLog::~QuietLog() {
  for (auto& line : repeats_.rest()) to_.say(Level::warning, line);
}

void QuietLog::say(Level level, std::string_view line) {
  if (level != Level::warning) return to_.say(level, line);
  std::string told;
  {
    std::lock_guard lock(mutex_);
    told = repeats_.tell(std::string(line), clock_.now());
  }
  if (!told.empty()) to_.say(level, told);
}

std::optional<Nanos> QuietLog::due() const {
  std::lock_guard lock(mutex_);
  auto at = repeats_.due();
  return at ? std::optional(std::max<Nanos>(0, *at - clock_.now())) : std::nullopt;
}

void QuietLog::remind() {
  std::vector<std::string> owed;
  {
    std::lock_guard lock(mutex_);
    owed = repeats_.over(clock_.now());
  }
  for (auto& line : owed) to_.say(Level::warning, line);
}

}  // namespace retrial::proxy
