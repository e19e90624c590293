// A stream's life, and the client's side of it.
#include "proxy/exchange/stream.h"

#include <fmt/format.h>

#include "base/text.h"
#include "proxy/exchange/answer.h"
#include "proxy/exchange/h2_fields.h"
#include "proxy/exchange/h2_session.h"

namespace retrial::proxy {
void KeptHead::keep(const H2Head& h) {
  raw = h.head.raw;
  method = h.head.method;
  target = h.head.target;
  scheme = h.scheme;
  authority = h.authority;
  protocol = h.protocol;
  fields.assign(h.head.fields.begin(), h.head.fields.end());
}
H2Head KeptHead::head() const {
  H2Head h;
  h.head.raw = raw;
  h.head.method = method;
  h.head.target = target;
  h.head.fields = fields;
  h.scheme = scheme;
  h.authority = authority;
  h.protocol = protocol;
  return h;
}

Stream::Stream(H2Session& session)
    : session_(session),
      fate_(session.house(), Record(session.ends().service_name, session.ends().pid, session.ends().connection)) {
  fate_.streams = true;
}
Stream::~Stream() = default;

Nanos Stream::now() const { return session_.now(); }

void Stream::move(Event event) {
  state_ = next(state_, event);
  // A row that is missing is an event that cannot happen: the stream is given up, never guessed at.
  if (state_ == State::dead && event != Event::gone) {
    state_ = State::request_body;
    abort(code_of(H2Error::internal_error));
  }
}

void Stream::begin(std::uint32_t id, bool fresh) {
  id_ = id;
  service_id = 0;
  state_ = State::idle;
  to_service_.clear();
  to_client_.clear();
  text_.clear();
  kept_.clear();
  request_goes_ = response_goes_ = true;
  request_whole_ = response_whole_ = head_sent_ = passes_ = drips_ = drips_end_ = false;
  told_ = client_left_ = 0;
  rest_code_ = 0;
  fate_.record.begin(now());
  auto& e = exchange();
  e.fresh = fresh;
  e.stream = id;
  move(Event::request_byte);
}

void Stream::begin_rpc(const H1Head& head) {
  request_tap_.reset(head.structured ? trace::kSampleBytes : kUnreadSample);
  grpc_ = rpc_.begin(head, request_tap_, response_tap_, exchange());
  fate_.grpc = rpc_.kind() == GrpcKind::grpc;
}

void Stream::request_head(const H2Head& head, bool end) {
  auto& h = head.head;
  begin_rpc(h);
  fate_.target = h.target;
  fate_.decide(h);
  move(Event::request_head);
  auto& e = exchange();
  connect_ = h.method == "CONNECT";
  fate_.invited = end || !h.expects_continue;
  fate_.begin();
  if (fate_.fault && fate_.fault->rate(e.fault).bytes_per_second != 0) {
    fate_.fire(Act::pass, now());
    auto rate = fate_.fault->rate(e.fault);
    session_.pace(rate.bytes_per_second, rate.burst);
    paced_ = true;
  }
  auto act = fate_.ask(Step::request_head);
  if (act == Act::hold && e.fault.name == trace::FaultName::delay) {
    fate_.fire(act, now());
    kept_request_.keep(head);
    to_service_.end = request_whole_ = end;
    move(Event::hold);
    return wake_after(e.fault.delay, &Stream::release);
  }
  if (act != Act::pass && act != Act::drop) return carry_out(act);
  request_goes_ = act == Act::pass;
  if (request_goes_) return request_passes(head, end);
  if (!fate_.invited) {
    const H2Field status{":status", "100"};
    session_.client().head(id_, {&status, 1}, false);
    fate_.invited = true;
  }
  if (end) return request_end();
  wake_after(kEndless, &Stream::taken_as_read, Time::real);
}

void Stream::request_passes(const H2Head& head, bool end) {
  bool alone = fate_.head_alone();
  session_.service().request(*this, head, end && !alone);
  to_service_.gone = end;
  if (dead()) return;
  if (alone) {
    auto act = fate_.ask(Step::head_sent);
    fate_.fire(act, now());
    return strike(act);
  }
  if (end) request_end();
}

// What was delayed goes on.
void Stream::release() {
  move(Event::release);
  auto head = kept_request_.head();
  bool alone = to_service_.end && to_service_.bytes.empty() && to_service_.trailers.empty();
  bool whole = to_service_.end;
  request_passes(head, alone);
  if (alone || dead() || state_ != State::request_body) return;
  drain_to_service();
  if (whole) request_end();
}

bool Stream::takes_request() const {
  switch (state_) {
    case State::request_body:
    case State::early:
    case State::request_rest:
    case State::delayed:
      return true;
    default:
      return false;
  }
}

void Stream::request_data(std::string_view bytes, bool end) {
  request_whole_ |= end;
  if (passes_) {
    to_service_.end = end;
    return pass_to_service(bytes);
  }
  if (!takes_request()) {
    if (state_ == State::held) untouched_ = now();
    return session_.client().consumed(id_, bytes.size());
  }
  auto& e = exchange();
  e.request_bytes += bytes.size();
  request_tap_.take(bytes);
  if (auto limit = session_.house().options.body_limit; limit && e.request_bytes > limit && state_ != State::delayed) {
    session_.house().counts.refused++;
    session_.client().consumed(id_, bytes.size());
    if (fate_.fault) fate_.spare("the request's body is beyond the limit");
    if (head_sent_) return abort(code_of(H2Error::cancel));
    fate_.answer = own_answer(413, "the request's body is beyond the limit");
    return answer();
  }
  if (request_goes_) {
    to_service_.end = end;
    pass_to_service(bytes);
  } else {
    session_.client().consumed(id_, bytes.size());
  }
  if (end && state_ != State::delayed) request_end();
}

void Stream::request_trailers(const H2Head& trailers) {
  request_whole_ = true;
  if (!takes_request() && !passes_) return;
  auto raw = trailers.head.raw;
  if (request_goes_) {
    to_service_.trailers.assign(raw.substr(0, raw.size() - 2));
    to_service_.end = true;
    if (state_ != State::delayed) drain_to_service();
  }
  if (state_ != State::delayed && !passes_) request_end();
}

void Stream::request_end() {
  if (!takes_request()) return;
  if (timer_ && !request_goes_) timer_->cancel();
  fate_.record.request_end(request_tap_, now());
  bool rest = state_ == State::request_rest;
  move(Event::request_end);
  if (rest) return session_.watch(*this);
  carry_out(fate_.ask(Step::request_end));
}

void Stream::taken_as_read() {
  if (state_ == State::request_body) request_end();
}

void Stream::pass_to_service(std::string_view bytes) {
  auto& p = to_service_;
  if (p.bytes.empty() && state_ != State::delayed) {
    auto size = session_.service().room(*this, bytes.size());
    bool last = p.end && size == bytes.size();
    if (size > 0 || last) session_.service().data(*this, bytes.substr(0, size), last);
    if (size > 0) session_.client().consumed(id_, size);
    p.gone = last;
    bytes.remove_prefix(size);
  }
  p.bytes.append(bytes);
  tunnel_ends();
}

void Stream::drain_to_service() {
  if (!request_goes_ || state_ == State::delayed || to_service_.gone) return;
  auto& service = session_.service();
  auto& p = to_service_;
  if (!p.bytes.empty()) {
    auto size = service.room(*this, p.bytes.size());
    bool last = p.end && size == p.bytes.size() && p.trailers.empty();
    if (size == 0) return;
    service.data(*this, std::string_view(p.bytes).substr(0, size), last);
    session_.client().consumed(id_, size);
    p.bytes.erase(0, size);
    p.gone = last;
  }
  if (!p.end || p.gone || !p.bytes.empty()) return;
  p.gone = true;
  if (p.trailers.empty())
    service.data(*this, {}, true);
  else
    service.trailers(*this, p.trailers);
  tunnel_ends();
}

void Stream::refuse(const H2Head& head, int status, std::string_view why) {
  begin_rpc(head.head);
  fate_.decide(head.head);
  move(Event::request_head);
  request_goes_ = false;
  auto& e = exchange();
  if (fate_.fault) fate_.spare(why);
  (status == 502 ? session_.house().counts.unreachable : session_.house().counts.refused)++;
  fate_.answer = own_answer(status, status == 502 ? fmt::format("{} {}", e.service, why) : std::string(why));
  answer();
}

// The client's RST_STREAM.
void Stream::client_reset(std::uint32_t code) {
  auto& e = exchange();
  if (e.aborted == trace::Exchange::Aborted::no && told_ == 0) {
    e.aborted = trace::Exchange::Aborted::by_client;
    e.abort_code = code;
  }
  left_by_client(code);
}
void Stream::client_left() { left_by_client(code_of(H2Error::cancel)); }

void Stream::left_by_client(std::uint32_t code) {
  client_left_ = now();
  // A response that is withheld is read to its end all the same.
  if (!response_goes_ && fate_.record.decided() && !held() && state_ != State::telling) return;
  abort_service(code);
  if (fate_.record.decided()) {
    if (told_ != 0)
      record_over(trace::Ending::answered, told_);
    else
      record_over(trace::Ending::client_left, client_left_);
  }
  gone();
}

}  // namespace retrial::proxy
