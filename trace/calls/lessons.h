#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/calls/own_errors.h"
#include "trace/calls/services.h"
#include "trace/calls/turns.h"
#include "trace/run.h"

namespace retrial::trace {

// What a run teaches about the traffic of its clients that no rule can know beforehand. Learned from a reference run,
// and applied to it and to every run that is laid beside it, so that both sides read alike. Deterministic.
struct Lessons {
  // Polls: call site (or none) and operation where the same request follows itself, with no other request of that
  // process between, after an answer that is no failure, or will not be otherwise by itself (404: is it there by
  // now?); twice in a row, if it is no safe one. Or at equal intervals, a second or longer, whatever comes between.
  // With its pace: the shortest pause between two looks. Or what is read first of a service that refused connections
  // before: is it up by now? (Pace 0: not known.)
  std::map<std::uint64_t, Nanos> polls;
  // Requests that a test sent once, to a good end: the same once more goes on from a failure. Sorted.
  std::vector<std::uint64_t> once;
  // Those that it sent more than once, each to a good end: how often. More of them go on from failures.
  std::map<std::uint64_t, std::size_t> often;
  Turns turns;
  std::vector<std::uint64_t> sent;  // requests that a test sent at all. Sorted
  // Paths whose next segment is a name that somebody chose: "/users" -> what may not be folded there, because it has
  // been seen to be something else ("search"). Keys are templated themselves: "/orgs/{id}/users".
  std::map<std::string, std::set<std::string>, std::less<>> names;
  // Paths below which all is names of files, with themselves: "" of "/", "/dav". Their operations are "GET
  // /dav/{path}".
  std::set<std::string, std::less<>> trees;
  Services services;
  OwnErrors errors;
  // Services that ended their connection with each response, as those of HTTP/1.0 do: one that has a single thread
  // hears nobody else while a connection is open.
  std::set<std::string, std::less<>> closing;

  bool at_poll(const Exchange& exchange) const;
  // Does it come so soon after the look that failed that it is none, but a retry?
  bool hurries(const Exchange& exchange, Nanos pause) const;
  // The key of a request that came once; 0: it did not. Without its content: the only one of its target.
  std::uint64_t came_once(const Exchange& exchange) const;
  // How often it came, with its key (of a test, whatever the process); 0: not more than once, or not well each time.
  std::pair<std::uint64_t, std::size_t> came_often(const Exchange& exchange) const;
  std::uint64_t came_once_whatever_it_holds(const Exchange& exchange) const;
  bool came(const Exchange& exchange) const;
  // An operation with learned names and paths of files taken out: "GET /users/alice" -> "GET /users/{name}".
  // Idempotent.
  std::string rename(std::string operation) const;
  // operation_of, renamed.
  std::string operation(const Exchange& exchange) const;
  // Renames what has been recorded without them.
  void apply(Run& run) const;
  // How services answer, from a run without faults whose services are named: errors and closing. `bare` as OwnErrors
  // has it.
  void learn_answers(const Run& run, const std::set<std::string>& bare);
  // Learns from an operation that carries a {name} or {path} already: of a stored campaign.
  void recall(std::string_view operation);
};

// Names are folded where one call site sends nothing but requests that differ there (two are enough), or where four
// that differ there alone, and in nothing else that is seen of them, are answered in the same shape; never where what
// lies below them differs ("/api/users" and "/api/orders" are two operations), never a gRPC method, and of the first
// segment of a path only what looks like a file. Trees are those in `trees`, and where WebDAV's methods (RFC 4918) go:
// that of "/" only where every service speaks it, for an operation does not say whose it is.
Lessons lessons_of(const Run& run, const std::set<std::string, std::less<>>& trees = {});

}  // namespace retrial::trace
