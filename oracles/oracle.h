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
struct Exhibit {
  const trace::CaseRecord* row = nullptr;
  std::vector<const trace::Comparison*> comparisons;  // never empty; the latest last
  Nanos hold = 0;                                     // the least that a stalled exchange was held, [run] hold
};

// The cases of one client, which some verdicts need more than one of: a campaign shows each as it has been run, and at
// its end all of them; the trial of one client (`judge`) all at once.
using Cases = std::span<const Exhibit>;

struct Opinion {
  std::vector<trace::Finding>
      findings;  // id, test, site, service, operation, policy and fault are filled in by `state`
  std::vector<trace::Finding> notes;
  std::vector<trace::Judged> not_judged;
  bool again = false;  // the evidence is too thin as yet: repeat the case
};

// missing-cap: a call that makes more attempts than this, or goes on for longer in its client's time, has no cap that
// could be waited for, and ends its case.
inline constexpr int kAttemptsWithoutEnd = 150;
inline constexpr Nanos kTimeWithoutEnd = 30 * 60 * kSecond;

// An oracle looks back: it states what the fault brought about that a right client would not have let happen. Pure: the
// same cases give the same opinion. A run marked incomplete is never shown to it.
class Oracle {
 public:
  virtual ~Oracle() = default;
  virtual std::string_view name() const = 0;  // the verdict it gives, or its family
  virtual void judge(Cases cases, Opinion& opinion) const = 0;
  // It compares call sites, so that a campaign asks it at its end alone.
  virtual bool compares_sites() const { return false; }
};

std::span<const Oracle* const> oracles();

// All oracles over these cases. One event gives one verdict: of findings on the same call site and operation the
// stronger stays (duplicate-effect over retries-non-idempotent, certain over likely). What may not be judged
// (incomplete, interrupted, a fault that never fired) is left out, and said.
Opinion judge(Cases cases);
// Those alone that compare call sites.
Opinion compare_sites(Cases cases);
inline Opinion judge(const Exhibit& exhibit) { return judge(Cases(&exhibit, 1)); }

// A finding or note on this call of the case with what every oracle has to fill in: row, call, attempts, gaps,
// evidence, id. `message` and `advice`: a sentence each (trace/finding.h).
trace::Finding state(const Exhibit& exhibit, const trace::Comparison& comparison, const trace::Call& call,
                     std::string verdict, trace::Confidence confidence, std::string message, std::string advice = {});

// Lower is worse: the order of a report.
int rank(const trace::Finding& finding);

}  // namespace retrial::oracles
