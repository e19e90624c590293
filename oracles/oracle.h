#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/campaign_record.h"
#include "trace/comparing/comparison.h"
#include "trace/profiles/profile.h"

namespace retrial::oracles {

// One case, as an oracle is shown it: the same test without and with the fault, aligned call by call. More than one
// comparison where the case was repeated. Of a command that was run with faults alone the reference is an empty run.
// Nothing here is owned.
struct ComparedCase {
  const trace::CaseRecord* row = nullptr;
  std::vector<const trace::Comparison*> comparisons;  // never empty; the latest last
  Nanos hold = 0;                                     // the least that a stalled exchange was held, [run] hold
  const trace::Run* control = nullptr;  // once more without the fault, after all of them; null: there was none
};

// The cases of one client, which some verdicts need more than one of: a campaign shows each as it has been run, and at
// its end all of them; the trial of one client (`judge`) all at once.
using Cases = std::span<const ComparedCase>;

struct Judgement {
  std::vector<trace::Finding>
      findings;  // id, test, site, service, operation, policy and fault are filled in by make_finding
  std::vector<trace::Finding> notes;
  std::vector<trace::Judged> not_judged;
  bool needs_more_runs = false;  // the evidence is too thin as yet: run the case again
  // What it would come to if more runs showed the same: no finding, but where the same is known of the client already
  // nobody has to look.
  std::vector<trace::Finding> leaning = {};
};

// What a verdict speaks of: the parts of a report, the worst first.
enum class Severity : std::uint8_t {
  wrong_effect,  // an effect was lost or done twice, or a result is wrong and nobody is told
  wrong_error,   // the caller is told of something else, or can no longer tell
  no_end,        // something goes on for ever, or multiplies
  haste,         // the service is given no rest
  information,   // of notes alone: never counted against the user
};

// A verdict that an oracle gives, in words for somebody who has never met it.
struct Verdict {
  std::string_view name;  // "duplicate-effect"; docs/verdicts.md has a section, or a row among the notes, of that name
  Severity severity = Severity::information;
  // It says what became of a call that was sent again. Several such verdicts on one call are one event, of which the
  // strongest is told; the others (delays, caps, time-outs) speak of something else, and stand beside it.
  bool of_outcome = false;
  // It lies in the function that asks, and not in how the client below it sends.
  bool of_caller = false;
  // That it was sent again is what is wrong, whatever it is: a library that does so is set up in one place.
  bool of_repeat = false;
  std::string_view title;   // "A call had its effect twice"
  std::string_view why;     // why that is a bug (a note: why it is worth knowing), one sentence
  std::string_view remedy;  // what is usually done about it, one sentence; of a note it may be empty
};

// How far a call is looked at.
struct Horizon {
  int attempts = 0;
  Nanos client_time = 0;  // from its first attempt on
  Nanos looks = 0;        // of its waits, before so many attempts are beyond it: it may wait until something is ready
};
struct Horizons {
  Horizon near;  // who goes on beyond it is suspected, or perhaps wrong
  Horizon far;   // nothing more is to be learned: a run may be ended once a faulted call goes on beyond it
};

// An oracle looks back: it states what the fault brought about that a right client would not have let happen. Pure: the
// same cases give the same judgement. A run marked incomplete is never shown to it.
class Oracle {
 public:
  virtual ~Oracle() = default;
  virtual std::span<const Verdict> verdicts() const = 0;  // that it gives, never empty; the worst first
  virtual void judge(Cases cases, Judgement& judgement) const = 0;
  // It compares call sites, so that a campaign asks it at its end alone.
  virtual bool compares_sites() const { return false; }
  // It compares runs in which one thing grows, and is asked of these cases alone.
  virtual bool compares_sizes() const { return false; }
  virtual Horizons horizons() const { return {}; }
};

// The worst verdicts first (registry.h).
std::span<const Oracle* const> oracles();
// Null for a name that no oracle gives.
const Verdict* verdict_named(std::string_view name);
// What every oracle has seen enough with.
Horizons horizons();

// All oracles over these cases. One event gives one verdict: of findings on the same call site and operation the
// stronger stays (duplicate-effect over retries-non-idempotent, certain over likely). What may not be judged
// (incomplete, interrupted, a fault that never fired) is left out, and said.
Judgement judge(Cases cases);
// Those alone that compare call sites.
Judgement compare_sites(Cases cases);
// Those alone that compare sizes: a case's comparisons are of runs with more and more of one thing.
Judgement compare_sizes(const ComparedCase& compared);
inline Judgement judge(const ComparedCase& compared) { return judge(Cases(&compared, 1)); }

// A finding (of a verdict that is information: a note) on this call of the case with what every oracle has to fill in:
// row, call, attempts, gaps, evidence, id. `message` and `advice`: a sentence each (trace/finding.h).
trace::Finding make_finding(const ComparedCase& compared, const trace::Comparison& comparison, const trace::Call& call,
                            const Verdict& verdict, trace::Confidence confidence, std::string message,
                            std::string advice = {});
// What cannot be judged: of this case, and of this call of it.
trace::Judged not_judged(const ComparedCase& compared, std::string why);
trace::Judged not_judged(const ComparedCase& compared, const trace::Call& call, std::string why);

// Of a run in which no call met the fault: what became of it.
std::string why_not_fired(const trace::Run& run);

// Lower is worse: the order of a report.
int rank(const trace::Finding& finding);

}  // namespace retrial::oracles
