#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

#include "proxy/admin/http_client.h"
#include "proxy/out/access_log.h"
#include "proxy/server/log.h"
#include "trace/exchange.h"

namespace retrial::proxy {

// A W3C traceparent (https://www.w3.org/TR/trace-context/): 32 and 16 lower-case hex digits.
struct TraceParent {
  std::string trace, span;
  bool sampled = true;
};
std::optional<TraceParent> trace_parent_of(const trace::Exchange& e);

// The exchange as a span of OTLP's JSON (opentelemetry-proto 1.x, "JSON Protobuf Encoding"): a child of the span that
// the application's traceparent names, else one of a trace of its own. `id`: of this process, so that spans of several
// differ.
std::string otlp_span(const trace::Exchange& e, const WallTime& wall, std::uint64_t id);
// The body of an export of these spans, joined by commas.
std::string otlp_export(std::string_view spans, std::string_view service, std::uint64_t id);

// Sends spans to an OTLP/HTTP receiver, in batches, from a thread of its own. Its queue is bounded: what does not fit
// is dropped and counted, and so is what a receiver did not take. add() never waits.
class OtlpExporter {
 public:
  struct Options {
    HttpAddress at;
    std::string path = "/v1/traces";
    std::string service = "retrial";
    std::uint64_t id = 0;
    Nanos timeout = 5 * kSecond;
    std::size_t most_waiting = 8192;  // spans
    std::size_t batch = 512;
  };
  OtlpExporter(Options options, Log& log);
  ~OtlpExporter();  // what waits is sent once more, within the timeout
  OtlpExporter(const OtlpExporter&) = delete;

  void add(std::string span);
  std::uint64_t sent() const { return sent_; }
  std::uint64_t dropped() const { return dropped_; }

 private:
  void run();
  Options options_;
  Log& log_;
  std::mutex mutex_;
  std::condition_variable more_;
  std::deque<std::string> waiting_;
  bool ending_ = false;
  std::atomic<std::uint64_t> sent_{0}, dropped_{0};
  std::thread thread_;
};

}  // namespace retrial::proxy
