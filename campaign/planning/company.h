#pragma once
#include <set>
#include <span>
#include <string>
#include <vector>

#include "campaign/planning/plan.h"
#include "campaign/planning/references.h"
#include "trace/executions.h"

namespace retrial::campaign {

// A test in a run with others, and what is tried in it. Without a case it is there as a control: nothing is done to it,
// so it does what it always does.
struct Seat {
  std::string test;
  std::vector<Case*> cases;
  int execution = 1;  // of the test, in this run

  std::string name() const { return trace::execution_of(test, execution); }
};

// Tests that run together, in the suite's order; the executions of one are neighbours.
struct Company {
  std::vector<Seat> seats;
  Nanos expected = 0;  // what it takes, its start too

  std::vector<std::string> tests() const;  // by Seat::name
  std::vector<Aim> aims() const;
};

// Takes as many of these cases, the first first, as one run holds that takes no longer than `time`, and puts each at
// the place where it is run. There are several in one test only where each lets its client get over it. A place that is
// not a case's best is taken where that costs less than the start of another run. Then a test is executed again, where
// that costs less, the runner can, and it is none of `once`: but only one of its executions may leave undone what the
// suite's own run did, and that is the first (Case::effect_stands). A case that has shown too little is tried in two
// executions, where it may be. Empty: there is time for none.
Company seat(std::span<Case* const> cases, const References& refs, Nanos time, const std::set<std::string>& once = {});

// In as many parts as there are workers free, each about as long; in fewer where a part's tests would take less than
// the starts of all that share its core.
std::vector<Company> parts(Company company, std::size_t workers, std::size_t cores, const References& refs);

// The aims of `company` in two halves, each with `control` behind them: which of them disturbs it?
std::vector<Company> halves(const Company& company, const std::string& control, const References& refs);
// And what does that do by itself, where nothing is done to anybody and the others are left out?
Company by_itself(const std::string& control, const References& refs);
// Is it one of these?
bool looks_for_who_disturbs(const Company& company, const std::string& control);

// Of a case that is tried alone, with the fault and without.
inline constexpr int kRunsOfTrial = 3;

// What cases will cost: an estimate.
struct Expected {
  std::size_t company = 0, alone = 0;  // runs
  Nanos time = 0;
};

// How runs go, which is known once the suite has been.
struct Pace {
  int workers = 1;
  int trials = 1;         // of these, for what is tried alone
  bool alone = false;     // every case is
  double suspicious = 0;  // which part of the cases is tried alone after its run in company
};

Pace pace_of(const References& refs, int workers, bool alone);
// That part, once so many cases of a suite have been tried.
double suspicious_by_now(std::size_t suspected, std::size_t tried);

// As long as its cases take no longer than that in all, a campaign goes on to what nobody asked for.
Nanos cheap(const References& refs);

// All of these cases in company, and alone as many as are mostly suspicious there.
Expected expected_of(std::span<const Case* const> cases, const References& refs, const Pace& pace);

}  // namespace retrial::campaign
