#include "proxy/out/otlp.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <csignal>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.h"
#include "trace/status.h"

namespace retrial::proxy {
namespace {
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

// JSON is written by hand here: a span is written for every exchange, and building a tree of it first took most of the
// time that traces cost.
class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}
  void raw(std::string_view text) { out_ += text; }
  void quoted(std::string_view text) {
    out_ += '"';
    for (std::size_t from = 0, at = 0;; at++) {
      bool end = at == text.size();
      auto c = end ? '\0' : text[at];
      auto byte = static_cast<unsigned char>(c);
      if (!end && byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\') continue;
      out_ += text.substr(from, at - from);
      if (end) break;
      if (c == '"' || c == '\\')
        (out_ += '\\') += c;
      else if (byte < 0x20)
        fmt::format_to(std::back_inserter(out_), "\\u{:04x}", byte);
      else {  // what is no ASCII is left to who knows UTF-8, and what is none is replaced there
        auto rest = nlohmann::json(text.substr(at)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
        out_.append(rest, 1, rest.size() - 2);
        break;
      }
      from = at + 1;
    }
    out_ += '"';
  }
  void text(std::string_view key, std::string_view value) {
    if (value.empty()) return;
    begin(key);
    raw(R"("stringValue":)");
    quoted(value);
    raw("}}");
  }
  // 64-bit integers are texts in this encoding.
  void number(std::string_view key, std::int64_t value) {
    begin(key);
    fmt::format_to(std::back_inserter(out_), R"("intValue":"{}"}}}})", value);
  }

 private:
  void begin(std::string_view key) {
    if (out_.back() != '[') out_ += ',';
    raw(R"({"key":")");
    raw(key);
    raw(R"(","value":{)");
  }
  std::string& out_;
};

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
  std::string out;
  out.reserve(1024);
  Writer json(out);
  json.raw(R"({"traceId":")");
  json.raw(parent ? parent->trace : digits(fnv1a("trace", seed)) + digits(seed));
  json.raw(R"(","spanId":")");
  json.raw(digits(fnv1a("span", seed)));
  if (parent) {
    json.raw(R"(","parentSpanId":")");
    json.raw(parent->span);
  }
  auto end = e.told ? e.told : std::max({e.begun, e.request_read, e.answered, e.service_done});
  json.raw(R"(","name":)");
  json.quoted(e.operation.empty() ? e.method : e.operation);
  fmt::format_to(std::back_inserter(out),
                 R"(,"kind":{},"startTimeUnixNano":"{}","endTimeUnixNano":"{}","attributes":[)", kClient,
                 wall.of(e.begun), wall.of(end));
  auto service = std::string_view(e.service);
  auto colon = service.rfind(':');
  json.text("http.request.method", e.method);
  json.text("url.path", std::string_view(e.target).substr(0, e.target.find('?')));
  json.text("server.address", service.substr(0, colon));
  if (auto port = colon == service.npos ? std::nullopt : to_int(service.substr(colon + 1)))
    json.number("server.port", *port);
  if (e.client_status && !trace::is_grpc(e.client_status)) json.number("http.response.status_code", e.client_status);
  if (e.grpc.is && e.client_status) json.number("rpc.grpc.status_code", trace::grpc_code_of(e.client_status));
  if (e.attempt > 1) json.number("http.request.resend_count", e.attempt - 1);
  json.number("retrial.exchange", static_cast<std::int64_t>(e.id));
  if (e.attempt) json.number("retrial.attempt", e.attempt);
  if (e.service_status) json.text("retrial.service_status", trace::status_of(e, e.service_status));
  json.text("retrial.ending", trace::show(e.ending));
  if (e.tag.site) json.text("code.file.path", e.tag.site->file);
  if (e.tag.site) json.number("code.line.number", e.tag.site->line);
  if (e.tag.site) json.text("code.function.name", e.tag.site->function);
  json.text("test.case.name", e.tag.test);
  json.raw("]");
  if (!trace::is_pass(e.fault)) {
    fmt::format_to(std::back_inserter(out), R"(,"events":[{{"timeUnixNano":"{}","name":"{}","attributes":[)",
                   wall.of(e.fired_at ? e.fired_at : e.begun), e.fired ? "retrial.fault" : "retrial.fault_not_fired");
    json.text("retrial.fault", trace::show(e.fault));
    json.text("retrial.fault_id", e.fault_id);
    json.text("retrial.evidence", e.evidence);
    json.raw("]}]");
  }
  if (trace::told_failure(e)) fmt::format_to(std::back_inserter(out), R"(,"status":{{"code":{}}})", kError);
  json.raw("}");
  return out;
}

std::string otlp_export(std::string_view spans, std::string_view service, std::uint64_t id) {
  std::string out = R"({"resourceSpans":[{"resource":{"attributes":[)";
  out.reserve(out.size() + spans.size() + 256);
  Writer json(out);
  json.text("service.name", service);
  json.text("service.instance.id", hex(id, 16));
  json.raw(R"(]},"scopeSpans":[{"scope":{"name":"retrial"},"spans":[)");
  json.raw(spans);
  json.raw("]}]}]}");
  return out;
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
