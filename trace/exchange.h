#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "trace/call_site.h"
#include "trace/fault_spec.h"

namespace retrial::trace {

// How sure the correlator is that an exchange is an attempt of this call, and how sure an oracle is of a finding.
enum class Confidence : std::uint8_t { possible, likely, certain };
std::string_view show(Confidence confidence);

// Where in a test's life a request was sent. `none`: not known. `shared`: set-up or teardown of more than one test.
enum class Phase : std::uint8_t { none, shared, setup, test, teardown };
std::string_view show(Phase phase);
Phase phase_of(std::string_view word);  // none for a word that is no phase

// What an agent says of a request (docs/agents.md). Every part may be missing.
struct Tag {
  std::optional<CallSite> site;
  std::string call_id;
  std::string test;
  Phase phase = Phase::none;
  std::string stack;            // activations, the outermost first: activation.h; at most kStackBytes
  std::string libraries;        // that it passes, the outermost first: retrier.h; at most kLibrariesBytes
  std::uint64_t statement = 0;  // of the test, that is under way: a hash of file, line and function; 0: not known
  std::string frames;  // in place of site and statement, of machine code: where they stand in which files. Not recorded
};
inline constexpr std::size_t kStackBytes = 512, kLibrariesBytes = 256, kFramesBytes = 8192;

struct Header {
  std::string name;
  std::string value;
};
// The first value of that name (ASCII case folded), or an empty view.
std::string_view find(const std::vector<Header>& headers, std::string_view name);

// How the client was told of an exchange's end.
enum class Ending : std::uint8_t {
  open,         // it was not told: still going, or held by a fault, when the run ended
  answered,     // a whole response was written to it
  reset,        // RST, by us
  closed,       // FIN before a whole response
  client_left,  // it closed or reset first
};
std::string_view show(Ending ending);

// What is read of a gRPC call, whose content type begins with application/grpc
// (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md). Counts of length-prefixed messages.
struct Grpc {
  bool is = false;                      // it is one
  std::int32_t previous = 0;            // grpc-previous-rpc-attempts
  Nanos timeout = 0;                    // grpc-timeout; 0: the call has no deadline
  std::uint64_t requests = 0;           // messages of the client
  std::uint64_t responses = 0;          // of the service
  std::uint64_t largest = 0;            // of both, bytes
  bool streams = false;                 // more than one message either way, or the request was not ended with its first
  bool cut = false;                     // the last message was shorter than its prefix said
  std::string message;                  // grpc-message that the service gave, percent-decoded, redacted
  std::int64_t pushback = kNoPushback;  // grpc-retry-pushback-ms that the client was told
};

// How busy the thread that made a client's connection was: how long it had run on a processor, or had waited for one,
// by then (/proc/TID/schedstat). The difference of two of one thread, the rest of the time between them it slept.
struct Busy {
  std::int32_t thread = 0;  // 0: not known
  Nanos begun = 0;          // by Exchange::begun
  Nanos told = 0;           // by Exchange::told
};

// One request and what answered it (or did not) on the wire. Times are nanoseconds on the run's clock; 0 is "never".
// Headers and samples are redacted before they get here: no secret reaches the disk.
struct Exchange {
  std::uint64_t id = 0;          // from 1 within a run
  std::uint64_t connection = 0;  // the client connection, from 1 within a run
  std::uint32_t stream = 0;      // its HTTP/2 stream there; 0: the exchange is HTTP/1
  bool fresh = false;            // the first exchange of its client connection
  std::int32_t pid = 0;          // process that connected
  std::string service;           // address that was dialled, "127.0.0.1:10001" or "[::1]:8080"
  std::string host;              // the Host header

  std::string method;
  std::string target;  // as sent, secrets in the query redacted
  std::vector<Header> request_headers;
  // On the way to the disk: the same as lines ("Name: value\r\n"), as they were sent but for redaction. Then the
  // vectors are filled only for a director that reads them, and for everybody who reads the trace.
  std::string request_lines, response_lines;
  // What it authorizes itself with, and the token that its answer gives, each as a keyed digest: alike in one process
  // of Retrial where they are the same, and nothing can be told from them. 0: none.
  std::uint32_t credentials = 0, credentials_given = 0;
  Tag tag;
  std::string profile;    // name of the profile that read it
  std::string operation;  // "PUT /v2/{name}/blobs/uploads/{id}": see operation.h

  std::uint64_t call = 0;  // from 1 within a run; which call, and which attempt of it (from 1), the correlator says
  int attempt = 0;
  Confidence confidence = Confidence::possible;

  FaultSpec fault;       // what was planned (none: pass)
  bool fired = false;    // it is on the wire, or (stall) the exchange is held by it
  std::string fault_id;  // the marker's id: injected bytes hold "retrial-<fault_id>"
  std::string evidence;  // what was done to the wire: "RST after 312 response bytes were withheld"
  Nanos fired_at = 0;

  Nanos begun = 0;         // first byte of the request
  Nanos request_read = 0;  // its last byte
  Nanos answered = 0;      // first byte of the service's response
  Nanos service_done = 0;  // its last byte
  Nanos told = 0;          // the client was told of the end: last byte, RST or FIN; on a stall, when it gave up itself
  Ending ending = Ending::open;
  Busy busy;

  // status.h. Of a gRPC call: known once its end is.
  int service_status = 0;                // the service's own answer, whether the client saw it or not; 0: none
  int client_status = 0;                 // the status the client was told; 0: none
  std::vector<Header> response_headers;  // the service's own
  std::vector<Header> trailers;          // behind its body; lines as request_lines are
  std::string trailer_lines;
  // RST_STREAM (RFC 9113 7): by whom, and its code. Of an exchange that ended with `reset` or `client_left`.
  enum class Aborted : std::uint8_t { no, by_client, by_service, by_us } aborted = Aborted::no;
  std::uint32_t abort_code = 0;
  bool refused = false;  // by GOAWAY or REFUSED_STREAM: the client may know that the service did not execute it
  bool closes = false;   // the service's connection ends with this response, as its head says (RFC 9112 9.3)

  Grpc grpc;

  std::uint64_t request_bytes = 0;  // body as sent (chunk framing counted)
  std::uint64_t response_bytes = 0;
  std::uint64_t request_digest = 0;  // of the decoded body; 0 for an empty one
  std::string request_sample;        // its first bytes, at most kSampleBytes, redacted
  std::string response_sample;
  std::string injected_sample;  // of the answer that a fault gave in the service's place
};
inline constexpr std::size_t kSampleBytes = 2048;
std::string_view show(Exchange::Aborted aborted);
// It was held by a fault until we ended it, for it had been held for long enough.
bool given_up(const Exchange& e);

// Did the service execute it, as far as the wire can show? (its response head was read; what was refused never was)
inline bool executed(const Exchange& e) { return e.service_status != 0 && !e.refused; }
// Was the client told that it failed? By status 400 and above, a connection that ended, or its own giving up.
// A profile may know better for a status (profile.h); this is the plain reading.
bool told_failure(const Exchange& e);
// Did the fault cut a good answer so that whoever parses it fails? JSON that ends in its middle, half a message of
// gRPC.
bool unreadable(const Exchange& e);
// A status that the exchange was answered with, in words: "503", "UNAVAILABLE", of a gRPC call "OK".
std::string status_of(const Exchange& e, int status);
// grpc-retry-pushback-ms that the client was told, by the service or by a fault; kNoPushback: none.
std::int64_t pushback_told(const Exchange& e);

}  // namespace retrial::trace
