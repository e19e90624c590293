#pragma once
#include <string>
#include <string_view>

namespace retrial::trace {

// A target's path with what is plainly data taken out: numbers, UUIDs, hashes, timestamps, addresses, base64, long
// random words, and names with a random tail become {id}, the whole segment. "/users/42/orders" ->
// "/users/{id}/orders",
// "/jobs-17-ab12f" -> "/{id}". Versions (v1, v2beta1) and a method of the thing ("/topics/17:publish") stay. The query
// is left out. Where it cannot tell it takes out too much rather than too little: two runs must come out the same.
std::string template_path(std::string_view target);

}  // namespace retrial::trace
