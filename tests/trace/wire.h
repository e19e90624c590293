#pragma once
// Exchanges from the bytes that clients and services really send, for tests of the trace.
#include <string>
#include <string_view>

#include "base/text.h"
#include "trace/calls/operation.h"
#include "trace/profiles/profile.h"

namespace retrial::trace::wire {

inline std::vector<Header> headers_of(std::string_view& text) {
  std::vector<Header> out;
  for (auto end = text.find("\r\n"); end != text.npos; end = text.find("\r\n")) {
    auto line = text.substr(0, end);
    text.remove_prefix(end + 2);
    if (line.empty()) break;
    auto colon = line.find(':');
    out.push_back({std::string(line.substr(0, colon)), std::string(trim(line.substr(colon + 1)))});
  }
  return out;
}

// "METHOD target HTTP/1.1\r\n" + headers + "\r\n" + body. Profile and operation are filled in as the proxy does.
inline Exchange request(std::string_view raw) {
  Exchange e;
  auto end = raw.find("\r\n");
  auto parts = split(raw.substr(0, end), ' ');
  e.method = parts.at(0);
  e.target = parts.at(1);
  raw.remove_prefix(end + 2);
  e.request_headers = headers_of(raw);
  e.host = find(e.request_headers, "host");
  e.request_sample = raw.substr(0, kSampleBytes);
  e.request_bytes = raw.size();
  e.request_digest = raw.empty() ? 0 : fnv1a(raw);
  e.service = "127.0.0.1:10001";
  e.profile = profile_for(e).name();
  e.operation = operation_of(e);
  return e;
}

// "HTTP/1.1 200 OK\r\n" + headers + "\r\n" + body, delivered to the client as it is.
inline Exchange& respond(Exchange& e, std::string_view raw) {
  auto end = raw.find("\r\n");
  e.service_status = e.client_status = static_cast<int>(to_int(split(raw.substr(0, end), ' ').at(1)).value());
  raw.remove_prefix(end + 2);
  e.response_headers = headers_of(raw);
  e.response_sample = raw.substr(0, kSampleBytes);
  e.response_bytes = raw.size();
  e.ending = Ending::answered;
  return e;
}

}  // namespace retrial::trace::wire
