#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "oracles/recognition.h"
#include "trace/finding.h"

namespace retrial::oracles {

// What was shown of repeats over several cases. An answer that is lost again, or given by a fault, or after which a
// test ends at once, shows nothing of what the service did in its own case, where another case of the same call site
// and operation does. And who is not seen to send again in one case may do so in another, after the same status; and
// who does not wait before that in one test may wait in another: tests put a clock of their own in its place.
class KnownRepeats {
 public:
  void add(const trace::Comparison& seen);
  // Takes out what is about a repeat of what the service knew again elsewhere, and never did twice, or about a call
  // that was not sent again, where elsewhere it is. What elsewhere was given the same answer to the letter, or of which
  // what was looked at afterwards shows no more than without the fault, is possible at most, as is what was sent
  // without a pause by the very line that waits in another test; and what was only sent again, too, where the two
  // answers of a repeat, wherever both were seen, made no more of it. Those taken out are given back.
  std::vector<trace::Finding> settle(std::vector<trace::Finding>& said) const;

 private:
  using Place = std::tuple<std::string, std::string, std::string>;  // service, call site, operation
  using Retrier = std::pair<int, std::string>;  // after this status; a line of the application, or else a Place
  struct Waited {
    std::string test;
    Nanos time = 0;
  };
  bool refutes(const trace::Finding& finding) const;
  void add_waits(const trace::Comparison& seen, const trace::Call& call);
  const Waited* waited_elsewhere(const trace::Finding& finding) const;
  bool doubts(const trace::Finding& finding) const;

  std::map<Place, Shown::Effects> shown_;
  std::set<Place> alike_;
  std::set<Place> as_usual_;
  std::map<Place, trace::Confidence> harms_;  // the worst, of repeats both of which were answered
  std::map<Place, std::set<int>> again_;      // sent again after these, which a fault told
  std::map<Retrier, Waited> waited_;          // the longest that was seen
};

// What not-retried-transient says of a call that got this status: by it such a note is known.
std::string not_sent_again(int status);

// What missing-delay says of such calls.
std::string while_answered(int status);

// What becomes of a finding that is refuted, and the end of its reason.
inline constexpr std::string_view kKnewItAgain =
    "what the service did with the repeat does not show here; in another case it knew it again";
trace::Judged taken_back(const trace::Finding& finding);

}  // namespace retrial::oracles
