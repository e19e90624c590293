#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "trace/run.h"

namespace retrial::trace {

struct Assignment {
  std::uint64_t call = 0;
  int attempt = 0;
  Confidence confidence = Confidence::possible;
};

// Says, at each request's head, which call it belongs to and which attempt of it this is. Online: it sees only what has
// happened so far. One a run; loop thread only.
//
// Only a call whose client was told that it failed (by status, a lost connection, its own giving up, or its profile's
// reading of a 2xx) can go on; so parallel and later requests, polls, pages and redirects are calls of their own. A 401
// or 407 of the service's own is a challenge: the request with credentials is a call of its own.
//
// Rules, first match wins (design.md, "Correlation states its confidence"):
//   certain   same call id, operation and target (its query's signatures, dates and counters left out)
//   certain   same operation and same value of an id header of its profile, from a client (process, service, user
//             agent) that keeps it: not one that changed it within one library call, nor one that used a value again
//             after a success
//   certain   grpc-previous-rpc-attempts says that this is the n-th of a gRPC call, and one call of that process, test,
//             call site (where known), operation and port has made as many and was told of the failure (a retry), or
//             has one of them open (a copy: hedging, gRFC A6)
//   likely    same process, test, call site, operation, target, port and Content-Length: perhaps an outer layer. Not at
//             a poll. Without a call site, and on the same address: a gRPC call that was refused (GOAWAY,
//             REFUSED_STREAM), which gRPC sends again by itself
//   possible  the same without a call site, on the same address; and any of these where several calls that wait cannot
//             be told apart (parallel ones): then the one on the same connection (not where streams share it), else
//             the first that failed
//   else      attempt 1 of a new call (certain)
class Correlator {
 public:
  Correlator();
  explicit Correlator(std::vector<std::uint64_t> polls);  // polls_of the reference run
  ~Correlator();
  Correlator(Correlator&&) noexcept;

  // `head` has everything up to the request's head filled in (profile and operation too).
  Assignment at_head(const Exchange& head);
  // The exchange is over for the client (told, or it left). Must be called once for each.
  void over(const Exchange& exchange);

  // The polls of a reference run: call site (or none) and operation where the same request follows itself, with no
  // other request of that process between, after a success; twice in a row, if it is no safe one. There, a repeat after
  // a failure is a retry only by id header or call id.
  static std::vector<std::uint64_t> polls_of(const Run& reference);
  static bool at_poll(const std::vector<std::uint64_t>& polls, const Exchange& exchange);

  // Body digests are known only afterwards: lowers `likely` to `possible` where two attempts of a call carry different
  // bodies and nothing that retries change explains it; of a gRPC call without a call site, makes them two calls. Works
  // on a finished run, in place.
  static void confirm(std::vector<Exchange>& exchanges);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace retrial::trace
