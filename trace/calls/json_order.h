#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "trace/exchange.h"

namespace retrial::trace {

// A JSON text with the members of each object in the order of their names, and without white space between its tokens;
// names and values as they stand there. A Java map writes them in another order in each process. None: it is no JSON,
// or is nested more than 64 deep.
std::optional<std::string> json_in_order(std::string_view text);

// Gives a JSON body that was kept whole the digest of what it holds, in whatever order it was written.
void digest_in_order(Exchange& e);

}  // namespace retrial::trace
