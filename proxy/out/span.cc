#include "proxy/out/span.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "base/text.h"
#include "proxy/codec/protobuf.h"
#include "trace/status.h"

namespace retrial::proxy {
namespace {
constexpr int kClient = 3;  // SPAN_KIND_CLIENT
constexpr int kError = 2;   // STATUS_CODE_ERROR

// Numbers of fields: opentelemetry/proto/trace/v1/trace.proto.
namespace span_field {
constexpr std::uint32_t trace_id = 1, span_id = 2, parent_span_id = 4, name = 5, kind = 6, start = 7, end = 8,
                        attributes = 9, events = 11, status = 15;
constexpr std::uint32_t event_time = 1, event_name = 2, event_attributes = 3;
constexpr std::uint32_t status_code = 3;
constexpr std::uint32_t key = 1, value = 2;               // of a KeyValue
constexpr std::uint32_t string_value = 1, int_value = 3;  // of an AnyValue
}  // namespace span_field

bool is_hex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == text.npos && text.find_first_not_of('0') != text.npos;
}
void unhex(std::string_view digits, char* to) {
  auto value = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    *to++ = static_cast<char>(value(digits[i]) << 4 | value(digits[i + 1]));
}
void put(std::uint64_t id, char* to) {
  if (id == 0) id = 1;  // an id of nothing but zeros is none
  for (int shift = 56; shift >= 0; shift -= 8) *to++ = static_cast<char>(id >> shift);
}

// The value of a field among header lines, without a copy of the others.
std::string_view line_of(std::string_view lines, std::string_view name) {
  for (std::size_t at = 0; at < lines.size();) {
    auto end = std::min(lines.find('\n', at), lines.size());
    auto line = lines.substr(at, end - at);
    if (line.size() > name.size() && line[name.size()] == ':' && iequals(line.substr(0, name.size()), name))
      return trim(line.substr(name.size() + 1));
    at = end + 1;
  }
  return {};
}

void write_fault(std::string& out, const trace::Exchange& e, const WallTime& wall) {
  std::string event;
  Protobuf to(event);
  to.fixed64(span_field::event_time, static_cast<std::uint64_t>(wall.of(e.fired_at ? e.fired_at : e.begun)));
  to.text(span_field::event_name, e.fired ? "retrial.fault" : "retrial.fault_not_fired");
  write_attribute(event, span_field::event_attributes, "retrial.fault", trace::show(e.fault));
  write_attribute(event, span_field::event_attributes, "retrial.fault_id", e.fault_id);
  write_attribute(event, span_field::event_attributes, "retrial.evidence", e.evidence);
  Protobuf(out).bytes(span_field::events, event);
}

}  // namespace

std::optional<TraceParent> trace_parent_of(const trace::Exchange& e) {
  auto value = trace::find(e.request_headers, "traceparent");
  if (value.empty() && !e.request_lines.empty()) value = line_of(e.request_lines, "traceparent");
  constexpr std::size_t kSize = 2 + 1 + 32 + 1 + 16 + 1 + 2;  // a later version may say more behind it
  if (value.size() < kSize || (value.size() > kSize && value[kSize] != '-')) return {};
  TraceParent parent{.trace = value.substr(3, 32), .span = value.substr(36, 16)};
  if (value[2] != '-' || value[35] != '-' || value[52] != '-' || value.starts_with("ff") || !is_hex(parent.trace) ||
      !is_hex(parent.span))
    return {};
  auto flags = value[54];
  if (flags >= 'a')
    parent.sampled = (flags - 'a') % 2 == 1;
  else
    parent.sampled = flags >= '0' && (flags & 1) != 0;
  return parent;
}

SpanIds span_ids(const trace::Exchange& e, const std::optional<TraceParent>& parent, std::uint64_t id) {
  SpanIds ids;
  char digits[20];
  auto end = std::to_chars(digits, digits + sizeof digits, e.id).ptr;
  auto seed = fnv1a({digits, static_cast<std::size_t>(end - digits)}, id ? id : 1);
  if (parent) {
    unhex(parent->trace, ids.bytes);
  } else {
    put(fnv1a("trace", seed), ids.bytes);
    put(seed, ids.bytes + 8);
  }
  put(fnv1a("span", seed), ids.bytes + 16);
  return ids;
}

namespace {

// A KeyValue whose AnyValue is `any` bytes, which `value` writes where it is told to. In one piece: most of a span is
// made of these.
template <class Value>
void write_pair(std::string& out, std::uint32_t number, std::string_view key, std::size_t any, Value value) {
  auto pair = 1 + Protobuf::size_of(key.size()) + key.size() + 1 + Protobuf::size_of(any) + any;
  auto size = Protobuf::size_of(number << 3) + Protobuf::size_of(pair) + pair;
  auto before = out.size();
  out.resize_and_overwrite(before + size, [&](char* begin, std::size_t) {
    ProtoInPlace to{begin + before};
    to.length(number, pair);
    to.bytes(span_field::key, key);
    to.length(span_field::value, any);
    value(to);
    return before + size;
  });
}

}  // namespace

void write_attribute(std::string& out, std::uint32_t number, std::string_view key, std::string_view value) {
  if (value.empty()) return;
  if (!Protobuf::is_ascii(value)) {
    auto clean = Protobuf::as_utf8(value);
    if (clean != value) return write_attribute(out, number, key, clean);
  }
  write_pair(out, number, key, 1 + Protobuf::size_of(value.size()) + value.size(),
             [&](ProtoInPlace& to) { to.bytes(span_field::string_value, value); });
}
void write_attribute(std::string& out, std::uint32_t number, std::string_view key, std::int64_t value) {
  auto bits = static_cast<std::uint64_t>(value);
  write_pair(out, number, key, 1 + Protobuf::size_of(bits), [&](ProtoInPlace& to) {
    to.raw(span_field::int_value << 3);
    to.raw(bits);
  });
}

void write_span(std::string& out, const trace::Exchange& e, const std::optional<TraceParent>& parent,
                const WallTime& wall, std::uint64_t id) {
  Protobuf to(out);
  auto text = [&](std::string_view key, std::string_view value) {
    write_attribute(out, span_field::attributes, key, value);
  };
  auto number = [&](std::string_view key, std::int64_t value) {
    write_attribute(out, span_field::attributes, key, value);
  };
  auto ids = span_ids(e, parent, id);
  to.bytes(span_field::trace_id, ids.trace());
  to.bytes(span_field::span_id, ids.span());
  if (parent) {
    char above[8];
    unhex(parent->span, above);
    to.bytes(span_field::parent_span_id, {above, sizeof above});
  }
  auto end = e.told ? e.told : std::max({e.begun, e.request_read, e.answered, e.service_done});
  to.text(span_field::name, e.operation.empty() ? e.method : e.operation);
  to.varint(span_field::kind, kClient);
  to.fixed64(span_field::start, static_cast<std::uint64_t>(wall.of(e.begun)));
  to.fixed64(span_field::end, static_cast<std::uint64_t>(wall.of(end)));
  auto service = std::string_view(e.service);
  auto colon = service.rfind(':');
  text("http.request.method", e.method);
  text("url.path", std::string_view(e.target).substr(0, e.target.find('?')));
  text("server.address", service.substr(0, colon));
  if (auto port = colon == service.npos ? std::nullopt : to_int(service.substr(colon + 1)))
    number("server.port", *port);
  if (e.client_status && !trace::is_grpc(e.client_status)) number("http.response.status_code", e.client_status);
  if (e.grpc.is && e.client_status) number("rpc.grpc.status_code", trace::grpc_code_of(e.client_status));
  if (e.attempt > 1) number("http.request.resend_count", e.attempt - 1);
  number("retrial.exchange", static_cast<std::int64_t>(e.id));
  if (e.attempt) number("retrial.attempt", e.attempt);
  if (e.service_status) text("retrial.service_status", trace::status_of(e, e.service_status));
  text("retrial.ending", trace::show(e.ending));
  if (e.tag.site) {
    text("code.file.path", e.tag.site->file);
    number("code.line.number", e.tag.site->line);
    text("code.function.name", e.tag.site->function);
  }
  text("test.case.name", e.tag.test);
  if (!trace::is_pass(e.fault)) write_fault(out, e, wall);
  if (trace::told_failure(e)) {
    to.length(span_field::status, 2);
    to.varint(span_field::status_code, kError);
  }
}

}  // namespace retrial::proxy
