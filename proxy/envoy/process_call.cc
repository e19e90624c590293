#include "proxy/envoy/process_call.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "proxy/codec/grpc.h"
#include "proxy/codec/tags.h"
#include "proxy/faults/by_envoy.h"
#include "trace/calls/content.h"
#include "trace/fault_name.h"
#include "trace/status.h"

namespace retrial::proxy {
namespace {

constexpr Nanos kPatience = kSecond;  // beyond a delay, until an Envoy takes us for dead

// What an Envoy tells a client of gRPC where it answers with a status of HTTP (Envoy, Grpc::Utility::httpToGrpcStatus).
int told_to_grpc(int status) {
  using namespace trace::grpc_code;
  switch (status) {
    case 400:
      return internal;
    case 401:
      return unauthenticated;
    case 403:
      return permission_denied;
    case 404:
      return unimplemented;
    case 429:
    case 502:
    case 503:
    case 504:
      return unavailable;
    default:
      return unknown;
  }
}

}  // namespace

ProcessCall::ProcessCall(Connections& context, EnvoyServices& services, EnvoyWire& wire, std::uint64_t connection)
    : context_(context), services_(services), wire_(wire), injection_(context, Record("", 0, connection), true) {}

void ProcessCall::begin(std::uint32_t stream, bool fresh) {
  stream_ = stream;
  state_ = State::asked;
  observing_ = bodies_ = false;
  service_.reset();
  look_.reset();
  injection_.record.begin(context_.now, fresh, stream);
}

void ProcessCall::refuse(int grpc_code, std::string_view why) {
  context_.counts.refused++;
  context_.say(fmt::format("an Envoy's call of {} is ended: {}", kExtProc, why));
  injection_.spare_unfired("what the Envoy said could not be read");
  if (open()) over(trace::Ending::closed);
  state_ = State::told;
  wire_.finish(stream_, grpc_code, why);
}

void ProcessCall::message(std::string_view message) {
  if (auto why = read_processing(message, context_.options.field_limit, seen_); !why.empty())
    return refuse(kInvalidArgument, why);
  if (seen_.full_duplex)
    return refuse(kUnimplemented, "its bodies are in FULL_DUPLEX_STREAMED or GRPC mode: expected NONE, or STREAMED");
  switch (seen_.part) {
    case Processing::Part::request_headers:
      return state_ == State::asked ? request() : refuse(kInvalidArgument, "there are request headers twice");
    case Processing::Part::response_headers:
      if (state_ == State::waiting) return response();
      if (state_ < State::waiting) return refuse(kInvalidArgument, "there is a response before its request went on");
      return goes_on(seen_.part);
    case Processing::Part::request_body:
    case Processing::Part::response_body:
      return body();
    case Processing::Part::request_trailers:
      return goes_on(seen_.part);
    case Processing::Part::response_trailers:
      return trailers();
    case Processing::Part::nothing:
      return;
  }
}

void ProcessCall::request() {
  auto& head = head_.read(seen_.fields, seen_.end);
  if (head.method.empty() || head.target.empty())
    return refuse(kInvalidArgument, "request headers without :method or :path: expected request_header_mode SEND");
  observing_ = seen_.observing;
  bodies_ = seen_.bodies;
  tags_.clear();
  if (!context_.options.keep_tags)
    for (auto& f : seen_.fields)
      if (is_tag(f.name)) tags_.emplace_back(f.name);
  service_ = services_.named(head.host, head.scheme);
  injection_.record.serves(service_ ? std::string_view(service_->service()) : head.host);
  injection_.invited = head.bodiless;
  bool rpc = rpc_.begin(head, request_tap_, response_tap_, record());
  injection_.grpc = rpc && rpc_.kind() == GrpcKind::grpc;
  if (!rpc) request_tap_.reset(head.structured ? trace::kSampleBytes : trace::kUnreadSample);
  injection_.take(head);
  injection_.decide(head);
  if (head.bodiless) injection_.record.request_end(request_tap_, context_.now);  // else its end may never be told of
  if (injection_.fault) {
    if (auto why = beyond_envoy(record().fault); !why.empty()) spare(why);
    if (observing_) spare("the Envoy is in observability_mode, and listens to no answer");
    if (!service_) spare("the request names no service");
  }
  state_ = State::locating;
  if (!injection_.fault || service_->route().allow || service_->located()) return located();
  look_ = service_->locate([this] {
    look_.reset();
    context_.wake();
    located();
    wire_.settle();
  });
}

// A fault that will not come to be, through no doing of this request's: whoever wrote the rule is told.
void ProcessCall::spare(std::string_view why) {
  if (!injection_.fault) return;
  context_.say(fmt::format("{}: {} was not fired: {}", record().service, trace::show(record().fault), why));
  injection_.spare(why);
}

void ProcessCall::located() {
  if (injection_.fault && !service_->route().allow && !service_->location().spares().empty())
    spare(service_->location().spares());
  injection_.begin();
  auto act = injection_.ask(Step::request_head);
  if (act == Act::drop) act = injection_.ask(Step::request_end);  // no more of it than its head comes here
  if (act == Act::answer) {
    injection_.fire(act);
    return answer();
  }
  if (act != Act::delay) return release();
  injection_.fire(act);
  state_ = State::delayed;
  auto time = record().fault.delay;
  put_patience(out_, time + kPatience);
  say();
  timer_ = std::make_unique<Timer>(context_.loop, [this] {
    context_.wake();
    release();
    wire_.settle();
  });
  timer_->set(time, Time::client);
}

void ProcessCall::release() {
  if (timer_) timer_->cancel();
  state_ = State::waiting;
  goes_on(Processing::Part::request_headers);
}

void ProcessCall::response() {
  auto& head = head_.read(seen_.fields, seen_.end);
  auto& e = record();
  if (!of_service(seen_)) {
    e.client_status = head.status;
    injection_.spare_unfired(fmt::format("the service gave no answer: {}", seen_.code_details));
    if (e.evidence.empty()) e.evidence = fmt::format("the Envoy answered itself: {}", seen_.code_details);
    if (rpc_.is() && head.status == 200) {
      rpc_.ended(&head, e);
      e.client_status = std::exchange(e.service_status, 0);
    }
    goes_on(seen_.part);
    return over(trace::Ending::answered);
  }
  if (!rpc_.is()) response_tap_.reset(head.structured ? trace::kSampleBytes : trace::kUnreadSample);
  injection_.record.answer(head, context_.now);
  if (rpc_.is() && seen_.end) rpc_.ended(&head, e);
  context_.recorder.answer(e);
  auto act = injection_.ask(Step::response_head);
  if (act == Act::pass && injection_.fault && !e.fired)
    if (auto why = injection_.fault->spares(Step::response_head, injection_.scene()); !why.empty())
      injection_.spare(why);
  if (act == Act::drop) {  // the rest of it never comes here: executed means that its head was read
    injection_.withheld = head.raw.size();
    injection_.record.response_end(response_tap_, context_.now);
    if (injection_.ask(Step::response_end) == Act::answer) {
      injection_.fire(Act::answer);
      return answer();
    }
  }
  e.client_status = e.service_status;
  bool end = seen_.end;
  injection_.edit ? change(head, end) : goes_on(seen_.part);
  state_ = State::telling;
  if (end || (!bodies_ && !rpc_.is())) over(trace::Ending::answered);
}

// As the fault's edit makes it of its text: the Envoy is told the difference.
void ProcessCall::change(const Head& head, bool end) {
  auto text = fmt::format("HTTP/1.1 {} \r\n{}", head.status, head.raw);
  auto& e = record();
  auto did = injection_.edit->head(text, e, end);
  if (!did.fires) {
    if (!did.spares.empty()) injection_.spare(did.spares);
    return goes_on(seen_.part);
  }
  std::string_view said = e.fault.header, name = said.substr(0, said.find(": "));
  auto value = said.size() > name.size() ? std::optional(said.substr(name.size() + 2)) : std::nullopt;
  std::string_view there;
  for (auto& f : head.fields)
    if (there.empty() && iequals(head.name(f), name)) there = head.value(f);
  auto folded = lower(name);
  HeaderChange change{.name = folded, .values = {}};
  if (e.fault.name == trace::FaultName::set_header) change.values = {*value};
  if (e.fault.name == trace::FaultName::double_header) {
    change.added = true;
    change.values.assign(there.empty() ? 2 : 1, value ? *value : there);
  }
  injection_.fire(*injection_.edit);
  put_changed_head(out_, change);
  say();
}

void ProcessCall::body() {
  auto& e = record();
  if (state_ != State::told) {
    bool of_request = seen_.part == Processing::Part::request_body;
    (of_request ? e.request_bytes : e.response_bytes) += seen_.body.size();
    (of_request ? request_tap_ : response_tap_).take(seen_.body);
    if (seen_.end && of_request) injection_.record.request_end(request_tap_, context_.now);
    if (seen_.end && !of_request && state_ == State::telling && !rpc_.is()) {
      goes_on(seen_.part);
      return over(trace::Ending::answered);
    }
  }
  goes_on(seen_.part);
}

void ProcessCall::trailers() {
  goes_on(seen_.part);
  if (state_ != State::telling) return;
  auto& head = head_.read(seen_.fields, true);
  injection_.record.trailers(head);
  if (rpc_.is()) {
    rpc_.ended(&head, record());
    record().client_status = record().service_status;
  }
  over(trace::Ending::answered);
}

void ProcessCall::goes_on(Processing::Part part) {
  if (observing_) return;
  bool request = part == Processing::Part::request_headers;
  put_goes_on(out_, part, request ? std::span<const std::string>(tags_) : std::span<const std::string>());
  if (request) put_seen(out_);
  say();
}

void ProcessCall::say() {
  wire_.say(stream_, out_);
  out_.clear();
}

// In place of what the service says, or would have said.
void ProcessCall::answer() {
  auto& e = record();
  auto& a = injection_.answer;
  bool grpc = trace::is_grpc(a.status);
  auto marker = "retrial-" + e.fault_id;
  ImmediateAnswer immediate{.status = grpc ? 200 : a.status, .fields = {}, .body = a.body, .details = marker};
  std::string message;
  std::vector<std::string> names;
  names.reserve(a.headers.size());
  for (auto& h : a.headers) {
    if (iequals(h.name, "content-length") || iequals(h.name, "connection")) continue;
    if (iequals(h.name, "grpc-message")) message = grpc_message_decoded(h.value);
    if (grpc && (iequals(h.name, "content-type") || iequals(h.name, "grpc-status") || iequals(h.name, "grpc-message")))
      continue;  // the Envoy's own, from what follows
    names.push_back(lower(h.name));
    immediate.fields.push_back({names.back(), h.value});
    if (e.grpc.is && iequals(h.name, "grpc-retry-pushback-ms")) e.grpc.pushback = to_int(h.value).value_or(-1);
  }
  if (grpc) {
    immediate.grpc_code = trace::grpc_code_of(a.status);
    immediate.body = message;
  }
  put_immediate(out_, immediate);
  put_seen(out_);
  say();
  e.client_status = injection_.grpc && !grpc ? trace::kGrpcStatus + told_to_grpc(a.status) : a.status;
  over(trace::Ending::answered);
}

void ProcessCall::over(trace::Ending ending) {
  if (timer_) timer_->cancel();
  look_.reset();
  auto& e = record();
  if (e.service_status != 0 && ending == trace::Ending::answered && e.service_done == 0)
    injection_.record.response_end(response_tap_, context_.now);
  if (rpc_.is()) {
    if (!rpc_.has_ended() && e.service_status == 200 && e.evidence.empty())
      e.evidence = "how the call ended was not told: response_trailer_mode is not SEND";
    rpc_.count(false, e);
  }
  state_ = State::told;
  injection_.over(ending, ending == trace::Ending::open ? 0 : context_.now, request_tap_, response_tap_);
  injection_.record.keep_little();
}

void ProcessCall::said_all() {
  gone();
  wire_.finish(stream_, 0, {});
}

void ProcessCall::gone() {
  if (state_ == State::asked) injection_.record.forget();
  if (state_ == State::telling) return over(trace::Ending::answered);
  if (!open()) return;
  if (state_ == State::delayed) {
    auto& e = record();
    e.evidence = "its Envoy did not wait for the delay to end: max_message_timeout is shorter, or the client has left";
    context_.say(fmt::format("{}: {}: {}", e.service, trace::show(e.fault), e.evidence));
  }
  injection_.spare_unfired("the client had left");
  over(trace::Ending::client_left);
}

void ProcessCall::let_go() {
  if (state_ == State::delayed) release();
}

void ProcessCall::end_run() {
  if (open()) over(state_ == State::telling ? trace::Ending::answered : trace::Ending::open);
}

std::size_t ProcessCall::holds() const {
  return sizeof *this + injection_.record.holds() + head_.holds() + request_tap_.holds() + response_tap_.holds() +
         sizeof(EnvoyField) * seen_.fields.capacity() + out_.capacity();
}

}  // namespace retrial::proxy
