#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "proxy/codec/ext_proc.h"

namespace retrial::proxy {

// What Envoy's gRPC access log says (envoy/service/accesslog/v3/als.proto), as far as it is evidence of an exchange.
// Pure; views are of the message that was read.

inline constexpr std::string_view kAccessLog = "/envoy.service.accesslog.v3.AccessLogService/StreamAccessLogs";

// HTTPAccessLogEntry. Times are since the request's first byte; 0: it never came to that.
struct LogEntry {
  std::string_view method, scheme, authority, path;
  std::vector<EnvoyField> request_fields, response_fields, trailers;  // that the log was told to hold
  Nanos began = 0;                                                    // Unix time
  Nanos request_read = 0, answered = 0, service_done = 0, told = 0;
  std::uint64_t request_bytes = 0, response_bytes = 0;  // of bodies
  int status = 0;                                       // 0: the client was told none
  std::string_view code_details;
  bool client_left = false;  // its connection or stream ended first
  bool cut = false;          // the service's ended in the middle of its answer
  bool processed = false;    // ext_proc has told us of it (kSeen)
};

// All of a StreamAccessLogsMessage's entries of HTTP, one after the other.
class LogReader {
 public:
  explicit LogReader(std::string_view message);
  // Into `into`, whose storage is used again; an entry of more than `most` header fields, or that cannot be read, is
  // counted and left out.
  bool next(std::size_t most, LogEntry& into);
  bool broken() const { return broken_; }
  std::size_t left_out() const { return left_out_; }

 private:
  bool broken_ = false;
  std::size_t left_out_ = 0;
  std::vector<std::string_view> entries_;
  std::size_t at_ = 0;
};

}  // namespace retrial::proxy
