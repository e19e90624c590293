#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.h"

namespace retrial::proxy {

// Keeps a log readable where the same thing happens again and again: in ten seconds each line once, and at most a
// hundred different ones. Beyond these the first line of each kind is told still. What is left out is counted and told
// with its number, once the ten seconds are over. Two lines are of one kind where they differ only in what is no word
// of ours: numbers, addresses, names.
class Repeats {
 public:
  // The line as it is to be told now, with how often it was left out since ("… (and 17 times before)"); empty: not now.
  std::string tell(const std::string& line, Nanos now);
  // When over() will have something to tell.
  std::optional<Nanos> due() const;
  // What was left out and has not come again in ten seconds.
  std::vector<std::string> over(Nanos now);
  // All that was left out and not told yet: at the end.
  std::vector<std::string> rest();

  std::size_t bytes() const;  // about what is held

 private:
  struct Told {
    Nanos at = 0;
    std::uint64_t left_out = 0;
    std::string last;  // of those
  };
  using All = std::unordered_map<std::string, Told>;
  static void forget(All& all, Nanos now);

  All lines_;  // by the line without the number of its connection
  All kinds_;
};

}  // namespace retrial::proxy
