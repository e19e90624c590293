#pragma once
#include <cstdint>
#include <memory>

#include "trace/exchange.h"

namespace retrial::trace {

struct Assignment {
  std::uint64_t call = 0;
  int attempt = 0;
  Confidence confidence = Confidence::possible;
};

// Says, at each request's head, which call it belongs to and which attempt of it this is. Online: it sees only what has
// happened so far. One a run; loop thread only.
//
// Rules, first match wins (design.md, "Correlation states its confidence"):
//   certain   same value of an id header of its profile that this client is seen to keep, or the same call id, and the same
//             operation, and the attempt before it failed as its client was told (parallel and later requests of one library call
//             are calls of their own)
//   likely    same call site and test, same operation and target, after the client was told that the call had failed: perhaps an outer
//             layer with a new call id; of several candidates the latest failed one
//   possible  the same without call site (process and operation instead), or several candidates that cannot be told apart
//   else      attempt 1 of a new call (certain)
// Equal ids join; different ids prove nothing. A repeat after a success is never an attempt.
class Correlator {
 public:
  Correlator();
  ~Correlator();
  Correlator(Correlator&&) noexcept;

  // `head` has everything up to the request's head filled in (profile and operation too).
  Assignment at_head(const Exchange& head);
  // The exchange is over for the client (told, or it left). Must be called once for each.
  void over(const Exchange& exchange);

  // Body digests are known only afterwards: lowers `likely` to `possible` where two attempts of a call carry different bodies
  // and nothing that retries change explains it. Works on a finished run, in place.
  static void confirm(std::vector<Exchange>& exchanges);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace retrial::trace
