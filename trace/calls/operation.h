#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "trace/exchange.h"

namespace retrial::trace {

// Names a target without what changes from one attempt of a call to the next: signatures, dates and nonces in the
// query, counters of attempts. Equal for two attempts of one call, in one process.
std::uint64_t target_key(std::string_view target);

// Method, templated path, and the action where a query key or header names one: "POST / Action=SendMessage".
// Of a gRPC call its path alone: "/package.Service/Method".
// The service is no part of it. Uses the exchange's profile.
std::string operation_of(const Exchange& exchange);

}  // namespace retrial::trace
