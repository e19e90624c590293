#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "checkers/checker.h"
#include "trace/run.h"

namespace retrial::checkers {

struct Learned {
  std::vector<Checker> checkers;  // by service and operation; one for all fields of a rule and its operations
  std::size_t candidates = 0;     // with one field each
  // Failed in some test or run, also when no other write was allowed between: how often it had held, and where it
  // failed first.
  struct Contradicted {
    Checker checker;
    std::size_t held = 0;
    std::string test;  // empty: between tests
    std::string says;
  };
  std::vector<Contradicted> contradicted;
  std::size_t weakened = 0;  // kept, by the precondition that nothing is written at the service
  // Nothing contradicted them, and they are not held against anything: what each lacks.
  struct Left {
    Checker checker;
    std::string lacks;
  };
  std::vector<Left> left;
  std::size_t tests = 0;      // passing ones that they were learned from
  std::size_t checks = 0;     // in all of it
  bool backwards = false;     // the suite was run in the other order, too
  std::size_t not_alone = 0;  // tests that were not run by themselves: the budget was spent
};

// From runs of a suite without faults, at least two, whose operations are named alike; `alone`: of its tests, each by
// itself. What passing tests show is proposed (propose.h), and kept where it fails in no test by itself and in no whole
// run, passes in each whole run again, is of no part of an answer that writes elsewhere change (elsewhere.h) without
// `within = "service"`, of no service whose state tests set anew without a request without `within = "test"`, and with
//
//   rule                                 at least
//   reads-back listed keeps echoes       two values (a truth value: four passes). Members that are sent and
//   agrees                               answered, left or answered again are values of one operation; a
//                                        field of several operations has the values of all; where nothing
//                                        that says the same was contradicted
//   counts                               two numbers
//   adds                                 three passes, from two numbers; of +NAME two amounts
//   becomes, rises                       two passes in one run
//   never-falls                          two rises in one run, and nothing shows how it may fall (may_fall.h)
//   same-answer                          two passes in one run
//   excludes                             a lease (leases.h)
Learned learn(const std::vector<const trace::Run*>& suite, const std::vector<const trace::Run*>& alone);

}  // namespace retrial::checkers
