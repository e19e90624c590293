#pragma once
#include <span>
#include <string>
#include <string_view>

namespace retrial::proxy {

// Whoever keeps the log of a server. Called from all of its threads; one line each.
class Log {
 public:
  enum class Level { info, warning, error };
  virtual ~Log() = default;
  virtual void say(Level level, std::string_view line) = 0;
  // The same of something that has parts, for who keeps more than lines.
  struct Field {
    std::string_view name;
    std::string value;
  };
  virtual void tell(Level level, std::string_view line, std::span<const Field>) { say(level, line); }
};

}  // namespace retrial::proxy
