#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/run.h"

// What a run's exchanges do to which resources, as far as the wire shows it.
namespace retrial::predict {

enum class Kind : std::uint8_t {
  read,
  wait,     // a read that the service answers once something has changed (a long poll, a watch)
  write,    // changes what is there
  take,     // gets what is next in it, which nobody else gets then (a queue's receive)
  create,   // there was nothing, and now it is there
  lease,    // takes hold of it: acquires, locks, claims
  release,  // gives it back
  end,      // deletes, completes, closes it
};
std::string_view show(Kind kind);

// Does whether others find the resource, or may use it, depend on this? Then the order matters.
inline bool decides(Kind kind) { return kind >= Kind::create; }
inline bool looks(Kind kind) { return kind == Kind::read || kind == Kind::wait; }

// An exchange that was carried out (answered below 400), and what it was about. Points into its run.
struct Touch {
  const trace::Exchange* e = nullptr;
  std::string path;  // of the resource: its target's, without query, action and trailing slash; decoded
  Kind kind = Kind::read;
};

// The resource that a request is about, and what it asks to be done with it; whether it was done its answer says.
//
//   PUT, PATCH                     write; create where the service says 201
//   POST                           write; create of what Location or an `id` in the answer names, where it says 201
//   POST .../WORD, .../x:WORD      what the word means (complete, release, acquire ...), of the path before it
//   x-ms-lease-action: WORD        the same, of the path
//   POST .../WORD, no data in it   a procedure (put, range, deleterange, lock ...): of the path before it and what `key`,
//                                  `name` or `id` of its JSON body names there
//   DELETE                         end
//   GET, HEAD, and what a profile calls safe    read; wait with `wait`, `watch` or `timeout` in its query
Touch touch_of(const trace::Exchange& e);

// Was it sent in a test itself, not in its set-up or teardown? (or by a command without tests)
bool of_test(const trace::Exchange& e);

// Those of a run in the order of their beginnings. A first PUT to a path that nobody has seen before creates it.
std::vector<Touch> touches_of(const trace::Run& run);

// Does the order of these two of one service matter: is one of them about what the other creates or ends? One lies in
// the other, or both are about the same. A list is about what lies right in it.
bool concern(const Touch& a, const Touch& b);

}  // namespace retrial::predict
