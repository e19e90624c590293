#pragma once
#include <string>

#include "trace/exchange.h"

namespace retrial::trace {

// The vendor's client that sent this request, by the name that it gives itself in User-Agent (RFC 9110 10.1.5): the
// first product of a line that names a software development kit, with its version: "azsdk-js-storagequeue/12.17.0".
// Its retries are its own at every call site. Empty: general HTTP clients and gRPC, whose retries are what each place
// makes of them, and whoever does not say.
std::string sdk(const Exchange& e);

}  // namespace retrial::trace
