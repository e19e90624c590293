#include "trace/status.h"

#include <fmt/format.h>

#include <array>

#include "base/text.h"

namespace retrial::trace {
namespace {
constexpr std::array<std::string_view, 17> kNames = {
    "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
    "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
    "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
    "DATA_LOSS", "UNAUTHENTICATED"};
constexpr std::int64_t kMostCode = 1'000'000;  // beyond it nobody's code
}  // namespace

int status_of_grpc(std::string_view code) {
  bool digits = !code.empty() && code.find_first_not_of("0123456789") == code.npos;
  auto number = digits ? to_int(code) : std::nullopt;
  if (!number || *number > kMostCode) return kGrpcStatus + grpc_code::unknown;
  return *number == 0 ? 200 : kGrpcStatus + static_cast<int>(*number);
}

bool says_service_failed(int status) {
  if (!is_grpc(status)) return status >= 500;
  switch (grpc_code_of(status)) {
    case grpc_code::cancelled:
    case grpc_code::invalid_argument:
    case grpc_code::not_found:
    case grpc_code::already_exists:
    case grpc_code::permission_denied:
    case grpc_code::resource_exhausted:
    case grpc_code::failed_precondition:
    case grpc_code::aborted:
    case grpc_code::out_of_range:
    case grpc_code::unauthenticated:
      return false;
    default:
      return true;
  }
}

std::string show_status(int status) {
  if (!is_grpc(status)) return std::to_string(status);
  auto code = static_cast<std::size_t>(grpc_code_of(status));
  return code < kNames.size() ? std::string(kNames[code]) : fmt::format("gRPC status {}", code);
}

std::optional<int> grpc_status_named(std::string_view upper_case) {
  for (std::size_t code = 1; code < kNames.size(); code++)
    if (kNames[code] == upper_case) return kGrpcStatus + static_cast<int>(code);
  return {};
}

}  // namespace retrial::trace
