#pragma once
#include <set>
#include <string>
#include <vector>

#include "oracles/members.h"
#include "trace/exchange.h"

// Members of what an exchange carries, whatever it is written in: JSON, a form, or the messages of an RPC. Of these
// names are not on the wire: their members have none, and the number of the field for a path ("#3.1", of those that
// repeat "#3.1/0"). What is not whole, or not readable, has none.
namespace retrial::oracles {

std::vector<Member> members_sent(const trace::Exchange& e);
std::vector<Member> members_answered(const trace::Exchange& e);

// Is what was kept of its answer's body all of it: by its length, or as JSON, which in chunks is longer on the wire?
bool kept_whole(const trace::Exchange& e);

// Of a message each field that the other has and it has not: it is 0, or empty (proto3 leaves it out).
void add_defaults(std::vector<Member>& members, const std::vector<Member>& other);

// The entries of what a request sends as a list, each as a text that is the same for the same entry.
std::multiset<std::string> entries_sent(const trace::Exchange& e);

}  // namespace retrial::oracles
