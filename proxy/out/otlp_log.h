#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "proxy/out/otlp.h"
#include "proxy/server/log.h"

namespace retrial::proxy {

// A line as a LogRecord of OTLP (opentelemetry-proto 1.x, logs/v1) in Protocol Buffers, behind what stands in
// `out`. `wall`: when, Unix time.
void write_log_record(std::string& out, Log::Level level, std::string_view line, std::span<const Log::Field> fields,
                      Nanos wall);

// Another log, and a receiver of OTLP beside it once one is named. From any thread.
class OtlpLog final : public Log {
 public:
  OtlpLog(Log& inner, const Clock& clock) : inner_(inner), clock_(clock) {}
  void send_to(OtlpExporter::Options options);  // once
  void say(Level level, std::string_view line) override { tell(level, line, {}); }
  void tell(Level level, std::string_view line, std::span<const Field> fields) override;
  const OtlpExporter* exporter() const { return sends_.load(); }  // or null

 private:
  Log& inner_;
  const Clock& clock_;
  std::unique_ptr<OtlpExporter> exporter_;  // whose own troubles are told to the inner log alone
  std::atomic<OtlpExporter*> sends_{nullptr};
};

}  // namespace retrial::proxy
