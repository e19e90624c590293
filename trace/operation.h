#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "trace/exchange.h"

namespace retrial::trace {

// A target's path with what is plainly data taken out: numbers, UUIDs, hashes, timestamps, addresses, base64, long
// random words, and names with a random tail become {id}, the whole segment. "/users/42/orders" -> "/users/{id}/orders",
// "/jobs-17-ab12f" -> "/{id}". Versions (v1, v2beta1) and a method of the thing ("/topics/17:publish") stay. The query is left out. Where
// it cannot tell it takes out too much rather than too little: two runs must come out the same.
std::string template_path(std::string_view target);

// Names a target without what changes from one attempt of a call to the next: signatures, dates and nonces in the
// query, counters of attempts. Equal for two attempts of one call, in one process.
std::uint64_t target_key(std::string_view target);

// Method, templated path, and the action where a query key or header names one: "POST / Action=SendMessage".
// Of a gRPC call its path alone: "/package.Service/Method".
// The service is no part of it. Uses the exchange's profile.
std::string operation_of(const Exchange& exchange);

}  // namespace retrial::trace
