#pragma once
#include <string_view>

#include "proxy/codec/h1.h"

namespace retrial::proxy {

// Reads out of a head's fields what forwarding needs to know, and whether it could be read two ways. `request`: of a
// request. Everything else of `head` is filled in.
void find_facts(H1Head& head, bool request);

// Does a comma-separated list (RFC 9110 5.6.1) hold `token`, ASCII case folded?
bool lists(std::string_view list, std::string_view token);

// May a field of that name stand in trailers that are passed on (RFC 9110 6.5.1)?
bool may_trail(std::string_view name);

}  // namespace retrial::proxy
