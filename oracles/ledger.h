#pragma once
#include <map>
#include <set>
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

// Does it remove a thing, or end or give up what is held until then: an upload, a session, a transaction, a lock
// ("POST /uploads/u1/complete")?
bool removes(const trace::Exchange& e);

// What a run without faults removes of what it makes, read once.
class Removals {
 public:
  explicit Removals(const trace::Run& run);
  // As above; of a POST also what that run removes after one like it: by the id, or another member, in its answer
  // ("DELETE /leases/l101" after "POST /devices/d1/lease"), or at its own path ("POST /locks/nightly").
  std::string made_by(const trace::Exchange& e) const;
  bool made(std::string_view path) const { return made_.contains(path); }

 private:
  void learn_name(const trace::Exchange& e);
  bool removes_below(std::string_view folder, std::string_view name) const;

  std::map<std::string, std::string, std::less<>> names_;    // by operation: the member that names what it makes
  std::map<std::string, std::string, std::less<>> folders_;  // by operation: where what it makes is removed
  std::set<std::string, std::less<>> removed_, made_;        // paths
};

// What became of the thing at `path` after `from`.
enum class Removal : std::uint8_t {
  never,     // nothing that was sent names it
  given_up,  // what removes it was sent, and not carried out
  done,      // what removes it, or what it lies in, was executed (404 and 410 too)
  perhaps,   // something else was done with it that may have been that
};
struct Removed {
  Removal how = Removal::never;
  const trace::Exchange* by = nullptr;
};
// `usual`: what it asks for too, but for what removes, removes nothing.
Removed removal_of(const trace::Run& run, std::string_view path, Nanos from, const trace::Run* usual = nullptr);

// Did the service say that there is no such thing (404, 410, NOT_FOUND)?
bool is_gone(const trace::Exchange& e);

// Is it the same that is asked for, of the same thing?
bool same_request(const trace::Exchange& a, const trace::Exchange& b);

// How often this request was carried out.
std::size_t times_done(const trace::Run& run, const trace::Exchange& request);

// Does this request come several times in the reference, and no more often in the case, of what `counts`? Then each is
// a thing of its own.
bool comes_as_often(
    const trace::Comparison& c, const trace::Exchange& request,
    bool (*counts)(const trace::Exchange&) = [](const trace::Exchange&) { return true; });

// Is it a look that its client repeats itself until the answer is another? By one statement of its test the reference
// sends it several times, and is told something else at last; so is the case.
bool looks_until_changed(const trace::Comparison& c, const trace::Exchange& request);

// From then on something was carried out that the reference does not have, nor asks for: perhaps the same in another
// way.
bool did_otherwise(const trace::Comparison& c, Nanos from);

// Each attempt was kept from the service.
bool kept_from_service(const trace::Call& call);
// The same request was carried out after all; or, where each run sends another, as many as without the fault. Or in
// another way: another service, a queue. `beside`: what it is in the reference.
bool done_otherwise(const trace::Comparison& c, const trace::Call& call, const trace::Call& beside);

// Did one operation come so often that the trace may hold only some of its calls? Then nothing is known to be missing.
bool may_be_thinned(const trace::Run& run);

// The same test came to its end in both runs by itself.
bool came_to_its_end(const trace::Comparison& c, std::string_view test);

// Is it a place where something is kept for later, or for people: "/dead-letters", "/payments/held"?
bool is_put_aside(std::string_view target);

}  // namespace retrial::oracles
