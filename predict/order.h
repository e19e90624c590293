#pragma once
#include <optional>
#include <span>
#include <string>

#include "trace/exchange.h"

// What must have happened before what, whatever the threads do: Lamport's order, as far as the wire and the agents show
// it. What cannot be known orders two requests, so that nothing is said of them.
namespace retrial::predict {

// Why nothing is known to keep the second of two requests back until the first has been answered; none: something does,
// or may.
//
//   both were open at the same time: who sent the second did not wait for the first
//   they come from two processes, two threads, or two strands (trace::strands_of) of one process
//
// unless the answer to the first was there before the second was sent, and
//
//   one strand sends both                            (program order)
//   the second's strand, or one that it comes of, was begun by the first's after that request   (fork)
//   the second's strand, or one that it comes of, had waited until the first's had ended, or its process    (join, exit)
//   the second holds a value that the first's answer gave out, and its request did not          (a message)
//   a third of these stands between them in the same way                                        (`between`)
//
// A lock, an event and a queue are not seen, nor a join that no agent tells: whether they keep the order is found out by
// a delay.
std::optional<std::string> unordered(const trace::Exchange& first, const trace::Exchange& second,
                                     std::span<const trace::Exchange* const> between);

}  // namespace retrial::predict
