#pragma once
#include <optional>
#include <string>
#include <vector>

#include "oracles/oracle.h"

namespace retrial::oracles {

// The case's test failed, where the reference's passed.
struct Failure {
  const trace::TestResult* result = nullptr;
  std::vector<const trace::Thrown*> told;  // the outermost exception, then its causes and members; `context` where an
                                           // error of the program's own was raised in handling it

  const trace::Thrown* outermost() const { return told.empty() ? nullptr : told.front(); }
};
// Nothing if the run was ended by us or by a signal: what a test says then is not its own word. But for one that had
// failed and was over.
std::optional<Failure> failure_of(const ComparedCase& compared, const trace::Comparison& c);

// The same of the test that was executed after it in the same process (Run::followed_by), where there was one.
std::optional<Failure> failure_of_next(const trace::Comparison& c);

// Had this test failed, and were its set-up, body and teardown over, when all stood still? Then its process was kept by
// what a test leaves open that comes to no end of its own: a server, a timer.
bool failed_and_was_over(const trace::Run& run, const std::string& test);

bool is_assertion(const trace::Thrown& thrown);
// Set-up and teardown pass without faults, so a failure there is the consequence of something else.
bool in_test_phase(const trace::TestResult& result);

// Did an assertion hold an exception's text against a pattern (pytest.raises(match=), assertRaisesRegex, toThrow(),
// assert.throws)? Then there was an exception.
bool is_about_exception(const trace::Thrown& assertion);

std::string text_of(const trace::Thrown& thrown);    // "type: message [code]"
std::string text_of(const Failure& failure);         // of all that was told
std::string text_of_causes(const Failure& failure);  // the same without programming errors
std::string named(const trace::Thrown& thrown);      // for a message: short type and the message's beginning

// Does this text show what was injected itself: the marker, the status, the words of the profile's error, or a status
// 5xx by which the application handed it on over HTTP?
// Did the test itself tell of an error for nearly each attempt of this call? A Go test goes on after `t.Error`: then it
// is the test that asks again.
bool told_of_each(const trace::Comparison& c, std::string_view test, const trace::Call& call);
bool shows_injected(const trace::Comparison& c, std::string_view text);
// The same, or a word by which clients speak of it (client_words.h).
bool shows_fault(const trace::Comparison& c, std::string_view text);

// Did the test expect an exception, and get one that shows the fault (pytest.raises, assertThrows)? Then it was told.
bool expected_by_test(const ComparedCase& compared, const trace::Comparison& c);

// The exception that shows the fault, and that nobody looked at while this test ran (a task that nobody awaited); else
// null.
const trace::Thrown* unheard(const trace::Comparison& c, const Failure& failure);

// Did the application answer a request of its own, which was open while a fault fired, with a status 5xx? Then its
// client was told.
bool told_over_http(const trace::Comparison& c);

// Did another process than the test's make this call, and is the test told how that process ended? A status says no
// more: what it was told itself it has printed.
bool told_by_exit_status(const trace::Comparison& c, const trace::Call& call, const Failure& failure);

// A failure that capture itself can bring about: a signal met a connect (CaptureCounts::interrupted).
bool may_be_caused_by_capture(const trace::Comparison& c, const Failure& failure);

}  // namespace retrial::oracles
