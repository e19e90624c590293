#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace retrial::cli {

struct ObserveOptions {
  std::optional<std::string> inject, at;
  std::optional<std::uint64_t> seed;
  std::optional<int> repeat;
  std::string config, profile, reset, hold, out, capture;
  bool real_time = false, no_reference = false;
  std::vector<std::string> look, command;
};

}  // namespace retrial::cli
