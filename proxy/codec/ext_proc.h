#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace retrial::proxy {

// What Envoy's external processing filter says and is told (envoy/service/ext_proc/v3/external_processor.proto), as far
// as faults and their evidence need it. Pure; views are of the message that was read.

inline constexpr std::string_view kExtProc = "/envoy.service.ext_proc.v3.ExternalProcessor/Process";

struct EnvoyField {
  std::string_view name, value;  // names in lower case, pseudo-fields (":path") among them
};

// ProcessingRequest.
struct Processing {
  enum class Part : std::uint8_t {  // the number of its field, and of its answer's field one less
    nothing = 0,
    request_headers = 2,
    response_headers = 3,
    request_body = 4,
    response_body = 5,
    request_trailers = 6,
    response_trailers = 7,
  } part = Part::nothing;
  std::vector<EnvoyField> fields;  // of headers and trailers
  std::string_view body;           // of a body
  bool end = false;                // nothing of this message follows
  bool bodies = false;             // the service's bodies will come (known of the request's headers alone)
  bool observing = false;          // Envoy goes on at once, and listens to no answer
  bool full_duplex = false;        // it would send on nothing but what it is given back
  std::string_view code_details;   // the attribute response.code_details; empty: it is not sent
};
// Into `into`, whose storage is used again. Empty, or why it cannot be read, in a few words. Beyond `most` fields it
// cannot.
std::string_view read_processing(std::string_view message, std::size_t most, Processing& into);

// Is this answer of Envoy's the service's own? By response.code_details (Envoy: "via_upstream" is the service).
bool of_service(const Processing& response);

// Each appends a whole ProcessingResponse to `out`.
//
// What came goes on as it is, but (of headers) without these.
void put_goes_on(std::string& out, Processing::Part part, std::span<const std::string> without = {});
// The response's head goes on, changed: so many times the header is there with this value, in place of what it had
// (set), beside what it had (`added`); with no value it is left out.
struct HeaderChange {
  std::string_view name;
  std::vector<std::string_view> values;
  bool added = false;
};
void put_changed_head(std::string& out, const HeaderChange& change);
// Envoy tells the client this, and nothing of the service's. `details`: what its access log says of it.
struct ImmediateAnswer {
  int status = 0;      // of HTTP
  int grpc_code = -1;  // of gRPC; -1: it is none
  std::vector<EnvoyField> fields;
  std::string_view body, details;
};
void put_immediate(std::string& out, const ImmediateAnswer& answer);
// In an answer that was put: the stream's dynamic metadata says from now on that we have seen it (kSeen).
inline constexpr std::string_view kSeen = "retrial";  // the namespace
void put_seen(std::string& out);
// An answer will come within this time from now on, and Envoy waits for it (max_message_timeout allowing).
void put_patience(std::string& out, Nanos time);

}  // namespace retrial::proxy
