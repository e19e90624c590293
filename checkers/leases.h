#pragma once
#include <map>
#include <set>
#include <string>

#include "checkers/checker.h"
#include "checkers/deed.h"

namespace retrial::checkers {

// Which operations give leases: their own word says so, or a test that was granted one, was refused another (409 or
// 423), gave it back by another operation, and was granted it again. What is refused a second time and is never
// granted again may as well be done once and for all, or have been asked for with an old version.
class Leases {
 public:
  void begins_test() { held_.clear(); }
  void saw(const Deed& d);                             // of every test, in the order of their beginnings
  std::string why_not(const Checker& excludes) const;  // empty: it does

 private:
  struct Held {
    std::string operation;
    bool refused = false, given_back = false;
  };
  std::map<std::string, Held> held_;                     // by what was asked for
  std::set<std::pair<std::string, std::string>> known_;  // by service
};

bool refused_as_held(const Deed& d);

}  // namespace retrial::checkers
