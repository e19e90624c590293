// An exchange's client side: the request on its way, and the client's leaving.
#include <fmt/format.h>

#include "proxy/codec/intermediary.h"
#include "proxy/exchange/answer.h"
#include "proxy/exchange/context.h"
#include "proxy/exchange/exchange.h"
#include "trace/calls/content.h"
#include "trace/fault_name.h"

namespace retrial::proxy {
namespace {
// Of a request, in case it has to be sent once more.
constexpr std::size_t kMostBodyKept = 64u << 10;  // of its body
constexpr std::size_t kLongestKept = 8u << 10;    // of its head

// RFC 9110 9.2.2.
bool idempotent(std::string_view method) {
  return method == "GET" || method == "HEAD" || method == "PUT" || method == "DELETE" || method == "OPTIONS" ||
         method == "TRACE";
}
}  // namespace

Exchange::Exchange(Context& context, ClientSide& client, const Requester& requester, bool on_streams)
    : context_(context),
      client_(client),
      requester_(requester),
      injection_(context, Record(requester.service_name, requester.pid, requester.connection), on_streams) {
  if (context.options.busy) injection_.record.exchange().busy.thread = requester.thread;
}
Exchange::~Exchange() = default;

void Exchange::move(Event event) {
  state_ = next(state_, event);
  if (state_ != State::lost) return;
  context_.say(fmt::format("connection {}: an exchange is given up by an error of our own", requester_.connection));
  client_.break_off({Break::How::abort, code_of(H2Error::internal_error)});
  over(trace::Ending::reset, context_.now);
}

void Exchange::begin(Nanos came, bool fresh, std::uint32_t stream) {
  injection_.record.begin(came, fresh, stream);
  request_goes_ = response_goes_ = true;
  request_whole_ = response_whole_ = streams_ = head_sent_ = edit_pauses_ = false;
  told_ = client_ended_ = untouched_ = 0;
  client_left_ = 0;
  keeps_ = false;
  repeatable_ = false;
  sent_body_.clear();
  behind_.clear();
  rest_code_ = code_of(H2Error::no_error);
  move(Event::request_byte);
}

void Exchange::forget() {
  injection_.record.forget();
  state_ = State::idle;
}

void Exchange::begin_bodies(const Head& head) {
  trailers_.clear();
  withheld_.reset();
  if (rpc_.begin(head, request_tap_, response_tap_, record())) {
    injection_.grpc = injection_.streams && rpc_.kind() == GrpcKind::grpc;
    return;
  }
  injection_.grpc = false;
  if (!head.bodiless) request_tap_.reset(head.structured ? trace::kSampleBytes : trace::kUnreadSample);
}

void Exchange::request(const Head& head, bool invited, Services& services) {
  if (context_.ended.contains(requester_.pid)) {  // it had sent this before it knew that it was dead
    over(trace::Ending::reset, context_.now);
    return client_.break_off({Break::How::reset});
  }
  services_ = &services;
  request_whole_ = head.bodiless;
  injection_.invited = invited || head.bodiless;
  begin_bodies(head);
  injection_.take(head);
  if (auto& encoding = injection_.record.request_encoding(); !encoding.empty() && !rpc_.is())
    request_tap_.unpacks(encoding, trace::kSampleBytes);
  request_.begin(&client_, services.form(head));
  if (head.bodiless || !invited || rpc_.is() || !injection_.awaits_body()) return decide(head);
  keeps_ = true;
  kept_head_ = std::make_unique<KeptHead>(head);
  move(Event::await_body);
  if (!body_timer_)
    body_timer_ = std::make_unique<Timer>(context_.loop, [this] {
      context_.wake();
      beginning_read();
      client_.settle();
    });
  body_timer_->set(kEndless, Time::real);
}

// As much of its body as is looked at, or as comes.
void Exchange::beginning_read() {
  if (state_ != State::reading) return;
  body_timer_->cancel();
  injection_.record.request_sample(request_tap_);
  decide(std::exchange(kept_head_, nullptr)->head());
}

// It ends before that: it is recorded as what its head says, and nothing is done to it.
void Exchange::given_up_unread() {
  if (state_ != State::reading) return;
  body_timer_->cancel();
  injection_.decide(std::exchange(kept_head_, nullptr)->head());
  injection_.spare_unfired("the request ended before its body was read");
  move(Event::request_head);
}

void Exchange::decide(const Head& head) {
  injection_.decide(head);
  auto& services = *services_;
  if (injection_.fault && !services.spares().empty()) spare_the_service(services.spares());
  keeps_ = false;
  bool kept = sent_body_.size() == request_.waiting();
  move(Event::request_head);
  if (injection_.fault && client_.closing()) injection_.spare("the service had already closed this connection");
  injection_.begin();
  repeatable_ = !injection_.fault && kept && head.raw.size() <= kLongestKept && idempotent(head.method) &&
                (head.bodiless || (head.sized && head.length <= kMostBodyKept));
  auto& fault = injection_.fault;
  if (auto rate = fault ? fault->rate(record().fault) : Rate{}; rate.bytes_per_second != 0) {
    injection_.fire(Act::pass);
    injection_.paced = true;
    client_.pace(rate);
  }
  auto act = injection_.ask(Step::request_head);
  if (act == Act::delay) {
    injection_.fire(act);
    kept_head_ = std::make_unique<KeptHead>(head);
    move(Event::delay);
    return wake_after(record().fault.delay, &Exchange::release, Time::client);
  }
  if (act != Act::pass && !request_.empty()) request_.close();
  if (act != Act::pass && act != Act::drop) return carry_out(act);
  request_goes_ = act == Act::pass;
  if (request_goes_) return pass(head);
  if (!injection_.invited) {
    // The request is to be read whole, as if the loss came after it: so it is asked for, as the service would have
    // done.
    client_.invite();
    injection_.invited = true;
  }
  if (request_whole_) return request_read();
  if (!head.sized) wake_after(kEndless, &Exchange::request_read, Time::real);
}

// Faults never reach the outside world by themselves.
void Exchange::spare_the_service(std::string_view why) {
  auto& e = record();
  context_.say(fmt::format("{}: {} was not fired: {}", e.service, trace::show(e.fault), why));
  injection_.spare(why);
}

// To the service, if need be as soon as there is a way to it.
void Exchange::pass(const Head& head) {
  if (requester_.forward() && !undisturbed()) {
    if (state_ == State::delayed) kept_head_ = std::make_unique<KeptHead>(head);
    return;
  }
  service_ = services_->reach(*this);
  if (service_) {
    if (service_->waited()) keep(head);
    return send(head);
  }
  if (state_ != State::request_body) return;  // it was not reached
  kept_head_ = std::make_unique<KeptHead>(head);
  move(Event::reach);
}

void Exchange::send(const Head& head) {
  if (!service_) return;  // it was given up
  bool cut_short = injection_.head_alone();
  service_->head(head, head.bodiless, cut_short);
  if (cut_short) {
    auto act = injection_.ask(Step::head_sent);
    injection_.fire(act);
    return act_upon(act);
  }
  request_.open(*service_, head.bodiless);
  request_.drain();
  if (request_whole_ && state_ == State::request_body) request_read();
}

void Exchange::keep(const Head& head) {
  bool framed = services_->form(head) == Form::wire && !head.sized && !head.bodiless;  // and that is not kept
  bool all = sent_body_.size() == request_.waiting();                                  // that has come
  keeps_ = !injection_.fault && !framed && all && head.raw.size() <= kLongestKept;
  if (keeps_ && !client_.asked()) sent_head_.keep(head);
}

void Exchange::keep(std::string_view content) {
  keeps_ = sent_body_.size() + content.size() <= kMostBodyKept;
  if (keeps_) sent_body_.append(content);
}

// A connection that waited had ended, or was about to, as it was given this request: that is between the service and
// us, and the client never hears of it. Once, on another connection.
bool Exchange::sends_again(const Break& how) {
  if (!keeps_ || !service_ || !service_->waited() || !(repeatable_ || how.refused)) return false;
  if (state_ != State::request_body && state_ != State::waiting) return false;
  context_.counts.sent_again++;
  context_.say(fmt::format("{} had closed a connection that was kept: the request on it is sent once more, on another",
                           record().service));
  record().evidence = "sent twice by us: the service had closed the connection that was kept";
  release_service({Break::How::reset, code_of(H2Error::cancel)});
  repeatable_ = false;
  request_goes_ = true;
  kept_head_ = std::make_unique<KeptHead>(client_.asked() ? *client_.asked() : sent_head_.head());
  keeps_ = false;
  request_.begin(&client_, services_->form(kept_head_->head()));
  request_.put(sent_body_, request_whole_);
  move(Event::again);
  auto* service = services_->reach(*this);
  if (service) reached(*service);
  return true;
}

// What was delayed goes on.
void Exchange::release() {
  move(Event::release);
  service_ = services_->reach(*this);
  if (!service_ && state_ == State::request_body) return move(Event::reach);
  if (service_) send(std::exchange(kept_head_, nullptr)->head());
}

void Exchange::reached(ServiceSide& service) {
  service_ = &service;
  move(Event::release);
  send(std::exchange(kept_head_, nullptr)->head());
}

// A forward listener's client has no connection of its own to this service: ours is in its place, and meets what the
// director has for that.
bool Exchange::undisturbed() {
  using enum trace::FaultName;
  auto& e = record();
  auto& faults = context_.connection_faults;
  if (services_->reaches_at_once(*this)) return true;
  auto fault = context_.director.at_connect({e.service, e.pid, context_.now}).fault;
  if (fault.name == none) return true;
  if (auto why = services_->spares(); !why.empty()) {
    faults.not_fired(e.pid, e.service, fault, why, context_.now);
    return true;
  }
  if (fault.name != refuse_connect && fault.name != connect_timeout && fault.name != slow_connect) {
    faults.not_fired(e.pid, e.service, fault, "a request for a forward proxy has no handshake with its service",
                     context_.now);
    return true;
  }
  faults.fired(e.pid, e.service, fault, context_.now);
  if (faults.carried_by(e)) context_.recorder.fired(e);
  if (fault.name == refuse_connect) {
    unreached("the connection was refused");
  } else if (fault.name == connect_timeout) {
    untouched_ = context_.now;
    move(Event::hold);
  } else {
    move(Event::delay);
    wake_after(fault.delay, &Exchange::release, Time::client);
  }
  return false;
}

void Exchange::refuse(const Head& head, int status, std::string_view why) {
  begin_bodies(head);
  injection_.take(head);
  injection_.decide(head);
  request_goes_ = false;
  request_whole_ = head.bodiless;
  if (injection_.fault) injection_.spare(why);
  (status == 502 ? context_.counts.unreachable : context_.counts.refused)++;
  injection_.answer =
      own_answer(status, status == 502 ? fmt::format("{} {}", record().service, why) : std::string(why));
  answer();
}

bool Exchange::takes_request() const {
  switch (state_) {
    case State::idle:
    case State::request_head:
    case State::tunnel:
      return true;
    case State::reading:
    case State::delayed:
    case State::reaching:
    case State::request_body:
    case State::early:
    case State::request_rest:
      return !request_whole_;
    default:
      return false;
  }
}

void Exchange::request_data(const Body& body, bool end) {
  bool taken = takes_request() && state_ != State::idle;
  request_whole_ |= end;
  if (state_ == State::tunnel) {
    request_.take(body, end);
    return tunnel_ended();
  }
  if (!taken) {
    client_stirs();
    return client_.consumed(body.content.size());
  }
  auto& e = record();
  e.request_bytes += body.size();
  request_tap_.take(body.content);
  if (keeps_) keep(body.content);
  if (auto limit = context_.options.body_limit; limit != 0 && e.request_bytes > limit && !head_sent_) {
    client_.consumed(body.content.size());
    context_.counts.refused++;
    return refuse_rest(413, "the request's body is beyond the limit");
  }
  if (request_goes_)
    request_.take(body, end);
  else
    client_.consumed(body.content.size());
  if (state_ == State::reading) {
    if (end || request_tap_.sample().size() >= trace::kSampleBytes) beginning_read();
    return;
  }
  if (end && state_ != State::delayed && state_ != State::reaching) request_read();
}

Socket* Exchange::request_moves_to() const {
  bool passes = (state_ == State::request_body || state_ == State::early) && request_goes_ && !injection_.fault;
  return passes && request_tap_.has_seen_enough() ? request_.moves_to() : nullptr;
}

void Exchange::request_moved(std::size_t bytes, bool end) {
  keeps_ = false;
  record().request_bytes += bytes;
  request_tap_.pass_by(bytes);
  request_.moved(bytes);
  if (end) request_data({}, true);
}

void Exchange::request_trailers(const Head& trailers, const Body& last) {
  bool taken = takes_request() && state_ != State::idle;
  request_whole_ = true;
  keeps_ = false;
  if (!taken) return;
  record().request_bytes += last.wire.size();
  if (request_goes_) request_.finish(last, lines_of(trailers));
  if (state_ == State::tunnel) return tunnel_ended();
  if (state_ == State::reading) return beginning_read();
  if (state_ != State::delayed && state_ != State::reaching) request_read();
}

// Its last byte has come, or is taken to have come.
void Exchange::request_read() {
  if (state_ != State::request_body && state_ != State::early && state_ != State::request_rest) return;
  if (timer_ && !request_goes_) timer_->cancel();
  injection_.record.request_end(request_tap_, context_.now);
  request_tap_.release();
  bool rest = state_ == State::request_rest;
  move(Event::request_end);
  if (rest) return client_.when_drained();
  carry_out(injection_.ask(Step::request_end));
}

void Exchange::request_is_unreadable() { request_read(); }

void Exchange::refuse_rest(int status, std::string_view why) {
  given_up_unread();
  injection_.spare_unfired(why);
  if (auto& e = record(); e.evidence.empty()) e.evidence = why;
  release_service({Break::How::reset, code_of(H2Error::cancel)});  // for which it never becomes whole
  if (head_sent_) return strike(Break{Break::How::abort, code_of(H2Error::cancel)});
  injection_.answer = own_answer(status, why);
  answer();
}

void Exchange::client_stirs() {
  if (state_ == State::held) untouched_ = context_.now;
}

bool Exchange::client_finished(bool told_to_service) {
  if (client_ended_ == 0) {
    client_ended_ = context_.now;
    told_by_then_ = told_so_far();
  }
  switch (state_) {
    case State::request_head:
      forget();
      return true;
    case State::request_body:
      if (request_goes_ && told_to_service) return false;  // the service hears of it by the FIN, and may still answer
      [[fallthrough]];
    case State::reading:
    case State::delayed:
    case State::reaching:
      // Never completed: the service must not take it for a whole one.
      if (!request_whole_) break;
      return false;
    case State::held:
      release_service({Break::How::reset, code_of(H2Error::cancel)});
      fall_silent();
      return false;
    default:
      return false;
  }
  release_service({Break::How::reset, code_of(H2Error::cancel)});
  over(trace::Ending::client_left, client_ended_);
  return true;
}

bool Exchange::client_left(std::optional<std::uint32_t> code) {
  if (state_ == State::idle) return true;
  if (client_ended_ == 0) client_ended_ = context_.now;
  client_left_ = context_.now;
  auto& e = record();
  if (state_ == State::request_head) {
    forget();
    return true;
  }
  if (code && e.aborted == trace::Exchange::Aborted::no && told_ == 0) {
    e.aborted = trace::Exchange::Aborted::by_client;
    e.abort_code = *code;
  }
  // A response that is withheld is read to its end all the same.
  if (!response_goes_ && !held() && state_ != State::telling && state_ != State::striking) {
    response_.close();
    return false;
  }
  release_service({Break::How::reset, code.value_or(code_of(H2Error::cancel))});
  if (told_ != 0)
    over(trace::Ending::answered, told_);
  else
    over(trace::Ending::client_left, client_ended_);
  return true;
}

}  // namespace retrial::proxy
