#pragma once
#include <cstdint>
#include <string>
#include <unordered_map>

#include "base/clock.h"

namespace retrial::proxy {

// Keeps a log readable where the same thing happens again and again: each line at most once in ten seconds.
class Repeats {
 public:
  // The line as it is to be told now, with how often it was left out since ("…, 17 times more"); empty: not now.
  std::string tell(const std::string& line, Nanos now);

 private:
  struct Told {
    Nanos at = 0;
    std::uint64_t left_out = 0;
  };
  std::unordered_map<std::string, Told> told_;
};

}  // namespace retrial::proxy
