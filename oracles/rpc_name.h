#pragma once
#include <cstdint>
#include <string_view>

#include "trace/exchange.h"

// What an RPC does, by its name: there is no method that says it.
namespace retrial::oracles {

// "GetOrder" reads, "PlaceOrder" writes, "Level" says neither.
enum class Named : std::uint8_t { read, neither, write };
Named rpc_named(const trace::Exchange& e);

bool rpc_reads(const trace::Exchange& e);  // it is one, and its name says so

// Does it say what something is to be: "SetGate", "PutSpecies"? Done again it is the same.
bool rpc_sets(const trace::Exchange& e);
// Does it give something up, or settle it: "ReleaseGate", "AckTask"? Once more finds it given up.
bool rpc_gives_up(const trace::Exchange& e);

// Words that say so, in lower case; of HTTP and GraphQL too ("POST /berths/b1/release").
bool says_how_it_is(std::string_view word);
bool gives_up(std::string_view word);
bool acknowledges(std::string_view word);

}  // namespace retrial::oracles
