#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/run.h"

namespace retrial::trace {

// A bug that an oracle states, or a note (information, never counted against the user).
// `verdict` is one of the names in docs/verdicts.md.
struct Finding {
  std::string id;  // see finding_id
  std::string verdict;
  Confidence confidence = Confidence::possible;
  bool confirmed = false;
  bool accepted = false;  // listed in [[accept]]
  bool known = false;     // in the earlier report that --since names
  bool note = false;
  std::string test;
  std::optional<CallSite> site;
  std::string service;
  std::string operation;
  std::string policy;                   // "P1"
  std::string fault;                    // in the fault language: "lost-response(reset) x 1, then pass"
  std::string message;                  // what was seen, in numbers: one sentence
  std::string advice;                   // what a right client would have done: one sentence
  std::vector<std::uint64_t> evidence;  // exchange ids in `run`
  std::uint64_t run = 0;                // the run that shows it
  std::uint64_t reference = 0;          // the run beside it
  int attempts = 0;
  std::vector<double> gaps_ms;
  // Who sent again: "src/base.mjs:12 ask", "urllib3 2.8.0"; "": it was not sent again, or it is not known. retrier.h
  std::string retried_by = {};
  std::string sdk = {};        // the vendor's client that sent it: sdk.h
  std::string raised_at = {};  // where a programming error that it tells of was raised: "src/http.js:21"
};

// What was judged and found right, or could not be judged (`why`).
struct Judged {
  std::string test;
  std::optional<CallSite> site;
  std::string service;
  std::string operation;
  std::string policy;
  std::string fault;
  std::string why;  // not judged: why; clean: what was seen ("3 attempts, the test passed")
};

// The end of `why` where a call gave up and its test passed: right or wrong, nothing shows it.
inline constexpr std::string_view kNotSeen = "what was made of the error is not seen";
inline bool is_seen(const Judged& judged) { return !judged.why.ends_with(kNotSeen); }

// Eight hex digits of verdict, call site (files and functions, no line), operation and fault: the same in every run.
std::string finding_id(std::string_view verdict, const std::optional<CallSite>& site, std::string_view operation,
                       std::string_view fault);

}  // namespace retrial::trace
