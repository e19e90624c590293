#pragma once
#include <string>

#include "trace/comparing/comparison.h"

namespace retrial::trace {

// Who sends a call again: that whose activation stays the same over its attempts.
//
//   the innermost activation (activation.h) that all attempts share is
//     of one of the application's functions     its frame, as the chain has it    "src/base.py:12 ask"
//     of a library, entered once for all        the innermost library so shared   "urllib3 2.8.0"; none but what only
//                                               runs what it is given (p-limit): the function that went on
//     the first, yet all have one call id       likewise: a task of its own was given to the library
//   it is of no frame of the chain (the test)   ""
//   they share none, or a stack is missing      ""
//
// Of an agent that cannot mark frames, but says which of them run (an empty caller parts them from those that await
// them): the function that went on and made the later attempts, where they have but one; else the outermost function
// that all attempts have in common.
//
// Of an agent that sends no stacks: the library, where all attempts have one call id; else the outermost function that
// comes to them by several lines; else the one that is said to go on; else the outermost that they have in common.
//
// Of Node's entries those are left out that were made by a function which the request does not come from: a test goes
// on in the course of the server that it has started.
//
// Libraries (Tag::libraries) are "run:name,run:name", percent-encoded, the outermost first: `run` as in the stack, of
// the first function of that library that had not returned; `name` with its version.
std::string retrier(const Call& call);

// It is the test itself that asks again, as its agent says: all attempts come from one activation, of no frame of the
// chain and no library; of Node, all that runs as each further one is sent is called from a statement of the test.
bool sent_by_test(const Call& call);

// How many frames of its chain ran when the request was sent, before those that awaited them; 0: its agent does not
// say, or nobody awaited. An empty caller parts them (docs/agents.md).
std::size_t running(const CallSite& site);

}  // namespace retrial::trace
