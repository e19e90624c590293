// gRPC over HTTP/2, and gRPC-Web. Source: https://github.com/grpc/grpc/tree/master/doc (PROTOCOL-HTTP2,
// PROTOCOL-WEB, statuscodes, http-grpc-status-mapping), gRFC A6 (retries).
#include <fmt/format.h>

#include <array>

#include "base/text.h"
#include "trace/profiles/grpc_methods.h"
#include "trace/profiles/message.h"
#include "trace/profiles/registry.h"
#include "trace/status.h"

namespace retrial::trace {
namespace {

constexpr std::string_view kType = "application/grpc";

// An answer of HTTP's alone comes from what stands before the service; this is what a client makes of it.
int code_of(int status) {
  if (is_grpc(status)) return grpc_code_of(status);
  switch (status) {
    case 200:
      return 0;
    case 400:
      return grpc_code::internal;
    case 401:
      return grpc_code::unauthenticated;
    case 403:
      return grpc_code::permission_denied;
    case 404:
      return grpc_code::unimplemented;
    case 429:
    case 502:
    case 503:
    case 504:
      return grpc_code::unavailable;
    default:
      return grpc_code::unknown;
  }
}

std::string_view words_of(int code) {
  switch (code) {
    case grpc_code::cancelled:
      return "the call was cancelled by the service";
    case grpc_code::invalid_argument:
      return "the request is not valid";
    case grpc_code::deadline_exceeded:
      return "the deadline was exceeded in the service";
    case grpc_code::not_found:
      return "what was asked for was not found";
    case grpc_code::already_exists:
      return "it exists already";
    case grpc_code::permission_denied:
      return "permission was denied";
    case grpc_code::resource_exhausted:
      return "a quota of the service is used up";
    case grpc_code::failed_precondition:
      return "the service is not in a state for this call";
    case grpc_code::aborted:
      return "the call was aborted for another at the same time";
    case grpc_code::out_of_range:
      return "it is out of range";
    case grpc_code::unimplemented:
      return "the method is not implemented";
    case grpc_code::internal:
      return "an internal error of the service";
    case grpc_code::unavailable:
      return "the service is not available";
    case grpc_code::data_loss:
      return "data was lost";
    case grpc_code::unauthenticated:
      return "the credentials are not valid";
    default:
      return "an error of the service";
  }
}

// The bytes of base64 (RFC 4648 4), padded or not, up to the first character that is none.
std::string from_base64(std::string_view text) {
  static constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  std::uint32_t bits = 0;
  int have = 0;
  for (char c : text) {
    auto value = kLetters.find(c);
    if (value == kLetters.npos) break;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    if ((have += 6) < 8) continue;
    have -= 8;
    out += static_cast<char>(bits >> have & 0xff);
  }
  return out;
}
// Does the service say when to come again? (google/rpc/error_details.proto)
bool has_retry_info(const Exchange& e) {
  constexpr std::string_view kDetails = "grpc-status-details-bin";
  for (auto* fields : {&e.trailers, &e.response_headers})  // a call that ends with its head has them there
    if (auto details = find(*fields, kDetails); !details.empty())
      return from_base64(details).find("/google.rpc.RetryInfo") != std::string::npos;
  return false;
}

class GrpcProfile final : public Profile {
 public:
  std::string_view name() const override { return "grpc"; }
  bool recognises(const Exchange& e) const override {
    if (e.method != "POST") return false;
    auto type = find(e.request_headers, "content-type");
    if (!type.starts_with(kType)) return false;
    type.remove_prefix(kType.size());
    return type.empty() || type[0] == '+' || type[0] == ';' || type.starts_with("-web");
  }
  std::span<const std::string_view> id_headers() const override {
    static constexpr std::array<std::string_view, 2> kIds{"idempotency-key", "x-idempotency-key"};
    return kIds;
  }
  std::string operation(const Exchange& e) const override { return std::string(message::path_of(e.target)); }
  bool method_tells() const override { return false; }
  Repeat repeat(const Exchange& e) const override {
    auto known = repeat_of_method(e);
    return known == Repeat::unknown && message::keyed(e) ? Repeat::guarded : known;
  }
  // ABORTED asks for the whole sequence of calls again, from the read on, not for this call; FAILED_PRECONDITION for
  // somebody to mend the state; INTERNAL, UNKNOWN and DEADLINE_EXCEEDED leave open whether it would help.
  bool transient(int status, std::string_view) const override { return code_of(status) == grpc_code::unavailable; }
  bool asks_again(const Exchange& e) const override {
    auto pushback = pushback_told(e);
    if (pushback != kNoPushback && pushback < 0) return false;
    if (code_of(e.client_status) == grpc_code::resource_exhausted) return pushback != kNoPushback || has_retry_info(e);
    return transient(e.client_status, {});
  }
  int transient_status(const Exchange&) const override { return kGrpcStatus + grpc_code::unavailable; }
  // Trailers-Only: the head of the response is its end.
  Answer error(const Exchange& e, int status, std::string_view marker) const override {
    if (!is_grpc(status)) return message::plain_error(e, status, marker);
    auto type = find(e.request_headers, "content-type");
    bool web = type.starts_with("application/grpc-web");
    auto code = grpc_code_of(status);
    return {.status = status,
            .reason = std::string(words_of(code)),
            .headers = {{"content-type", std::string(web ? type : kType)},
                        {"grpc-status", std::to_string(code)},
                        {"grpc-message", fmt::format("{} ({})", words_of(code), marker)},
                        {"x-retrial-fault", std::string(marker)}},
            .body = {}};
  }
  std::string effect(const Exchange& e) const override { return effect_of_method(e); }
};

}  // namespace

const Profile& grpc_profile() {
  static const GrpcProfile profile;
  return profile;
}

}  // namespace retrial::trace
