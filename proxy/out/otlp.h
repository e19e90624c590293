#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "proxy/admin/http_client.h"
#include "proxy/server/log.h"

namespace retrial::proxy {

// Spans or log records, encoded one behind another as fields of a ScopeSpans or ScopeLogs: what is handed over at once.
struct OtlpRecords {
  std::string bytes;
  std::size_t count = 0;
  // `write` puts one behind what stands in the text that it is given.
  template <class Write>
  void add(Write write) {
    auto begin = bytes.size();
    bytes.append(kBefore, '\0');
    write(bytes);
    count++;
    finish(begin);
  }

 private:
  static constexpr std::size_t kBefore = 3;  // its field, and a length as most have it
  void finish(std::size_t begin);
};

// Sends spans, or log records, to a receiver of OTLP over HTTP in Protocol Buffers (opentelemetry-proto 1.x), in
// batches, from a thread of its own. Its queue is bounded: what does not fit is dropped and counted, and so is what a
// receiver did not take. add() and flush() never wait; from any thread.
class OtlpExporter {
 public:
  struct Options {
    HttpAddress at;
    std::string path;             // "/v1/traces", "/v1/logs"
    std::string what = "traces";  // in its log
    std::string service = "retrial";
    std::uint64_t id = 0;  // of this process: service.instance.id
    Nanos timeout = 5 * kSecond;
    std::size_t most_waiting = 16384;  // records
    std::size_t batch = 2048;
    std::size_t batch_bytes = 2u << 20;
    Nanos linger = 0;  // how long a record waits for others; 0: until flush()
  };
  static constexpr Nanos kLast = kSecond / 2;  // the end of the process waits no longer for a receiver
  OtlpExporter(Options options, Log& log);
  ~OtlpExporter();  // what waits is sent once more, within kLast
  OtlpExporter(const OtlpExporter&) = delete;

  // They wait for others until a batch is full, or flush() is called. `records` are none then; its room is another's.
  void add(OtlpRecords& records);
  bool fill_a_batch(const OtlpRecords& records) const {
    return records.count >= options_.batch || records.bytes.size() >= options_.batch_bytes;
  }
  void flush();
  std::uint64_t sent() const { return sent_; }
  std::uint64_t dropped() const { return dropped_; }

 private:
  void run();
  bool send(const OtlpRecords& batch);
  Options options_;
  const HttpClient client_;
  Log& log_;
  const std::string resource_;
  std::mutex mutex_;
  std::condition_variable more_, end_;
  OtlpRecords filling_;
  std::deque<OtlpRecords> ready_;
  std::string spare_;        // the room of one that was sent
  std::size_t waiting_ = 0;  // records of both
  bool ending_ = false, ended_ = false;
  std::atomic<std::uint64_t> sent_{0}, dropped_{0};
  std::thread thread_;
};

// The body of an export: a resource, already encoded as a field, and records as fields of one scope. Fields of traces
// and of logs have the same numbers.
std::string otlp_export(std::string_view resource, std::string_view records);
// The Resource as a field of ResourceSpans or ResourceLogs.
std::string otlp_resource(std::string_view service, std::uint64_t id);

}  // namespace retrial::proxy
