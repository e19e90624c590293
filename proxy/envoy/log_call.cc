#include "proxy/envoy/log_call.h"

#include <fmt/format.h>

#include "proxy/codec/grpc.h"
#include "proxy/exchange/rpc.h"

namespace retrial::proxy {
LogCall::LogCall(Connections& context, EnvoyServices& services, EnvoyWire& wire, std::uint64_t connection)
    : context_(context), services_(services), wire_(wire), record_("", 0, connection) {}

void LogCall::message(std::string_view message) {
  LogReader reader(message);
  if (reader.broken()) {
    context_.counts.refused++;
    context_.say(fmt::format("an Envoy's call of {} is ended: it is no StreamAccessLogsMessage", kAccessLog));
    return wire_.finish(stream_, kInvalidArgument, "it is no StreamAccessLogsMessage");
  }
  while (reader.next(context_.options.field_limit, entry_))
    if (!entry_.processed) keep(entry_);
  if (auto left = reader.left_out())
    context_.say(fmt::format("{} entr{} of an Envoy's access log could not be read, and {} left out", left,
                             left == 1 ? "y" : "ies", left == 1 ? "is" : "are"));
}

void LogCall::keep(const LogEntry& entry) {
  auto begun = context_.clock.now() - std::max<Nanos>(0, context_.clock.wall() - entry.began);
  auto at = [&](Nanos since) { return since == 0 ? 0 : begun + since; };
  fields_ = {
      {":method", entry.method}, {":path", entry.path}, {":scheme", entry.scheme}, {":authority", entry.authority}};
  fields_.insert(fields_.end(), entry.request_fields.begin(), entry.request_fields.end());
  auto& head = head_.read(fields_, entry.request_bytes == 0);
  auto service = services_.named(head.host, head.scheme);
  record_.serves(service ? std::string_view(service->service()) : head.host);
  record_.begin(begun, false, stream_);
  auto& e = record_.exchange();
  Rpc rpc;
  BodyTap requests(false), responses(false);
  rpc.begin(head, requests, responses, e);
  record_.head(context_.next_exchange(), head, false);
  record_.decide_nothing();
  e.request_bytes = entry.request_bytes;
  if (entry.request_bytes == 0) e.request_read = at(entry.request_read);  // else its body was not seen
  context_.recorder.head(e);
  bool own = entry.code_details.empty() || entry.code_details == "via_upstream";
  if (own && entry.status != 0) {
    status_ = std::to_string(entry.status);
    fields_.assign({{":status", status_}});
    fields_.insert(fields_.end(), entry.response_fields.begin(), entry.response_fields.end());
    record_.answer(head_.read(fields_, entry.response_bytes == 0), at(entry.answered));
    if (rpc.is() && !entry.trailers.empty()) {
      auto& trailers = head_.read(entry.trailers, true);
      record_.trailers(trailers);
      rpc.ended(&trailers, e);
    }
    e.response_bytes = entry.response_bytes;
    e.service_done = entry.cut ? 0 : at(entry.service_done);
    context_.recorder.answer(e);
  } else if (entry.status != 0) {
    e.evidence = fmt::format("the Envoy answered itself: {}", entry.code_details);
  }
  e.client_status = own && rpc.is() ? e.service_status : entry.status;
  auto ending = entry.client_left   ? trace::Ending::client_left
                : entry.cut && own  ? trace::Ending::reset
                : entry.status == 0 ? trace::Ending::closed
                                    : trace::Ending::answered;
  record_.over(ending, at(entry.told), nothing_, nothing_);
  context_.recorder.over(e);
}

void LogCall::said_all() {
  wire_.say(stream_, {});  // StreamAccessLogsResponse
  wire_.finish(stream_, 0, {});
}

std::size_t LogCall::holds() const {
  auto fields = fields_.capacity() + entry_.request_fields.capacity() + entry_.response_fields.capacity();
  return sizeof *this + record_.holds() + head_.holds() + sizeof(EnvoyField) * fields;
}

}  // namespace retrial::proxy
