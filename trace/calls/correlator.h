#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "trace/calls/lessons.h"
#include "trace/run.h"

namespace retrial::trace {

struct Assignment {
  std::uint64_t call = 0;
  int attempt = 0;
  Confidence confidence = Confidence::possible;
  int look = 0;                                        // at a poll: how many in a row have failed, and this one
  int nth() const { return std::max(attempt, look); }  // what a plan's "x 2, then pass" counts
};

// Says, at each request's head, which call it belongs to and which attempt of it this is. Online: it sees only what has
// happened so far; `correlate_again` looks again when a run is over. One a run; loop thread only.
//
// Only a call whose client was told that it failed (by status, a lost connection, its own giving up, or its profile's
// reading of a 2xx) can go on; so parallel and later requests, polls, pages, and what a library asks on its own (a
// bucket's location, a token, an upload's state) are calls of their own.
//
// Rules, first match wins (design.md, "Correlation states its confidence"):
//   certain   same call id, operation and target (its query's signatures, dates and counters left out)
//   certain   same operation and same value of an id header of its profile, from a process that keeps it: not one that
//             changed it within one library call, nor one that used a value again after a success
//   certain   grpc-previous-rpc-attempts says that this is the n-th of a gRPC call, and one call of that process, test,
//             call site (where known), operation and port has made as many and was told of the failure (a retry), or
//             has one of them open (a copy: hedging, gRFC A6)
//   likely    it is where a redirect of the service's own led (certain where the call id says so): the same attempt of
//             the same call, which goes on there. Comparison shows an attempt by its last leg
//   likely    same process, test, call site, operation, target, host, port and Content-Length: perhaps an outer layer.
//             Not at a poll. Without a call site: a request that counts itself (count_of) as the next one, and a gRPC
//             call that was refused (GOAWAY, REFUSED_STREAM), which gRPC sends again by itself
//   possible  the same without a call site; the same at another of the ports of one host, where the first was lost or
//             answered 502 to 504; and any of these where several calls that wait cannot be told apart (parallel ones):
//             then the one on the same connection (not where streams share it), else the first that failed
//   else      attempt 1 of a new call (certain; possible where something fits that lessons call a poll)
// From what a process sent that was ended by a fault (crash) nothing goes on: its successor begins anew.
// In each of them a request that counts itself goes on only where one less was counted before, and one for a part
// (Range, Content-Range) only where that part failed, or where a download goes on from where it was cut off.
// A 401 or 407 is a challenge: the request with credentials is a call of its own. It is known by what came between, if
// the challenge is a fault of ours: a request of the process for something else that succeeded, or an Authorization
// that was not there.
class Correlator {
 public:
  Correlator();
  explicit Correlator(Lessons lessons);  // of the reference run
  // `separate`: addresses of services that are known not to be one: by a port alone no call goes on at another of them.
  explicit Correlator(std::set<std::string, std::less<>> separate);
  ~Correlator();
  Correlator(Correlator&&) noexcept;

  // `head` has everything up to the request's head filled in (profile and operation too).
  Assignment at_head(const Exchange& head);
  // The exchange is over for the client (told, or it left). Must be called once for each.
  void over(const Exchange& exchange);

  // The same once more over a finished run, in place, where bodies are known (change_between) and all that came later;
  // calls are numbered anew. Measured on made-up clients (tests/trace/calls/calibration_test.cc): of what is called
  // certain 99.9 % are right, likely 98 %, possible 90 %.
  //   - What names a call (call id, id header) is left to it: nothing else goes on from an attempt that it will name
  //     again. An id header by which a client names more than a call, anywhere in the run, is none.
  //   - Of calls that wait the one with the same body goes on. With another body it is a call of its own; at one call
  //     site `possible`, where neither body was sent again and nothing came after a success.
  //   - Where the stacks of both are known, what their functions do without faults decides (Lessons::turns): the next
  //     thing or statement is a call of its own; what comes again only after a failure goes on, likely.
  //   - What is left of a body that the first attempt has read (content.h, left_of) goes on from it at one call site,
  //     where nothing else comes there before or after: likely where the reference sends all of it once, or nothing is
  //     left (of a large form: of a part) and nothing came after a success; else possible.
  //   - What its test sends once without faults (Lessons::once) goes on where it comes again, from another process too:
  //     likely.
  //   - What its test sends more than once without faults (Lessons::often), each to a good end, goes on from a failure
  //     where it comes by so many times more often as it comes after a failure, or its test failed (`broke_off`):
  //     likely.
  //   - Instead of the call site, of `several` and of polls this decides: how often the same request comes that long
  //     after a failure, beside how often it comes that long after a success (Hindsight::odds). From 0.97 it is likely
  //     (possible among parallel identical ones and at a poll), from 0.87 possible (not among those).
  //   - Else it is attempt 1, `possible`: it may begin a call, or go on from one that cannot be named.
  static void correlate_again(std::vector<Exchange>& exchanges, const Lessons& lessons = {}, bool broke_off = false);
  // The same for each test of a run by itself, as if it had been run alone: how one test waits says nothing of another.
  static void correlate_each_test(Run& run, const Lessons& lessons = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace retrial::trace
