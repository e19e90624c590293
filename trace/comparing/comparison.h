#pragma once
#include <string>
#include <vector>

#include "trace/run.h"

namespace retrial::trace {

// The exchanges of one call, in order. Points into its Run, which must outlive it.
struct Call {
  std::uint64_t id = 0;
  std::vector<const Exchange*> attempts;        // never empty; of one that was redirected its last leg (or faulted one)
  std::vector<const Exchange*> legs;            // those that were redirected, which are no attempts
  Confidence confidence = Confidence::certain;  // the lowest of its attempts
  std::string site;       // key_of its call site, or "" (then the operation and process stand for it)
  std::string operation;  // of its first request
  bool unsaid = false;  // its client was told of a failure, and what it sent next may go on from it or be another call
  int occurrence = 0;   // from 1: the n-th call of this site and operation in its run

  const Exchange& first() const { return *attempts.front(); }
  const Exchange& last() const { return *attempts.back(); }
};

// The attempt that got the service's own good answer, delivered whole or left by a client that saw enough, and after
// which none was begun: the last, or of hedged copies any. Null: there is none. Read from the wire.
const Exchange* recovery(const Call& call);
bool recovered(const Call& call);
// Gaps between its attempts, ns: from when the client was told of the failure to the first byte of the next attempt. An
// attempt whose client was told no failure has none after it. Negative where the client did not wait to be told (then
// it is no retry).
std::vector<Nanos> gaps(const Call& call);
// What was done to it, attempt by attempt, in the fault language; the last step is not counted: "lost-response(reset) x
// 1, then pass", "error(503)". Only faults that fired.
std::string done_to(const Call& call);

// In the order of their first attempts. An exchange of no call (0) is one of its own.
std::vector<Call> calls_of(const Run& run);

struct Pair {
  const Call* reference = nullptr;  // null: only in the case
  const Call* in_case = nullptr;    // null: only in the reference
};

// Beside each case lies the reference of the same test run alone, aligned call by call (call site, operation,
// occurrence; target, where both ask there for the same several); where an operation is there on one side only, by call
// site and method; what is left, by function, operation and target; where only one run has call sites, by operation.
// Owns the calls; points into both runs, which must outlive it.
struct Comparison {
  const Run* reference = nullptr;
  const Run* in_case = nullptr;
  std::vector<Call> reference_calls;
  std::vector<Call> case_calls;
  std::vector<Pair> pairs;           // in the order of the case, what is missing there last
  std::vector<const Call*> faulted;  // calls of the case in which a fault fired

  Comparison() = default;
  Comparison(const Comparison&) = delete;
  Comparison(Comparison&&) = default;
  Comparison& operator=(Comparison&&) = default;
};
Comparison compare(const Run& reference, const Run& in_case);
// Of all calls that the fault met, together: calls side by side that look alike (bodies of one length) are met as one.
int faulted_attempts(const Comparison& comparison);

}  // namespace retrial::trace
