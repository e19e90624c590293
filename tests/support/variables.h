#pragma once
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace retrial::test {

// Environment variables with these values (null: not set) while this lives, and as they were afterwards.
class Variables {
 public:
  Variables(std::initializer_list<std::pair<std::string, const char*>> values) {
    for (auto& [name, value] : values) {
      auto* old = std::getenv(name.c_str());
      before_.emplace_back(name, old ? std::optional<std::string>(old) : std::nullopt);
      set(name, value);
    }
  }
  ~Variables() {
    for (auto& [name, value] : before_) set(name, value ? value->c_str() : nullptr);
  }
  Variables(const Variables&) = delete;

 private:
  static void set(const std::string& name, const char* value) {
    if (value)
      setenv(name.c_str(), value, 1);
    else
      unsetenv(name.c_str());
  }
  std::vector<std::pair<std::string, std::optional<std::string>>> before_;
};

}  // namespace retrial::test
