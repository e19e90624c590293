#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "checkers/checker.h"

namespace retrial::checkers {

// Which parts of which answers are changed by writes elsewhere at the service, as a checker has shown that fails
// without `within = "service"` and holds with it. Whoever speaks of the same part is held to the same, though no test
// wrote elsewhere just there: where items are moved away from a list, how many there are falls too.
class Elsewhere {
 public:
  explicit Elsewhere(const std::vector<Checker>& holding);  // those that nothing has contradicted
  void shown_by(const Checker& narrowed);
  bool may_change(const Checker& c) const;

 private:
  std::set<std::string> parts_of(const Checker& c) const;

  std::map<std::string, std::string> counted_;  // numbers that are as many as an array has items: the array
  std::set<std::string> changed_;
};

}  // namespace retrial::checkers
