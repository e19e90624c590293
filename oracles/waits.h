#pragma once
#include <string>
#include <vector>

#include "oracles/oracle.h"

// What a client waited before its retries: evidence of missing-delay, no-backoff and ignores-retry-after.
namespace retrial::oracles {

// Before one retry. The client chose to wait something between `least` and `most`: the gap holds the machine's load and
// the client's own work too, which under load reach hundreds of milliseconds. What of that its thread had (Busy) is
// left out of `most`: a thread that runs, or is ready to, does not wait.
struct Wait {
  const trace::Exchange* before = nullptr;  // the last at that host: what was waited before others since is counted in
  const trace::Exchange* next = nullptr;
  int retry = 0;          // 1: the first of its call
  Nanos least = 0;        // what the client's clock was moved on by; 0 where it could not be
  Nanos most = 0;         // the gap, without what is known to be work or load: some of it may have gone on meanwhile
  Nanos gap = 0;          // all of it: no less than the client waited
  Nanos idle = 0;         // as `most`, which of a wait that the service chose is the whole gap
  bool worked = false;    // there was some
  bool measured = false;  // a wait of any length would show in `least`: its clock could be moved

  // The best that is known of it.
  Nanos length() const { return measured ? least : most; }
};

// The waits of a call, in order. Left out: what is no retry of the client's own (copies on purpose, what gRPC sends
// again unseen, what a transport below sends again at once on a reset, the first at each of several hosts), and gaps
// that the service chose (Retry-After, pushback), unless `chosen` asks for those alone.
enum class Chosen { by_client, by_service };
std::vector<Wait> waits_of(const trace::Comparison& c, const trace::Call& call, Chosen chosen = Chosen::by_client);

// A read whose sender says by its name that it waits for something (wait_until_ready, pollStatus); or what its function
// sends before each look of a poll (a token, before "GET /mills/m1"), and no look was reached. Its pace is that of
// whoever waits, and it puts up with whatever it is told. That helps, and does not decide: what is found is possible.
bool may_wait_until(const trace::Comparison& c, const trace::Call& call);

// What the service told this client to wait, by a header of its own or of a fault (RFC 9110 10.2.3; gRFC A6).
struct RetryHint {
  Nanos least = 0;  // a client that comes earlier has not obeyed. Of a date: a second less, which is its grain
  bool date = false;
  bool never = false;  // not to come again at all
  std::string text;    // "Retry-After: 2", "Retry-After as a date, 3 s ahead", "grpc-retry-pushback-ms: 200"
};
std::optional<RetryHint> told_to_wait(const trace::Exchange& e);

}  // namespace retrial::oracles
