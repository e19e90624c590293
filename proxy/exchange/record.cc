#include "proxy/exchange/record.h"

#include "base/text.h"
#include "trace/redact.h"

namespace retrial::proxy {
namespace {
constexpr std::string_view kTag = "x-retrial-";

// A connection's messages mostly carry the same names in the same places: then the name is not looked at again.
void assign(trace::Header& to, bool& secret, std::string_view name, std::string_view value) {
  if (to.name != name) {
    to.name.assign(name);
    secret = trace::secret_name(name);
  }
  to.value.clear();
  if (secret)
    to.value.append(trace::kRedacted);
  else
    trace::redact_value(value, to.value);
}
void read_tag(trace::Tag& tag, std::string_view what, std::string_view value) {
  if (iequals(what, "site")) {
    tag.site = trace::parse_call_site(value);
  } else if (iequals(what, "call")) {
    tag.call_id = percent_decode(value);
  } else if (iequals(what, "test")) {
    tag.test = percent_decode(value);
  } else if (iequals(what, "phase")) {
    tag.phase = trace::phase_of(value);
  }
}
bool encodes(std::string_view name, std::string_view value) {
  return name.size() == 16 && iequals(name, "content-encoding") && !iequals(value, "identity");
}
}  // namespace

bool is_tag(std::string_view name) {
  return name.size() > kTag.size() && (name[0] | 32) == 'x' && (name[2] | 32) == 'r' &&
         iequals(name.substr(0, kTag.size()), kTag);
}

Record::Record(std::string service, std::int32_t pid, std::uint64_t connection) {
  exchange_.service = std::move(service);
  exchange_.pid = pid;
  exchange_.connection = connection;
}

// Everything but the connection's own facts as new; strings that are filled each time keep their room.
void Record::clear() {
  trace::Exchange fresh;
  fresh.connection = exchange_.connection;
  fresh.pid = exchange_.pid;
  fresh.service.swap(exchange_.service);
  fresh.request_headers.swap(exchange_.request_headers);
  using Text = std::string trace::Exchange::*;
  constexpr Text kTexts[] = {&trace::Exchange::host, &trace::Exchange::method, &trace::Exchange::target,
                             &trace::Exchange::request_sample, &trace::Exchange::response_sample};
  for (auto text : kTexts) {
    (fresh.*text).swap(exchange_.*text);
    (fresh.*text).clear();
  }
  if (!exchange_.response_headers.empty()) response_headers_.swap(exchange_.response_headers);
  exchange_ = std::move(fresh);
}

void Record::begin(Nanos now) {
  clear();
  stage_ = Stage::begun;
  exchange_.begun = now;
  exchange_.fresh = !reused_;
  reused_ = true;
  request_sample_ = response_sample_ = Sample::waits;
}

void Record::head(std::uint64_t id, const H1Head& head) {
  exchange_.id = id;
  exchange_.method.assign(head.method);
  trace::redact_target(head.target, exchange_.target);
  auto& headers = exchange_.request_headers;
  std::size_t count = 0;
  for (auto& f : head.fields) {
    auto name = head.name(f);
    if (is_tag(name)) {
      read_tag(exchange_.tag, name.substr(kTag.size()), head.value(f));
      continue;
    }
    if (count == headers.size()) headers.emplace_back();
    if (count == request_secrets_.size()) request_secrets_.push_back({});
    assign(headers[count], request_secrets_[count].secret, name, head.value(f));
    count++;
    if (encodes(name, head.value(f))) request_sample_ = Sample::unreadable;
    if (name.size() == 4 && exchange_.host.empty() && iequals(name, "host")) exchange_.host.assign(head.value(f));
  }
  headers.resize(count);
}

void Record::decide(Decision&& decision) {
  auto& e = exchange_;
  e.fault = decision.fault;
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
  stage_ = Stage::decided;
}

void Record::request_end(const BodyTap& body, Nanos now) {
  exchange_.request_read = now;
  if (exchange_.request_bytes == 0) return;
  exchange_.request_digest = body.digest();
  if (request_sample_ == Sample::waits) trace::redact_body(body.sample(), exchange_.request_sample);
  request_sample_ = Sample::taken;
}

void Record::answer(const H1Head& head, Nanos first_byte) {
  exchange_.answered = first_byte;
  exchange_.service_status = head.status;
  response_headers_.resize(head.fields.size());
  if (response_secrets_.size() < head.fields.size()) response_secrets_.resize(head.fields.size());
  for (std::size_t i = 0; i < head.fields.size(); i++) {
    auto name = head.name(head.fields[i]), value = head.value(head.fields[i]);
    assign(response_headers_[i], response_secrets_[i].secret, name, value);
    if (encodes(name, value)) response_sample_ = Sample::unreadable;
  }
  exchange_.response_headers.swap(response_headers_);
}

void Record::response_end(const BodyTap& body, Nanos now) {
  exchange_.service_done = now;
  if (exchange_.response_bytes == 0) return;
  if (response_sample_ == Sample::waits) trace::redact_body(body.sample(), exchange_.response_sample);
  response_sample_ = Sample::taken;
}

void Record::over(trace::Ending ending, Nanos told, const BodyTap& request, const BodyTap& response) {
  auto& e = exchange_;
  if (request_sample_ == Sample::waits && e.request_bytes > 0) trace::redact_body(request.sample(), e.request_sample);
  if (response_sample_ == Sample::waits && e.response_bytes > 0)
    trace::redact_body(response.sample(), e.response_sample);
  e.ending = ending;
  e.told = told;
  stage_ = Stage::none;
}

}  // namespace retrial::proxy
