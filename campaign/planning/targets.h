#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "campaign/planning/plan.h"

namespace retrial::campaign {

// A call that can be put on trial, and everywhere that it can be.
struct Found {
  Target target;                                  // at the best of its places
  trace::Repeat repeat = trace::Repeat::unknown;  // as that one shows it
  std::string profile;                            // of its service
  bool hands_on_errors = false;                   // as CaseRecord
  std::vector<std::string> guards;                // as there
  trace::Compensation compensation;               // as there
  std::vector<Place> places;                      // never empty, one a test; the best first

  std::string site() const;  // the call site, or where none is known service and operation
};

// All of them, one a call site x operation x service, in a fixed order. A call whose reference answer was an error is
// none; nor is one in set-up or teardown, nor (without `test_files`) one whose call site is in a test file.
std::vector<Found> find_targets(const std::map<std::string, const trace::Run*>& tests, bool test_files);

// Of targets whose call site is not known: what another test sends may come from another function. So they are added as
// targets of their own in the next tests that send them, three at most, the best first.
void add_unplaced_elsewhere(const std::vector<Found>& found, std::vector<Found>& to);

// The application's calls that are no targets anywhere, because the service itself answers them with an error: "GET
// /voices/V2 (503)", each once.
std::vector<std::string> never_answered_well(const std::map<std::string, const trace::Run*>& tests,
                                             const std::vector<Found>& found);

// Each call of one test as a target at that place alone, by the number of its first exchange, whatever its answer was
// and wherever it comes from.
std::map<std::uint64_t, Found> every_call(const std::string& test, const trace::Run& run);

// What of them a coverage wants tried, in the words of Rainmaker (NSDI'23, 4.3): c1 the first call of each test; c2
// each call site once, in the cheapest test; c3 every test and every call site, in the least time (a minimum-cost edge
// cover, exact); c4 each call site of each test, its first call. c0 is all of them, each at any of its places.
std::vector<Found> covered(const std::vector<Found>& all, std::string_view coverage);

// Of these the best of each call site, as WASABI (SOSP'24, 3.1.3) injects at each retry location once over the suite.
std::vector<Found> once_a_site(std::vector<Found> found);

}  // namespace retrial::campaign
