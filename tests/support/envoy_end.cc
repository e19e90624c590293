#include "tests/support/envoy_end.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "proxy/codec/grpc_messages.h"
#include "proxy/codec/protobuf.h"

namespace retrial::test {
namespace {
using proxy::proto_bytes;
using proxy::proto_number;
using proxy::proto_put;
using proxy::ProtoField;
using proxy::ProtoReader;
using Part = proxy::Processing::Part;

std::string header_map(const Fields& fields) {
  std::string map;
  for (auto& [name, value] : fields) {
    std::string one;
    proto_put(one, 1, name);
    proto_put(one, 3, value);
    proto_put(map, 1, one);
  }
  return map;
}
std::string headers(Part part, const Fields& fields, bool end) {
  std::string inner, out;
  proto_put(inner, 1, header_map(fields));
  if (end) proto_put(inner, 3, 1);
  proto_put(out, static_cast<std::uint32_t>(part), inner);
  return out;
}
std::string in_words_of_options(std::string_view mutation, std::string_view separator) {
  std::string out;
  ProtoReader reader(mutation);
  for (ProtoField f; reader.next(f);) {
    if (f.holds(2)) out += fmt::format("{}drops {}", separator, f.bytes);
    if (!f.holds(1)) continue;
    auto header = proto_bytes(f.bytes, 1);
    auto verb = separator == " | " ? "" : proto_number(f.bytes, 3) == 2 ? "set " : "adds ";
    out += fmt::format("{}{}{}: {}", separator, verb, proto_bytes(header, 1), proto_bytes(header, 3));
  }
  return out;
}
std::string duration(Nanos time) {
  std::string out;
  proto_put(out, 1, static_cast<std::uint64_t>(time / kSecond));
  proto_put(out, 2, static_cast<std::uint64_t>(time % kSecond));
  return out;
}
}  // namespace

std::string request_headers(const Fields& fields, bool end, bool bodies) {
  auto out = headers(Part::request_headers, fields, end);
  std::string modes;
  if (bodies) proto_put(modes, 2, 1);
  if (bodies) proto_put(out, 11, modes);
  return out;
}
std::string response_headers(const Fields& fields, bool end, std::string_view code_details) {
  auto out = headers(Part::response_headers, fields, end);
  if (code_details.empty()) return out;
  std::string value, entry, fields_of, all;
  proto_put(value, 3, code_details);
  proto_put(entry, 1, "response.code_details");
  proto_put(entry, 2, value);
  proto_put(fields_of, 1, entry);
  proto_put(all, 1, "envoy.filters.http.ext_proc");
  proto_put(all, 2, fields_of);
  proto_put(out, 9, all);
  return out;
}
std::string body_of(Part part, std::string_view bytes, bool end) {
  std::string inner, out;
  proto_put(inner, 1, bytes);
  if (end) proto_put(inner, 2, 1);
  proto_put(out, static_cast<std::uint32_t>(part), inner);
  return out;
}
std::string response_trailers(const Fields& fields) {
  std::string inner, out;
  proto_put(inner, 1, header_map(fields));
  proto_put(out, 7, inner);
  return out;
}

std::string in_words(std::string_view response) {
  std::string out;
  ProtoReader reader(response);
  for (ProtoField f; reader.next(f);) {
    if (f.number == 8) continue;  // dynamic metadata
    if (!out.empty()) out += ", ";
    if (f.number == 10) {
      out += fmt::format("waits {} ms", proto_number(f.bytes, 1) * 1000 + proto_number(f.bytes, 2) / 1'000'000);
    } else if (f.number == 7) {
      auto grpc = proto_bytes(f.bytes, 4);
      out += grpc.empty() ? fmt::format("answers {} ", proto_number(proto_bytes(f.bytes, 1), 1))
                          : fmt::format("answers gRPC {} ", proto_number(grpc, 1));
      out += fmt::format("{}{}", proto_bytes(f.bytes, 3), in_words_of_options(proto_bytes(f.bytes, 2), " | "));
    } else if (auto mutation = proto_bytes(proto_bytes(f.bytes, 1), 2); !mutation.empty()) {
      out += fmt::format("{}{}", f.number, in_words_of_options(mutation, " "));
    } else {
      out += fmt::format("{} goes on", f.number);
    }
  }
  EXPECT_FALSE(reader.broken());
  return out;
}

std::string log_of(const std::vector<Logged>& entries) {
  std::string logs;
  for (auto& l : entries) {
    std::string common, request, response, entry, flags, code, metadata, pair;
    proto_put(common, 5, duration(l.began));
    if (l.answered) proto_put(common, 9, duration(l.answered));
    if (l.told) proto_put(common, 12, duration(l.told));
    if (l.client_left) proto_put(flags, 15, 1);
    proto_put(common, 16, flags);
    proto_put(pair, 1, proxy::kSeen);
    proto_put(metadata, 1, pair);
    if (l.seen) proto_put(common, 17, metadata);
    proto_put(request, 1, static_cast<std::uint64_t>(l.method));
    proto_put(request, 2, "http");
    proto_put(request, 3, l.authority);
    proto_put(request, 5, l.path);
    proto_put(request, 9, l.id);
    auto put_map = [](std::string& out, std::uint32_t number, const Fields& fields) {
      for (auto& [name, value] : fields) {
        std::string one;
        proto_put(one, 1, name);
        proto_put(one, 2, value);
        proto_put(out, number, one);
      }
    };
    put_map(request, 13, l.request);
    put_map(response, 4, l.response);
    proto_put(code, 1, static_cast<std::uint64_t>(l.status));
    if (l.status) proto_put(response, 1, code);
    proto_put(response, 6, l.details);
    proto_put(entry, 1, common);
    proto_put(entry, 3, request);
    proto_put(entry, 4, response);
    proto_put(logs, 1, entry);
  }
  std::string out;
  proto_put(out, 2, logs);
  return out;
}

std::vector<std::string> messages_in(std::string_view bytes) {
  proxy::GrpcMessages messages(1u << 20);
  std::vector<std::string> all;
  for (std::string_view message; messages.next(bytes, message);) all.emplace_back(message);
  return all;
}
std::string framed(std::string_view message) {
  std::string out;
  proxy::grpc_put(out, message);
  return out;
}

}  // namespace retrial::test
