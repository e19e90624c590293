#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "oracles/recognition.h"

// What messages without names tell of a repeat: two answers of an RPC, and what its client made up for each request.
namespace retrial::oracles {

// By the messages of both answers: the same, the service knew it again or it has no effect of its own; another value
// where the reference has that of the first, it was done again.
Shown shown_by_messages(const trace::Comparison& c, const trace::Exchange& before, const trace::Exchange& next);

// A value that the client made up for this call (the reference has another there, drawn as a UUID is): the same in
// both, or another in the second.
std::optional<RequestName> drawn_name(const trace::Comparison& c, const trace::Exchange& before,
                                      const trace::Exchange& next);

// Are both one call though they differ, by what differs alone: values that are made up for each request, of an
// operation that the reference asks for once there?
bool one_but_for_drawn(const trace::Comparison& c, const trace::Call& call);

}  // namespace retrial::oracles
