#include "proxy/exchange/rpc.h"

#include <algorithm>

#include "base/text.h"
#include "proxy/codec/field_lines.h"
#include "trace/calls/content.h"
#include "trace/recording/redact.h"
#include "trace/status.h"

namespace retrial::proxy {

bool Rpc::begin(const Head& head, BodyTap& requests, BodyTap& responses, trace::Exchange& e) {
  bool was = is();
  kind_ = GrpcKind::none;
  ended_ = false;
  if (head.grpc)
    for (auto& f : head.fields)
      if (f.known == FieldName::content_type) kind_ = grpc_kind(head.value(f));
  if (is() || was) {
    requests.reads(is() ? &requests_ : nullptr);
    responses.reads(is() ? &responses_ : nullptr);
  }
  if (!is()) return false;
  requests_.begin(kind_);
  responses_.begin(kind_);
  e.grpc.is = true;
  bool secret = trace::secret_call(head.target);
  requests.reset(secret ? 0 : trace::kSampleBytes);
  responses.reset(secret ? 0 : trace::kUnreadSample);
  for (auto& f : head.fields) {
    if (f.known != FieldName::other) continue;
    auto name = head.name(f);
    if (name.size() < 12 || !iequals(name.substr(0, 5), "grpc-")) continue;
    if (iequals(name, "grpc-timeout")) {
      if (auto time = grpc_timeout(head.value(f))) e.grpc.timeout = *time;
    } else if (iequals(name, "grpc-previous-rpc-attempts")) {
      if (auto n = to_int(head.value(f)); n && *n >= 0 && *n < INT32_MAX) e.grpc.previous = static_cast<int>(*n);
    }
  }
  return true;
}

void Rpc::ended(const Head* trailers, trace::Exchange& e) {
  ended_ = true;
  if (e.service_status >= 300) return;  // no answer of a gRPC service
  std::string_view status, message, pushback;
  for (auto& f : trailers ? trailers->fields : std::span<const Field>()) {
    auto name = trailers->name(f);
    if (f.known != FieldName::other || name.size() < 11 || !iequals(name.substr(0, 5), "grpc-")) continue;
    if (iequals(name, "grpc-status")) status = trailers->value(f);
    if (iequals(name, "grpc-message")) message = trailers->value(f);
    if (iequals(name, "grpc-retry-pushback-ms")) pushback = trailers->value(f);
  }
  if (status.empty() && kind_ != GrpcKind::grpc) {
    auto& lines = responses_.trailers();
    status = line_value(lines, "grpc-status");
    message = line_value(lines, "grpc-message");
    pushback = line_value(lines, "grpc-retry-pushback-ms");
  }
  e.service_status = status.empty() ? trace::kGrpcStatus + trace::grpc_code::unknown : trace::status_of_grpc(status);
  e.grpc.message = trace::redacted(grpc_message_decoded(message));
  if (pushback.empty()) return;
  auto ms = to_int(pushback);
  e.grpc.pushback = ms && *ms >= 0 ? *ms : -1;  // what cannot be read is a refusal (gRFC A6)
}

void Rpc::count(bool request_whole, trace::Exchange& e) const {
  auto& grpc = e.grpc;
  grpc.requests = requests_.messages();
  grpc.responses = responses_.messages();
  grpc.largest = std::max(requests_.largest(), responses_.largest());
  grpc.streams |= grpc.requests > 1 || grpc.responses > 1;
  grpc.cut = (request_whole && !requests_.at_boundary()) || (e.service_done != 0 && !responses_.at_boundary());
}

}  // namespace retrial::proxy
