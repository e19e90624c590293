#pragma once
#include <cstddef>
#include <vector>

#include "trace/comparing/comparison.h"

namespace retrial::trace {

// Was this attempt (from 0) sent by the transport below the client, as it was and at once, when the connection broke
// under the one before? Then it is neither the client's policy nor counted by its cap, and happens once in a row. Known
// by a counter that did not go on (count_of); by a reused connection that was reset before the first byte of an answer,
// and a fresh one within a few milliseconds; or where that happens in pairs: gaps of 1 ms, 1 s, 1 ms, 1 s.
bool resent_by_transport(const Call& call, std::size_t attempt);
// The same of each attempt, read once.
std::vector<bool> resent_by_transport(const Call& call);

// Attempts (from 0, which is the first of them) at which an outer layer began anew: an SDK's 3 attempts inside an
// application's 4 are 12 attempts, which began anew at 0, 3, 6 and 9. By the agent's call id where it is known, and
// stays the same over any two attempts (a loop of the application's own enters the library anew each time); else by a
// counter that starts again, by an id that is another where it was kept before, and, where neither says anything, by
// gaps that come again in the same order at least once (20 ms or a quarter of a gap apart), with another one, half or
// twice as long at least, between. Jitter hides the last.
std::vector<std::size_t> layer_starts(const Call& call);

// The same of two loops of the application's own, of which gaps alone tell: rounds of one length, three at least (the
// last may be cut), over eight attempts or more, whose every gap is at most half as long as any between two rounds; or,
// of four attempts or more, whose gaps grow within each and begin anew in the next. So jitter on either does not hide
// them, nor an outer back-off that grows. Only the first attempt where there are none.
std::vector<std::size_t> round_starts(const Call& call);

// The same of the application's own loops, whatever their gaps: an attempt to which a function further out went on than
// to the one before begins a round. By the activations that an agent marks (Python), or by which functions of the chain
// run and which await them (Node). Only the first attempt where neither says so.
std::vector<std::size_t> nested_starts(const Call& call);

}  // namespace retrial::trace
