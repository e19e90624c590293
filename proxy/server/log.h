#pragma once
#include <string_view>

namespace retrial::proxy {

// Whoever keeps the log of a server. Called from all of its threads; one line each.
class Log {
 public:
  enum class Level { info, warning, error };
  virtual ~Log() = default;
  virtual void say(Level level, std::string_view line) = 0;
};

}  // namespace retrial::proxy
