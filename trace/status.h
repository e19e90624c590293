#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace retrial::trace {

// What a call is answered with, as one number. HTTP's own status (RFC 9110 15) as it is; where a gRPC call ends with
// another status than OK, kGrpcStatus and that code; a gRPC call that ends with OK has 200. So every number from 400 on
// is a failure.
// gRPC: https://grpc.github.io/grpc/core/md_doc_statuscodes.html
inline constexpr int kGrpcStatus = 2000;

namespace grpc_code {
inline constexpr int cancelled = 1, unknown = 2, invalid_argument = 3, deadline_exceeded = 4, not_found = 5,
                     already_exists = 6, permission_denied = 7, resource_exhausted = 8, failed_precondition = 9,
                     aborted = 10, out_of_range = 11, unimplemented = 12, internal = 13, unavailable = 14,
                     data_loss = 15, unauthenticated = 16;
}

constexpr bool is_grpc(int status) { return status >= kGrpcStatus; }
constexpr int grpc_code_of(int status) { return is_grpc(status) ? status - kGrpcStatus : 0; }
// Of a `grpc-status` field: 200 for "0"; kGrpcStatus + UNKNOWN for what is no number that can be read.
int status_of_grpc(std::string_view code);

// Does it say that the service failed, and not that the request was wrong? 5xx; the codes of gRPC that
// google/rpc/code.proto maps to 5xx, and codes that nobody knows.
bool says_service_failed(int status);

std::string show_status(int status);                                // "503", "UNAVAILABLE", "gRPC status 42"
std::optional<int> grpc_status_named(std::string_view upper_case);  // "UNAVAILABLE": 2014; not for OK

}  // namespace retrial::trace
