#include "proxy/exchange/record.h"

#include <functional>

#include "proxy/exchange/credentials.h"
#include "trace/recording/header_lines.h"
#include "trace/recording/redact.h"

namespace retrial::proxy {

Record::Record(std::string service, std::int32_t pid, std::uint64_t connection) {
  exchange_.service = std::move(service);
  exchange_.pid = pid;
  exchange_.connection = connection;
}

// Everything but the connection's own facts as new; strings keep their room.
void Record::clear() {
  auto& e = exchange_;
  e.id = 0;
  e.host.clear();
  e.method.clear();
  e.target.clear();
  e.request_lines.clear();
  e.response_lines.clear();
  e.request_headers.clear();
  e.response_headers.clear();
  if (e.tag.site) e.tag.site.reset();
  e.tag.call_id.clear();
  e.tag.test.clear();
  e.tag.phase = trace::Phase::none;
  e.tag.stack.clear();
  e.tag.libraries.clear();
  e.tag.statement = 0;
  e.tag.frames.clear();
  e.profile.clear();
  e.operation.clear();
  e.call = 0;
  e.attempt = 0;
  e.confidence = trace::Confidence::possible;
  if (!trace::is_pass(e.fault)) e.fault = {};
  e.fired = false;
  e.fault_id.clear();
  e.evidence.clear();
  e.busy.begun = e.busy.told = 0;
  e.fired_at = e.request_read = e.answered = e.service_done = e.told = 0;
  e.ending = trace::Ending::open;
  e.service_status = e.client_status = 0;
  e.request_bytes = e.response_bytes = e.request_digest = 0;
  e.request_sample.clear();
  e.response_sample.clear();
  e.injected_sample.clear();
  e.credentials = e.credentials_given = 0;
  if (e.grpc.is) e.grpc = {};
  e.trailer_lines.clear();
  e.trailers.clear();
  e.aborted = trace::Exchange::Aborted::no;
  e.abort_code = 0;
  e.refused = e.closes = false;
}

namespace {
constexpr std::size_t kMostTextKept = 8u << 10;  // bytes of a text, for the next exchange
}  // namespace

void Record::keep_little() {
  auto& e = exchange_;
  for (auto* text : {&e.target, &e.request_lines, &e.response_lines, &e.trailer_lines})
    if (text->capacity() > kMostTextKept) std::string().swap(*text);
}

std::size_t Record::holds() const {
  auto& e = exchange_;
  std::size_t all = request_lines_.holds() + response_lines_.holds() + trailer_lines_.holds();
  for (auto* text :
       {&e.target, &e.request_lines, &e.response_lines, &e.trailer_lines, &e.request_sample, &e.response_sample})
    all += text->capacity();
  return all;
}

void Record::begin(Nanos now, bool fresh, std::uint32_t stream) {
  clear();
  stage_ = Stage::begun;
  exchange_.begun = now;
  exchange_.fresh = fresh;
  exchange_.stream = stream;
  request_sample_ = response_sample_ = Sample::waits;
}

void Record::head(std::uint64_t id, const Head& head, bool headers) {
  headers_ = headers;
  exchange_.id = id;
  exchange_.method.assign(head.method);
  trace::redact_target(head.target, exchange_.target);
  if (headers) exchange_.host.assign(head.host);  // else whoever reads the lines finds it there
  request_lines_.take(head, exchange_.request_lines, &exchange_.tag);
  exchange_.credentials = request_lines_.credentials();
  if (!request_lines_.encoding().empty()) request_sample_ = Sample::unreadable;
  if (exchange_.stream != 0 && head.hosts == 0 && !head.host.empty()) {  // :authority stands among no lines
    std::string line("Host: ");
    line.append(head.host).append("\r\n");
    exchange_.request_lines.insert(0, line);
  }
  if (headers_) trace::read_header_lines(exchange_.request_lines, exchange_.request_headers);
}

void Record::decide(Decision&& decision) {
  auto& e = exchange_;
  if (!trace::is_pass(decision.fault)) e.fault = decision.fault;
  e.fault_id = std::move(decision.fault_id);
  e.profile = std::move(decision.profile);
  e.operation = std::move(decision.operation);
  e.call = decision.call;
  e.attempt = decision.attempt;
  e.confidence = decision.confidence;
  if (e.tag.test.empty()) {
    e.tag.test = std::move(decision.test);
    if (e.tag.phase == trace::Phase::none) e.tag.phase = decision.phase;
  }
  if (decision.site) {
    e.tag.site = std::move(decision.site);
    e.tag.statement = decision.statement;
  }
  stage_ = Stage::decided;
}

void Record::request_sample(const BodyTap& body) {
  exchange_.request_sample.clear();
  if (body.unpacked()) request_sample_ = Sample::waits;
  if (request_sample_ == Sample::waits) trace::redact_body(body.sample(), exchange_.request_sample);
}

void Record::request_end(const BodyTap& body, Nanos now) {
  exchange_.request_read = now;
  if (exchange_.request_bytes == 0) return;
  exchange_.request_digest = body.digest();
  request_sample(body);
  request_sample_ = Sample::taken;
  auto& sample = exchange_.request_sample;
  // Of a short body with secrets in it a digest would let them be guessed.
  if (exchange_.request_bytes <= trace::kSampleBytes && sample.contains(trace::kRedacted))
    exchange_.request_digest = std::hash<std::string_view>()(sample);
}

void Record::answer(const Head& head, Nanos first_byte) {
  exchange_.answered = first_byte;
  exchange_.service_status = head.status;
  exchange_.closes = !head.keep_alive;
  response_lines_.take(head, exchange_.response_lines, nullptr);
  if (!response_lines_.encoding().empty()) response_sample_ = Sample::unreadable;
  if (headers_) trace::read_header_lines(exchange_.response_lines, exchange_.response_headers);
}

void Record::trailers(const Head& trailers) {
  trailer_lines_.take(trailers, exchange_.trailer_lines, nullptr);
  if (headers_) trace::read_header_lines(exchange_.trailer_lines, exchange_.trailers);
}

void Record::response_sample(const BodyTap& body) {
  if (response_sample_ != Sample::waits) return;
  exchange_.credentials_given = credentials_given(body.sample());
  trace::redact_body(body.sample(), exchange_.response_sample);
}

void Record::response_end(const BodyTap& body, Nanos now) {
  exchange_.service_done = now;
  if (exchange_.response_bytes == 0) return;
  response_sample(body);
  response_sample_ = Sample::taken;
}

void Record::over(trace::Ending ending, Nanos told, const BodyTap& request, const BodyTap& response) {
  auto& e = exchange_;
  if (request_sample_ == Sample::waits && e.request_bytes > 0) request_sample(request);
  if (e.response_bytes > 0) response_sample(response);
  e.ending = ending;
  e.told = told;
  stage_ = Stage::none;
}

}  // namespace retrial::proxy
