#pragma once
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checkers/checker.h"
#include "checkers/deed.h"

namespace retrial::checkers {

// Which numbers never fell by chance alone: what clients send, what each call moves by a number that they send, and
// what counts things that can be deleted.
class MayFall {
 public:
  void saw(const Deed& d);  // of every test
  // `holding`: the checkers that nothing has contradicted. Why this number may fall; empty: nothing says so.
  std::string why(const Checker& never_falls, const std::vector<Checker>& holding) const;

 private:
  using Named = std::set<std::pair<std::string, std::string>>;  // by service
  Named sent_;                                                  // names of members
  Named emptied_;  // of what things were deleted: "docs", the words of its path
};

}  // namespace retrial::checkers
