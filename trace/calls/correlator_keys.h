#pragma once
// What the correlator compares of requests: hashes of what stays the same over the attempts of a call, and what tells
// one attempt from the next. They are for one run: nothing here may reach the disk but poll_key.
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/exchange.h"

namespace retrial::trace {

using Key = std::uint64_t;
Key mix(Key seed, Key value);
Key mix(Key seed, std::string_view text);

// One client: a process's way of speaking to one service.
Key client_key(const Exchange& e);
// The agent's call id, with operation and target; 0: there is none.
Key call_id_key(const Exchange& e);
// The run of a function that sent it, and the runs in whose course that was, the innermost first (its stack:
// activation.h), each with what it asked for.
std::vector<Key> courses_of(const Exchange& e);
// Where the call comes from and what it asks, at one service: a name and a port, whichever of its addresses was
// dialled.
Key place_key(const Exchange& e);
// The same at any port of one host, where several services may be one; 0 for a path that every service has.
Key anywhere_key(const Exchange& e);
// Whose call of which gRPC method this is, wherever it is sent: a channel chooses among the addresses of a name.
Key rpc_key(const Exchange& e);
// A place as lessons know it: the same in every run.
std::uint64_t poll_key(const Exchange& e, std::string_view operation);
// Where a redirect leads: the target of the request that follows it; 0: the answer is none.
Key redirect_key(const Exchange& e);
// What a request would have to be the target of.
Key followed_key(const Exchange& e);

bool is_rpc(const Exchange& e);
// grpc-previous-rpc-attempts (gRFC A6): of one call, retries and copies alike; what gRPC repeats unseen is not counted.
int previous_of(const Exchange& e);

// Which attempt of its layer a request says it is, from 1 (amz-sdk-request, x-stainless-retry-count, x-retry-count,
// gccl-attempt-count, x-envoy-attempt-count); 0: it does not say.
int count_of(const Exchange& e);

// The service's own answer that it will not be otherwise next time: where the same request comes again it is asked anew
// (does it exist by now?), unless the library itself goes on.
bool settled(const Exchange& e);

// Which part of a thing is asked for or sent (Range, x-ms-range, Content-Range), as it stands.
std::string part_of(const Exchange& e);
// Does one part go on where the other was cut off: the same end, and a later beginning?
bool resumes(std::string_view before, std::string_view now);

// The ids that a request carries: which, and the hash of the value. At most kIds.
struct Ids {
  static constexpr std::size_t kIds = 4;
  std::array<Key, kIds> header{}, value{};
  std::size_t count = 0;
};
// An id names a call within a process, at whichever service it comes.
inline Key id_key(std::int32_t pid, Key value) { return mix(mix(4, static_cast<Key>(pid)), value); }

// Reads them. Looked for once a profile: which lengths the names of its id headers have.
class IdReader {
 public:
  Ids read(const Exchange& e);

 private:
  std::string profile_ = "?";
  std::span<const std::string_view> names_;
  std::uint64_t lengths_ = 0;
};

}  // namespace retrial::trace
