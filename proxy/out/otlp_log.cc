#include "proxy/out/otlp_log.h"

#include <utility>

#include "proxy/codec/protobuf.h"
#include "proxy/out/span.h"

namespace retrial::proxy {
namespace {

// Numbers of fields: opentelemetry/proto/logs/v1/logs.proto.
namespace log_field {
constexpr std::uint32_t time = 1, severity = 2, severity_text = 3, body = 5, attributes = 6, observed = 11;
constexpr std::uint32_t string_value = 1;  // of an AnyValue
}  // namespace log_field

constexpr struct {
  std::uint64_t number;
  std::string_view text;
} kSeverities[] = {{9, "INFO"}, {13, "WARN"}, {17, "ERROR"}};

}  // namespace

void write_log_record(std::string& out, Log::Level level, std::string_view line, std::span<const Log::Field> fields,
                      Nanos wall) {
  Protobuf to(out);
  auto& severity = kSeverities[static_cast<std::size_t>(level)];
  to.fixed64(log_field::time, static_cast<std::uint64_t>(wall));
  to.varint(log_field::severity, severity.number);
  to.text(log_field::severity_text, severity.text);
  std::string body;
  Protobuf(body).text(log_field::string_value, line);
  to.bytes(log_field::body, body);
  for (auto& one : fields) write_attribute(out, log_field::attributes, one.name, one.value);
  to.fixed64(log_field::observed, static_cast<std::uint64_t>(wall));
}

void OtlpLog::send_to(OtlpExporter::Options options) {
  exporter_ = std::make_unique<OtlpExporter>(std::move(options), inner_);
  sends_ = exporter_.get();
}

void OtlpLog::tell(Level level, std::string_view line, std::span<const Field> fields) {
  inner_.tell(level, line, fields);
  auto* exporter = sends_.load();
  if (!exporter) return;
  OtlpRecords one;
  one.add([&](std::string& out) { write_log_record(out, level, line, fields, clock_.wall()); });
  exporter->add(one);
}

}  // namespace retrial::proxy
