#pragma once
#include <vector>

#include "oracles/members.h"
#include "oracles/oracle.h"

// A list that comes page by page, by one call site and operation.
namespace retrial::oracles {

// The page that was answered before this read and tells where it is: the read differs from it in where its page begins
// alone, by the name of a query's key ("page", "offset") or by a value that the answer holds (a cursor, a link, an
// RPC's token). Null: it is the first page, or no page.
const trace::Exchange* page_before(const trace::Run& run, const trace::Exchange& read);

// Did the walk end at this read, and not in the reference? Nothing was answered that was asked for at the same place
// afterwards, by this service or by another. Not where the reference's walk ends there too, with a page of no entries.
bool walk_ended_at(const trace::Comparison& c, const trace::Call& read);
// What that page tells, and the lists of those that follow it in the walk, each entry with a place of its own.
std::vector<Member> told_by_rest(const trace::Run& run, const trace::Exchange& page);
// Was this page, by its number, left out: did the walk go on to a later one, and was this never answered?
bool walk_went_past(const trace::Comparison& c, const trace::Call& read);

}  // namespace retrial::oracles
