#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "proxy/out/access_log.h"
#include "trace/exchange.h"

namespace retrial::proxy {

// A W3C traceparent (https://www.w3.org/TR/trace-context/): 32 and 16 lower-case hex digits, views into the exchange.
struct TraceParent {
  std::string_view trace, span;
  bool sampled = true;
};
std::optional<TraceParent> trace_parent_of(const trace::Exchange& e);

// The exchange as a Span of OTLP (opentelemetry-proto 1.x, trace/v1) in Protocol Buffers, behind what stands in
// `out`: a child of the span that the application's traceparent names, else one of a trace of its own. `id`: of this
// process, so that spans of several differ.
void write_span(std::string& out, const trace::Exchange& e, const std::optional<TraceParent>& parent,
                const WallTime& wall, std::uint64_t id);

// Ids as OTLP has them, 16 and 8 bytes.
struct SpanIds {
  std::string_view trace() const { return {bytes, 16}; }
  std::string_view span() const { return {bytes + 16, 8}; }
  char bytes[24];
};
SpanIds span_ids(const trace::Exchange& e, const std::optional<TraceParent>& parent, std::uint64_t id);

// A KeyValue (common/v1) as `field`, in the body of a message. What is empty is left out.
void write_attribute(std::string& out, std::uint32_t field, std::string_view key, std::string_view value);
void write_attribute(std::string& out, std::uint32_t field, std::string_view key, std::int64_t value);

}  // namespace retrial::proxy
