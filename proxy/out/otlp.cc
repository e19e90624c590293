#include "proxy/out/otlp.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.h"
#include "trace/status.h"

namespace retrial::proxy {
namespace {
using Json = nlohmann::ordered_json;
constexpr int kClient = 3;  // SPAN_KIND_CLIENT
constexpr int kError = 2;   // STATUS_CODE_ERROR

bool is_hex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == text.npos && text.find_first_not_of('0') != text.npos;
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

void text(Json& attributes, const char* key, std::string_view value) {
  if (!value.empty()) attributes.push_back({{"key", key}, {"value", {{"stringValue", value}}}});
}
// 64-bit integers are texts in this encoding.
void number(Json& attributes, const char* key, std::int64_t value) {
  attributes.push_back({{"key", key}, {"value", {{"intValue", std::to_string(value)}}}});
}

std::string digits(std::uint64_t a) { return hex(a ? a : 1, 16); }

}  // namespace

std::optional<TraceParent> trace_parent_of(const trace::Exchange& e) {
  auto value = trace::find(e.request_headers, "traceparent");
  if (value.empty()) value = line_of(e.request_lines, "traceparent");
  auto parts = split(value, '-');
  if (parts.size() < 4 || parts[0].size() != 2 || parts[0] == "ff" || parts[1].size() != 32 || parts[2].size() != 16 ||
      parts[3].size() != 2 || !is_hex(parts[1]) || !is_hex(parts[2]))
    return {};
  bool sampled = parts[3].back() >= '0' && ((parts[3].back() & 1) != 0);  // digits and a to f alternate alike
  if (parts[3].back() >= 'a') sampled = (parts[3].back() - 'a') % 2 == 1;
  return TraceParent{std::string(parts[1]), std::string(parts[2]), sampled};
}

std::string otlp_span(const trace::Exchange& e, const WallTime& wall, std::uint64_t id) {
  auto parent = trace_parent_of(e);
  auto seed = fnv1a(std::to_string(e.id), id ? id : 1);
  Json span{{"traceId", parent ? parent->trace : digits(fnv1a("trace", seed)) + digits(seed)},
            {"spanId", digits(fnv1a("span", seed))}};
  if (parent) span["parentSpanId"] = parent->span;
  auto end = e.told ? e.told : std::max({e.begun, e.request_read, e.answered, e.service_done});
  span["name"] = e.operation.empty() ? e.method : e.operation;
  span["kind"] = kClient;
  span["startTimeUnixNano"] = std::to_string(wall.of(e.begun));
  span["endTimeUnixNano"] = std::to_string(wall.of(end));
  auto attributes = Json::array();
  auto colon = e.service.rfind(':');
  text(attributes, "http.request.method", e.method);
  text(attributes, "url.path", std::string_view(e.target).substr(0, e.target.find('?')));
  text(attributes, "server.address", std::string_view(e.service).substr(0, colon));
  if (auto port = colon == e.service.npos ? std::nullopt : to_int(std::string_view(e.service).substr(colon + 1)))
    number(attributes, "server.port", *port);
  if (e.client_status && !trace::is_grpc(e.client_status))
    number(attributes, "http.response.status_code", e.client_status);
  if (e.grpc.is && e.client_status) number(attributes, "rpc.grpc.status_code", trace::grpc_code_of(e.client_status));
  if (e.attempt > 1) number(attributes, "http.request.resend_count", e.attempt - 1);
  number(attributes, "retrial.exchange", static_cast<std::int64_t>(e.id));
  if (e.attempt) number(attributes, "retrial.attempt", e.attempt);
  if (e.service_status) text(attributes, "retrial.service_status", trace::status_of(e, e.service_status));
  text(attributes, "retrial.ending", trace::show(e.ending));
  if (e.tag.site) text(attributes, "code.file.path", fmt::format("{}:{}", e.tag.site->file, e.tag.site->line));
  if (e.tag.site) text(attributes, "code.function.name", e.tag.site->function);
  text(attributes, "test.case.name", e.tag.test);
  span["attributes"] = std::move(attributes);
  if (!trace::is_pass(e.fault)) {
    auto about = Json::array();
    text(about, "retrial.fault", trace::show(e.fault));
    text(about, "retrial.fault_id", e.fault_id);
    text(about, "retrial.evidence", e.evidence);
    span["events"] = Json::array({{{"timeUnixNano", std::to_string(wall.of(e.fired_at ? e.fired_at : e.begun))},
                                   {"name", e.fired ? "retrial.fault" : "retrial.fault_not_fired"},
                                   {"attributes", std::move(about)}}});
  }
  if (trace::told_failure(e)) span["status"] = {{"code", kError}};
  return span.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string otlp_export(std::string_view spans, std::string_view service, std::uint64_t id) {
  auto attributes = Json::array();
  text(attributes, "service.name", service);
  text(attributes, "service.instance.id", hex(id, 16));
  return fmt::format(
      R"({{"resourceSpans":[{{"resource":{{"attributes":{}}},"scopeSpans":[{{"scope":{{"name":"retrial"}},"spans":[{}]}}]}}]}})",
      attributes.dump(), spans);
}

OtlpExporter::OtlpExporter(Options options, Log& log) : options_(std::move(options)), log_(log) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  thread_ = std::thread([this] {
    pthread_setname_np(pthread_self(), "retrial-otlp");
    run();
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

OtlpExporter::~OtlpExporter() {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
  }
  more_.notify_one();
  thread_.join();
}

void OtlpExporter::add(std::string span) {
  {
    std::lock_guard lock(mutex_);
    if (waiting_.size() >= options_.most_waiting) {
      dropped_++;
      return;
    }
    waiting_.push_back(std::move(span));
  }
  more_.notify_one();
}

void OtlpExporter::run() {
  HttpClient client({.at = options_.at, .token = {}, .ca = {}, .timeout = options_.timeout});
  for (bool last = false; !last;) {
    std::string spans;
    std::size_t count = 0;
    {
      std::unique_lock lock(mutex_);
      more_.wait(lock, [&] { return ending_ || !waiting_.empty(); });
      for (; count < options_.batch && !waiting_.empty(); count++) {
        spans.append(count ? "," : "").append(waiting_.front());
        waiting_.pop_front();
      }
      last = ending_ && waiting_.empty();
    }
    if (count == 0) continue;
    auto answer = client.ask("POST", options_.path, otlp_export(spans, options_.service, options_.id));
    if (answer && answer->status / 100 == 2) {
      sent_ += count;
      continue;
    }
    dropped_ += count;
    auto why =
        answer ? fmt::format("it answered {}: {}", answer->status, answer->body.substr(0, 200)) : answer.error().line();
    log_.say(Log::Level::warning, fmt::format("traces were not taken by {}: {}", options_.at.show(), why));
    std::unique_lock lock(mutex_);
    if (!ending_) continue;
    dropped_ += waiting_.size();  // whoever does not answer is not waited for again at the end
    waiting_.clear();
    last = true;
  }
}

}  // namespace retrial::proxy
