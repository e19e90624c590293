#pragma once
#include <memory>
#include <string>
#include <vector>

#include "campaign/workload/director.h"
#include "policies/policy.h"
#include "trace/campaign_record.h"
#include "trace/comparing/comparison.h"
#include "trace/profiles/profile.h"

namespace retrial::campaign {

// A call that a case can be tried at: the n-th of its call site and operation in this test.
struct Place {
  std::string test;
  int occurrence = 1;
  std::vector<int> later = {};  // its other occurrences that can be tried; only a plan file asks for one
  int last = 0;                 // of these, the last that asks for something else, or reads what has changed; 0: none
  const trace::Run* reference = nullptr;  // what the test does without faults
  Nanos takes = 0;                        // the test, without the start of a run
  Nanos at = 0;                           // when it comes in that run
  bool shows_effect = false;              // its answer names what it did: an empty queue shows nothing lost
};

// One case as it is going to be run: the row that the report shows, and what is needed to run it.
struct Case {
  trace::CaseRecord row;
  policies::FaultPlan faults;  // row.plan
  const policies::Policy* policy = nullptr;
  bool stalls = false;                            // some attempt is held
  trace::Repeat repeat = trace::Repeat::unknown;  // of the targeted operation
  std::vector<Place> places;                      // never empty; the best first
  std::size_t place = 0;                          // the one of `row`
  double value = 1;                               // how likely it is to show a bug, against other cases
  Nanos waits = 0;                                // what it adds to the time of its test, as far as is known

  bool at_last = false;  // of several calls in its test it meets the last
  bool further = false;  // beyond what was asked for: the same call in another test, as long as that is cheap

  bool under_way = false;
  int in_vain = 0;                                           // runs in company that said nothing of it
  bool single = false;                                       // no other case in its test
  bool alone = false;                                        // no other test in its run
  std::vector<std::shared_ptr<const trace::Run>> seen = {};  // its test in each run in company in which it fired

  const Place& here() const { return places[place]; }
  const trace::Run& reference() const { return *here().reference; }
  void put(std::size_t at);  // what was seen at another place says nothing here
  Nanos expected() const { return here().takes + waits; }
  bool planned() const { return row.outcome == "planned"; }
  bool targets(const trace::Call& call) const;
  Aim aim() const { return {Target{row.test, row.site, row.service, row.operation, row.occurrence}, faults}; }
  // The client is expected to get over it: what comes after the call in its test is as it always is.
  bool passes() const;
  // What the call is to do at its service is done at its first attempt, or there is nothing: it reads. So who looks
  // there, in this test's next execution too, finds what it finds without faults.
  bool effect_stands() const;
  // May each change what the other shows, in one run of their test? Whoever is held alone says what came of it, and two
  // that are held while the other is under way may mend each other.
  bool interferes(const Case& other) const;
  // A run has shown too little. What was held for a while is held for the longest that its policy holds anything.
  void ask_further();
  // What it shares with the other cases of its target; one that is to be tried in one test alone is another in each.
  std::string target_key() const;
  // What it shares with the cases that ask of the same call of its target: the first of a test, or the last.
  std::string call_key() const;
  // What it shares with cases at other paths: call site, method and faults.
  std::string family_key() const;
};

}  // namespace retrial::campaign
