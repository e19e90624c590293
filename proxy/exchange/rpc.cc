#include "proxy/exchange/rpc.h"

#include <algorithm>

#include "base/text.h"
#include "proxy/exchange/h2_fields.h"
#include "trace/redact.h"
#include "trace/status.h"

namespace retrial::proxy {

bool Rpc::begin(const H1Head& head, BodyTap& requests, BodyTap& responses, trace::Exchange& e) {
  kind_ = GrpcKind::none;
  for (auto& f : head.fields)
    if (f.known == FieldName::content_type) kind_ = grpc_kind(head.value(f));
  bool is = kind_ != GrpcKind::none;
  requests.reads(is ? &requests_ : nullptr);
  responses.reads(is ? &responses_ : nullptr);
  if (!is) return false;
  requests_.begin(kind_);
  responses_.begin(kind_);
  e.grpc.is = true;
  if (trace::secret_call(head.target)) {
    requests.reset(0);
    responses.reset(0);
  }
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

void Rpc::ended(std::string_view trailers, trace::Exchange& e) const {
  if (e.service_status >= 300) return;  // no answer of a gRPC service
  if (kind_ != GrpcKind::grpc && line_value(trailers, "grpc-status").empty()) trailers = responses_.trailers();
  auto code = line_value(trailers, "grpc-status");
  e.service_status = code.empty() ? trace::kGrpcStatus + trace::grpc_code::unknown : trace::status_of_grpc(code);
  e.grpc.message.clear();
  if (auto text = line_value(trailers, "grpc-message"); !text.empty())
    trace::redact_body(grpc_message_decoded(text), e.grpc.message);
  if (auto back = line_value(trailers, "grpc-retry-pushback-ms"); !back.empty()) {
    auto ms = to_int(back);
    e.grpc.pushback = ms && *ms >= 0 ? *ms : -1;  // what cannot be read is a refusal (gRFC A6)
  }
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
