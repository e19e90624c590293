#pragma once
#include <optional>
#include <string>
#include <vector>

#include "trace/campaign_record.h"

namespace retrial::campaign::report {

// Findings of one verdict at one call site, all with a retry or all without: one thing to mend. What became of a call
// (Verdict::of_outcome) is a thing to mend for each operation (of one method none but where their whole chains are the
// same), also at several call sites where their chains meet in a function that asks for it; how the client goes about
// it (its time-outs, its waits) is one for all, whatever the service, also at several call sites where nothing was
// sent again and one frame sends, or the sending frame of one is in the chain of the other; and for one service where
// one vendor's client (sdk), function or library sends again at all of them (retried_by); and of one service where the
// call sites are lines of tests, which nothing but a library stands behind; and of what asks for a token, once, whoever
// needs it. So is that something was sent again (Verdict::of_repeat) by a library for one line, whatever that asks for.
// What goes wrong itself at one line after a failure (raised_at) is one thing, whatever failed.
struct Cause {
  std::string verdict;
  std::optional<trace::CallSite> site;
  std::vector<const trace::Finding*> findings;  // never empty; in the order given
  bool accepted() const;                        // all of them are
  const trace::Finding& surest() const;         // the first of those with the highest confidence
  // A function of `site`'s chain further out than the one that sends, which sends again; none: that one does, or a
  // library, or nobody.
  std::optional<trace::Frame> sends_again() const;
};
bool one_cause(const trace::Finding& a, const trace::Finding& b);
// In the order of their first finding, those that are wholly accepted last. Points into `findings`.
std::vector<Cause> causes(const std::vector<trace::Finding>& findings);

}  // namespace retrial::campaign::report
