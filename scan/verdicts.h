#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "scan/location.h"

// What the source alone lets one suspect. Never more than possible: what a test shows is `retrial run`'s to say.
namespace retrial::scan {

struct Rule {
  std::string_view name;
  std::string_view title;  // one line, for who has never heard of it
  std::string_view right;  // what right code does
  // What would show it on the wire: policies, and the findings that say it. By commas.
  std::string_view policies, shown_by;
};
const std::vector<Rule>& rules();
const Rule* rule_named(std::string_view name);  // or null

// Gives each location its verdicts. All of a project's at once: some come of comparing.
void judge(std::vector<Location>& locations);

}  // namespace retrial::scan
