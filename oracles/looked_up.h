#pragma once
#include <string>

#include "trace/exchange.h"

// The thing that a read asks for by a name of its own.
namespace retrial::oracles {

// That name, decoded: "/vessels/9000001", "/skiers?mail=eva@example.org"; of several members of a query the longest
// value. Empty: there is none that is long enough to be told from others'.
std::string looked_up(const trace::Exchange& read);

// Does this write make such a thing where it was looked for: "POST /vessels" of 9000001? Where several names stand in
// the path ("/patients/ada/1815") the body holds each of them; a word that says by what is looked for
// ("/skiers/by-mail/eva@example.org", "/skiers/search?mail=...") is none. Of a query each member that the body has too
// is the same there. Not of what is made again whenever it is not at hand (a cache's entry, a session).
bool makes_where_looked(const trace::Exchange& read, const trace::Exchange& write);

// Does the answer to the write tell the id that the read tells where it goes well? Then its service knew the thing, and
// made none.
bool names_same(const trace::Exchange& read_well, const trace::Exchange& write);

}  // namespace retrial::oracles
