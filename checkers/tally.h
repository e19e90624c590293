#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "checkers/checker.h"

namespace retrial::checkers {

// What a candidate showed.
struct Tally {
  static constexpr std::size_t kMostValues = 4;

  std::map<std::uint64_t, std::size_t> passes;  // in tests by themselves, by suite run
  std::set<std::string> values;                 // kMostValues at most
  std::size_t rises = 0, fails = 0, total = 0;
  std::string failed_in, says;  // of the first that failed: its test, and what was seen

  std::size_t most() const {
    std::size_t most = 0;
    for (auto& [run, n] : passes) most = std::max(most, n);
    return most;
  }
};

// What other candidates showed that say the same of another member, or of the same field in other operations: a value
// for every two of them.
struct Together {
  std::set<std::string> values;  // truth values apart
  bool fails = false;            // one of them was contradicted
};
// All candidates of a rule and its operations are one relation of each member that is sent, answered or left.
bool speaks_of_members(const Checker& c);  // by its name
// All candidates of a rule and its field are a habit of the service, in whatever operation.
bool may_be_a_habit(const Checker& c);
bool is_truth(std::string_view value);

// What of what learn.h wants the candidate was not seen with, in words; empty: nothing. `values`: how many it was seen
// with, together with those that say the same.
std::string lacks_of(const Checker& c, const Tally& t, std::size_t values, std::size_t runs);

bool moves_by_constant(const Field& f);  // of adds: +1, and not +NAME

}  // namespace retrial::checkers
