#pragma once
#include <string>
#include <string_view>

#include "trace/comparing/comparison.h"

// What a run's requests did at the services, as far as these answered: things that were made and removed, by path.
// Everything here points into the comparison, whose runs are of bounded size (trace/comparing/sift.h).
namespace retrial::oracles {

// Did the service carry it out, and is it known to be more than a read?
bool had_effect(const trace::Exchange& e);
// The path of what it made: its own of a PUT, the Location or the id in the answer of a POST. Empty: it made nothing
// that can be named.
std::string made_by(const trace::Exchange& e);
// Of a POST also what this run removes: by the id that it gave, or its own path (`POST /locks/nightly`).
std::string made_by(const trace::Exchange& e, const trace::Run& run);

// What became of the thing at `path` after `from`.
enum class Removal : std::uint8_t {
  never,     // nothing that was sent names it
  given_up,  // a DELETE of it was sent, and not carried out
  done,      // a DELETE of it, or of what it lies in, was executed (404 and 410 too)
  perhaps,   // something else was done with it that may have been that
};
struct Removed {
  Removal how = Removal::never;
  const trace::Exchange* by = nullptr;
};
Removed removal_of(const trace::Run& run, std::string_view path, Nanos from);

// Is it the same that is asked for, of the same thing?
bool same_request(const trace::Exchange& a, const trace::Exchange& b);

// How often this request was carried out.
std::size_t times_done(const trace::Run& run, const trace::Exchange& request);

// Is this request sent several times in the reference, and no more often in the case? Then each is a thing of its own.
bool comes_as_often(const trace::Comparison& c, const trace::Exchange& request);

// From then on something was carried out that the reference does not have, nor asks for: perhaps the same in another
// way.
bool did_otherwise(const trace::Comparison& c, Nanos from);

// Did one operation come so often that the trace may hold only some of its calls? Then nothing is known to be missing.
bool may_be_thinned(const trace::Run& run);

// The same test came to its end in both runs by itself.
bool came_to_its_end(const trace::Comparison& c, std::string_view test);

}  // namespace retrial::oracles
