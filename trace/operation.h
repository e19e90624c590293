#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "trace/run.h"

namespace retrial::trace {

// A path with what is plainly data taken out: numbers, UUIDs, hashes, timestamps, long random words become {id}.
// "/users/42/orders" -> "/users/{id}/orders". The query is left out.
std::string template_path(std::string_view path);

// Method, templated path, and the action where a query key or header names one: "POST / Action=SendMessage".
// The service is no part of it. Uses the exchange's profile.
std::string operation_of(const Exchange& exchange);

}  // namespace retrial::trace
