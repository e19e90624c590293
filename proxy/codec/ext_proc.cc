#include "proxy/codec/ext_proc.h"

#include "proxy/codec/protobuf.h"
#include "proxy/codec/scan.h"

namespace retrial::proxy {
namespace {

constexpr std::uint64_t kFullDuplex = 4, kGrpcBodies = 5;  // ProcessingMode.BodySendMode
constexpr std::uint64_t kAppend = 0, kOverwrite = 2;       // HeaderValueOption.HeaderAppendAction

// HeaderMap, of HttpHeaders and HttpTrailers alike field 1.
std::string_view read_fields(std::string_view message, std::size_t most, std::vector<EnvoyField>& into) {
  ProtoReader map(proto_bytes(message, 1));
  for (ProtoField f; map.next(f);) {
    if (!f.holds(1)) continue;
    if (into.size() == most) return "more header fields than are allowed";
    EnvoyField field;
    ProtoReader one(f.bytes);
    for (ProtoField part; one.next(part);) {
      if (part.holds(1)) field.name = part.bytes;
      if ((part.holds(2) || part.holds(3)) && !part.bytes.empty()) field.value = part.bytes;  // value, raw_value
    }
    if (one.broken()) return "a header field that is no message";
    if (!is_token(field.name.substr(field.name.starts_with(':') ? 1 : 0)) ||
        field.value.find_first_of(std::string_view("\r\n\0", 3)) != field.value.npos)
      return "a header field with bytes that none may have";
    into.push_back(field);
  }
  return map.broken() ? "header fields that are no message" : "";
}

// A text among attributes: map<string, Struct>, whose Struct is map<string, Value>.
std::string_view attribute(std::string_view entry, std::string_view name) {
  ProtoReader fields(proto_bytes(entry, 2));
  for (ProtoField f; fields.next(f);)
    if (f.holds(1) && proto_bytes(f.bytes, 1) == name) return proto_bytes(proto_bytes(f.bytes, 2), 3);
  return {};
}

void put_field(std::string& out, std::string_view name, std::string_view value, std::uint64_t how) {
  std::string header, option;
  proto_put(header, 1, name);
  proto_put(header, 3, value);
  proto_put(option, 1, header);
  if (how != 0) proto_put(option, 3, how);
  proto_put(out, 1, option);
}

std::uint32_t answer_to(Processing::Part part) { return static_cast<std::uint32_t>(part) - 1; }

}  // namespace

std::string_view read_processing(std::string_view message, std::size_t most, Processing& into) {
  into.fields.clear();
  into.part = Processing::Part::nothing;
  into.body = into.code_details = {};
  into.end = into.bodies = into.observing = into.full_duplex = false;
  std::string_view part;
  ProtoReader reader(message);
  for (ProtoField f; reader.next(f);) {
    if (f.wire == ProtoField::Wire::bytes && f.number >= 2 && f.number <= 7) {
      into.part = static_cast<Processing::Part>(f.number);
      part = f.bytes;
    } else if (f.holds(9)) {
      if (auto details = attribute(f.bytes, "response.code_details"); !details.empty()) into.code_details = details;
    } else if (f.is(10)) {
      into.observing = f.value != 0;
    } else if (f.holds(11)) {
      for (std::uint32_t mode : {1, 2})
        if (auto how = proto_number(f.bytes, mode); how == kFullDuplex || how == kGrpcBodies) into.full_duplex = true;
      into.bodies = proto_number(f.bytes, 2) != 0;
    }
  }
  if (reader.broken()) return "it is no ProcessingRequest";
  switch (into.part) {
    case Processing::Part::nothing:
      return "it holds neither headers, a body nor trailers";
    case Processing::Part::request_body:
    case Processing::Part::response_body:
      into.body = proto_bytes(part, 1);
      into.end = proto_number(part, 2) != 0;
      return {};
    case Processing::Part::request_headers:
    case Processing::Part::response_headers:
      into.end = proto_number(part, 3) != 0;
      break;
    case Processing::Part::request_trailers:
    case Processing::Part::response_trailers:
      into.end = true;
      break;
  }
  return read_fields(part, most, into.fields);
}

bool of_service(const Processing& response) {
  return response.code_details.empty() || response.code_details == "via_upstream";
}

void put_goes_on(std::string& out, Processing::Part part, std::span<const std::string> without) {
  std::string mutation, common, response;
  for (auto& name : without) proto_put(mutation, 2, name);
  if (!mutation.empty()) {
    proto_put(common, 2, mutation);
    proto_put(response, 1, common);
  }
  proto_put(out, answer_to(part), response);
}

void put_changed_head(std::string& out, const HeaderChange& change) {
  std::string mutation, common, response;
  for (std::size_t i = 0; i < change.values.size(); i++)
    put_field(mutation, change.name, change.values[i], i == 0 && !change.added ? kOverwrite : kAppend);
  if (change.values.empty()) proto_put(mutation, 2, change.name);
  proto_put(common, 2, mutation);
  proto_put(response, 1, common);
  proto_put(out, answer_to(Processing::Part::response_headers), response);
}

void put_immediate(std::string& out, const ImmediateAnswer& answer) {
  std::string status, fields, response, grpc;
  proto_put(status, 1, static_cast<std::uint64_t>(answer.status));
  proto_put(response, 1, status);
  for (auto& f : answer.fields) put_field(fields, f.name, f.value, kOverwrite);
  if (!fields.empty()) proto_put(response, 2, fields);
  if (!answer.body.empty()) proto_put(response, 3, answer.body);
  if (answer.grpc_code >= 0) {
    proto_put(grpc, 1, static_cast<std::uint64_t>(answer.grpc_code));
    proto_put(response, 4, grpc);
  }
  if (!answer.details.empty()) proto_put(response, 5, answer.details);
  proto_put(out, 7, response);
}

void put_seen(std::string& out) {
  static const std::string kWhole = [] {  // {"retrial": {"seen": true}}, as a Struct
    std::string yes, entry, fields, inner, outer, all;
    proto_put(yes, 4, 1);
    proto_put(entry, 1, "seen");
    proto_put(entry, 2, yes);
    proto_put(fields, 1, entry);
    proto_put(inner, 5, fields);
    proto_put(outer, 1, kSeen);
    proto_put(outer, 2, inner);
    proto_put(all, 1, outer);
    return all;
  }();
  proto_put(out, 8, kWhole);
}

void put_patience(std::string& out, Nanos time) {
  std::string duration;
  proto_put(duration, 1, static_cast<std::uint64_t>(time / kSecond));
  if (time % kSecond != 0) proto_put(duration, 2, static_cast<std::uint64_t>(time % kSecond));
  proto_put(out, 10, duration);
}

}  // namespace retrial::proxy
