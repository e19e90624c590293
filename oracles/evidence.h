#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oracles/oracle.h"
#include "trace/look.h"

// What several oracles read off a compared case, and how they put it.
namespace retrial::oracles {

// Attempt `next` was sent after the client had been told how `before` ended. Else it is no retry: hedging, or a copy.
bool follows(const trace::Exchange& before, const trace::Exchange& next);

// gRPC's own doing, below any retry of the client's: what was refused is sent again, since the service cannot have
// executed it (gRFC A6, "transparent retries").
inline bool transparent(const trace::Exchange& before) { return before.refused; }

// A copy on purpose: gRPC says which attempts are of one call (gRFC A6), and this one did not wait for the other's end.
inline bool hedged(const trace::Exchange& before, const trace::Exchange& next) {
  return next.grpc.is && !follows(before, next);
}

// Does this fault race with the client? A reset before the request was read may meet a client that has not sent it all,
// and a connection that ends while it is idle one that has sent nothing: whether it is sent again is then a matter of
// chance, or of the runtime below the client.
bool races(const trace::FaultSpec& fault);

// The test that a case is about; of a command without tests its one result.
const std::string& test_of(const ComparedCase& compared, const trace::Comparison& c);

// The service's own answer, let through and delivered whole.
bool delivered(const trace::Exchange& e);

// The call ended with an error that was told as an answer, and who calls it there is given such answers whole, as the
// suite without faults shows: a client library that its own tests call. Who takes it for data is the test.
bool given_as_answer(const ComparedCase& compared, const trace::Call& call);
inline constexpr auto kGivenAsAnswer =
    "this call site gives its caller errors as answers, as a test that passes without faults shows (it is answered 5xx "
    "there): who read this one without a look at its status was the test";

// May this failure pass? An error of the fault's by which the service says so, or no answer at all.
bool may_pass(const trace::Exchange& e);
// Client time, after `since`, at which the test itself was over: what goes on behind it is its fixtures'. The end of
// the run where that is not known.
Nanos test_over(const trace::Run& run, Nanos since);

// It was carried out, its client was told otherwise, and sent it again: that the service refused, as it is there
// already or no more (404, 409, 410, 412, 422, 423, and what gRPC has for them).
bool met_own_effect(const trace::Call& call);

// May attempts at its service have come to nobody, so that they are no exchanges?
bool may_be_unseen(const trace::Comparison& c, const trace::Exchange& failed);

inline bool is_success(int status) { return status >= 200 && status < 300; }

// f(compared, comparison, call) for every call of these cases in which a fault fired.
template <class F>
void each_faulted(Cases cases, F f) {
  for (auto& compared : cases)
    for (auto* c : compared.comparisons)
      for (auto* call : c->faulted) f(compared, *c, *call);
}

// Go's are: a test may have been told of one beside a value, and not have looked, and one goes on after an error.
bool errors_are_values(const trace::Run& run);

// Did this process look at the service between the two, and was answered well? Then what it sends is what it has read:
// whoever meets a failed condition, or cannot know what became of a write, reads again before he writes.
bool read_between(const trace::Run& run, const trace::Exchange& before, const trace::Exchange& next,
                  const std::function<bool(const trace::Exchange&)>& there = {});  // only such a read; none: any

// Did the thread that had sent `before` begin something between the two that was never sent before in this run, and
// hear the answer? Then it has gone on to the next thing, and comes back to this one on another occasion.
bool went_to_another(const trace::Run& run, const trace::Exchange& before, const trace::Exchange& next);

// What lies beside this call of the case in the reference, or null.
const trace::Call* counterpart(const trace::Comparison& c, const trace::Call& call);

// An error with which the service itself answered after the fault, and which the reference does not have, neither in
// the counterpart nor (for a call without one) in any call of the same operation. Only in faulted calls and calls
// without counterpart, and never an exchange that was open while a fault fired: its answer may be the application's own
// word on the fault.
struct ServiceError {
  const trace::Call* call = nullptr;
  const trace::Exchange* exchange = nullptr;
};
std::vector<ServiceError> new_errors(const trace::Comparison& c);

// Ways in which the client was told of the faults of this run, as bits of Told (client_words.h).
unsigned told_of(const trace::Comparison& c);

// Does this file of the project hold tests: this one, or any by its name and folder? What a test's own body sends is
// not the application's doing.
bool in_tests(std::string_view file, std::string_view test);

// Is it the application's own: no test's, and no look of ours? Without a call site (no agent) only of a command without
// tests.
bool by_application(const ComparedCase& compared, const trace::Exchange& e);
using trace::is_look;

// The outermost function of the application in this call's chain; of one without a call site empty.
trace::Frame outermost_frame(const trace::Call& call);

// One function of the application holds both calls, by itself or by what it calls, so that it is for it to bring the
// second about. Of one line they are a helper's, through which everything goes.
bool in_one_function(const trace::CallSite& a, const trace::CallSite& b, std::string_view test);

// --- in words ---
std::string show_answer(int status);                              // "404 Not Found", "NOT_FOUND"
std::string show_error(const trace::Exchange& error);             // the same of a service's own
std::string ordinal(std::size_t n);                               // "first" ... "tenth", "11th"
std::string show_gap(Nanos gap);                                  // "3.2 ms", else as show_duration
std::string counted(std::size_t n, std::string_view one);         // "1 attempt", "3 attempts"
std::string shorten(std::string_view text, std::size_t longest);  // one line; what is too long loses its middle
std::string short_path(std::string_view file);                    // "requests/models.py" of a library's file
// What was done to this attempt: "the first response was lost (RST after 312 response bytes were withheld)".
std::string what_was_done(const trace::Call& call, std::size_t attempt);
// Was it still going on when its run was ended? Not where its last attempt came to a good end, nor where it has been
// quiet for sixty times the longest that it waited before.
bool goes_on(const trace::Run& run, const trace::Call& call);
// Index of the first attempt in which a fault fired; the number of attempts if there is none.
std::size_t first_fired(const trace::Call& call);
// Did the fault end it while its answer was on the way to the client?
bool cut_in_answer(const trace::Exchange& e);

}  // namespace retrial::oracles
