#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trace/comparing/comparison.h"

// Did the service know a repeat for one? By what it did: its own answers, whether its client was told of them or not,
// and what was read of it afterwards. Both exchanges are attempts of one call, the earlier one first.
namespace retrial::oracles {

struct Shown {
  enum class Effects : std::uint8_t { unknown, one, two };
  Effects effects = Effects::unknown;
  std::string by;     // the clause that says so: "the two answers name two different results (id 7 and 8)"
  bool firm = false;  // one: by more than an id in both, which a stub gives to everybody
};
// What it says of the second (`"duplicate": true`, `Idempotent-Replayed`, 409, 208, 200 after 201), the ids in both
// answers that were not in the request, and else how often a list of the same path that was read later holds what was
// sent.
Shown shown_by_service(const trace::Comparison& c, const trace::Exchange& before, const trace::Exchange& next);

// Does its answer call it a repeat of an earlier one (`Idempotent-Replayed: true`, `"duplicate": true`)?
bool called_a_repeat(const trace::Exchange& e);

// Does a query ask for a part of a list (a page, a limit)? It may hold less than there is.
bool asks_for_part(std::string_view target);

// A count that the second execution moved once more: in the two answers, or by what was read before and after, against
// the reference: "\"balance\" went from 5 to 10". Versions, times and rates are none. Empty: there is none.
std::string counted_on(const trace::Comparison& c, const trace::Exchange& before, const trace::Exchange& next);

// A count that a client set by what it had read, and after a loss read and set once more, as if the first had not been
// carried out: by its own words, beside the one step that the reference shows.
struct CountedAgain {
  const trace::Exchange* next = nullptr;
  std::string how;  // "\"stock\" went from 100 to 99 and on to 98, where it moves by -1 without the fault"
};
std::optional<CountedAgain> counted_again(const trace::Comparison& c, const trace::Exchange& before);

// A member of the query or the body that names the request, by which a service may know it again. What it is known by
// is its name (`request_id`, `eventId`, `ref`), or that the reference sends another value in each of several calls of
// the operation, none of which it was given by the service.
struct RequestName {
  std::string name;
  bool same = false;  // in both; where one is, others that change are of no account
};
std::optional<RequestName> request_name(const trace::Comparison& c, const trace::Exchange& before,
                                        const trace::Exchange& next);

// Do both hold the same, but for a name that each has drawn for itself (a UUID for an `id`), and times?
bool same_but_for_name(const trace::Exchange& a, const trace::Exchange& b);

// Has each entry of this batch an id that the client gave it, by which a service may know it again in another?
bool entries_have_names(const trace::Run& run, const trace::Exchange& e);

}  // namespace retrial::oracles
