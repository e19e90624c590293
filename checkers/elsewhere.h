#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "checkers/checker.h"
#include "checkers/deed.h"

namespace retrial::checkers {

// Which parts of which answers are changed by writes elsewhere at the service: as two reads have shown between which
// nothing was written to what they read, or a checker that fails without `within = "service"` and holds with it.
// Whoever speaks of the same part is held to the same, though no test wrote elsewhere just there: where items are moved
// away from a list, how many there are falls too.
class Elsewhere {
 public:
  void begins_test() { reads_.clear(); }
  void saw(const Deed& d);                           // of every test, in the order of their beginnings
  void counted_by(const std::vector<Checker>& all);  // those that nothing has contradicted
  void shown_by(const Checker& narrowed);
  bool may_change(const Checker& c) const;

 private:
  std::set<std::string> parts_of(const Checker& c) const;

  struct Read {
    std::string spot;
    Body answer;
    bool elsewhere = false;  // something was written since, and not here
  };
  std::map<std::string, Read> reads_;           // by what was asked for, in this test
  std::map<std::string, std::string> counted_;  // numbers that are as many as an array has items: the array
  std::set<std::string> changed_;
};

}  // namespace retrial::checkers
