#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "trace/fault_spec.h"
#include "trace/profiles/error_shape.h"
#include "trace/profiles/profile.h"

namespace retrial::trace {

// What a fault that tells a status (is_status) tells of this request: its own, or the profile's first transient one
// where it is left to that (0). Of a gRPC call that a gateway has lost (below) UNAVAILABLE, as Envoy tells it; and of
// one that a service refuses (400, 401, 403, 404) gRPC's own status for it.
int status_told(const FaultSpec& fault, const Profile& profile, const Exchange& head);

// What is told by a fault that tells a status (its status filled in): the profile's error for this request, or one in
// the shape of the service's `own` where that is known; but for 502 and 504 after the service has executed, which no
// service tells of itself unless its profile says so (times_out): these have a gateway's shape. It comes with the
// fault's Retry-After in place of the profile's own. `wall`: Unix time in ns, in the client's time.
// A status of gRPC has grpc-retry-pushback-ms for it, where the fault says so; the headers of one that comes late are
// trailers, and have no content type.
Answer answer_of(const FaultSpec& fault, const Profile& profile, const Exchange& head, std::string_view marker,
                 std::int64_t wall, const ErrorShape* own = nullptr);

// The error that a fault told of this exchange, which it was answered with: its body as it was recorded, or, where it
// was not, the profile's.
Answer error_told(const Exchange& e);

// "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110 5.6.7) of a Unix time in ns; a begun second counts as a whole one, so that
// what is promised is never shorter than was said.
std::string http_date(std::int64_t wall);

}  // namespace retrial::trace
