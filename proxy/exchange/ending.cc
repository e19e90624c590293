// What a fault does to an exchange, and how it ends.
#include "base/text.h"
#include "proxy/exchange/context.h"
#include "proxy/exchange/exchange.h"
#include "trace/status.h"

namespace retrial::proxy {
namespace {
constexpr std::size_t kMostSentKept = 8u << 10;  // bytes of a body that was sent, for the next exchange
}  // namespace

void Exchange::carry_out(Act act) {
  if (act == Act::pass || act == Act::drop) return;
  if (timer_) timer_->cancel();
  // Before it is written down, so that no more comes of it.
  if (act != Act::crash || injection_.end_process()) injection_.fire(act);
  act_upon(act);
}

void Exchange::act_upon(Act act) {
  if (client_left_ != 0 && !response_goes_) {  // it did not wait to be told
    over(trace::Ending::client_left, client_ended_);
    return client_.over({});
  }
  switch (act) {
    case Act::pass:
    case Act::drop:
    case Act::delay:
      return;
    case Act::hold:
      return strike({});
    case Act::answer:
      if (auto own = injection_.fault->answer(injection_.scene()); own.status != 0) injection_.answer = std::move(own);
      return answer();
    case Act::crash:
    case Act::reset:
      return strike(Break{Break::How::reset});
    case Act::close:
      return strike(Break{Break::How::close});
    case Act::abort:
      return strike(Break{Break::How::abort, record().fault.code});
    case Act::goaway:
      return strike(Break{Break::How::goaway, record().fault.code});
  }
}

// With an answer of our own: as the whole response, or as the trailers of one whose head has gone.
void Exchange::answer() {
  if (timer_) timer_->cancel();
  release_service();
  injection_.edit.reset();
  auto& e = record();
  auto& a = injection_.answer;
  response_.begin(nullptr, Form::content);
  bool whole = head_sent_ || a.body.empty() || e.method == "HEAD" || trace::is_grpc(a.status);
  if (head_sent_)
    client_.status_in_trailers(a);
  else
    client_.head(a, whole);
  head_sent_ = true;
  response_.open(client_, whole);
  response_.put(a.body, true);
  e.client_status = a.status;
  if (e.grpc.is)
    for (auto& h : a.headers)
      if (iequals(h.name, "grpc-retry-pushback-ms")) e.grpc.pushback = to_int(h.value).value_or(-1);
  move(Event::answer);
  client_.when_drained();
}

// What is on its way goes out; then the sign, or silence.
void Exchange::strike(std::optional<Break> sign) {
  if (timer_) timer_->cancel();
  sign_ = sign;
  move(Event::strike);
  if (!head_sent_ && !service_) return struck();  // nothing is
  client_.when_drained();
}

bool Exchange::drained() {
  switch (state_) {
    case State::request_rest:
      if (!response_.ended()) return false;
      if (told_ == 0) told_ = context_.clock.now();
      return true;
    case State::striking:
      if (!response_.empty() || (service_ && service_->waiting() > 0)) return false;
      struck();
      return true;
    case State::telling:
      if (!response_.ended()) return false;
      told();
      return true;
    default:
      return true;
  }
}

// All that the client is to be told was handed to the kernel.
void Exchange::told() {
  if (told_ == 0) told_ = context_.clock.now();
  bool crashes = injection_.ask(Step::told) == Act::crash && injection_.end_process();
  if (crashes) injection_.fire(Act::crash);
  // It had sent its FIN before: half of the connection, or all of it? If all, its kernel has answered the bytes with an
  // RST.
  if (client_ended_ != 0 && client_.gone())
    over(trace::Ending::client_left, client_ended_);
  else
    over(trace::Ending::answered, told_);
  if (crashes) return client_.break_off({Break::How::reset});
  client_.over(request_whole_ ? std::nullopt : std::optional(rest_code_));
}

bool Exchange::client_listens() const {
  return client_ended_ == 0 || (client_left_ == 0 && told_so_far() > told_by_then_ && !client_.gone());
}

void Exchange::struck() {
  if (client_left_ != 0) {
    over(trace::Ending::client_left, client_ended_);
    return client_.over({});
  }
  if (client_ended_ != 0 && !sign_) return fall_silent();
  if (!sign_) {
    untouched_ = context_.now;
    return move(Event::hold);
  }
  auto sign = *sign_;
  if (sign.how == Break::How::goaway) return client_.break_off(sign);  // which leaves this one out, and later ones
  auto& e = record();
  if (sign.how == Break::How::abort) {
    e.aborted = sign.by_service ? trace::Exchange::Aborted::by_service : trace::Exchange::Aborted::by_us;
    e.abort_code = sign.code;
    e.refused = sign.refused || sign.code == code_of(H2Error::refused_stream);
  }
  if (client_listens())
    over(sign.how == Break::How::close ? trace::Ending::closed : trace::Ending::reset, context_.clock.now());
  else
    over(trace::Ending::client_left, client_ended_);
  client_.break_off(sign);
}

// Whether a client that has sent its FIN still listens would only show if it were told something. It is not waited for.
void Exchange::fall_silent() {
  over(trace::Ending::client_left, client_ended_);
  client_.silence();
}

// The service does not want the rest of a request that it has answered: the client is told once it has the answer (RFC
// 9113 8.1).
void Exchange::unwanted_rest(std::uint32_t code) {
  rest_code_ = code;
  if (state_ == State::response_body) return;
  move(Event::request_end);
  if (state_ == State::telling) client_.when_drained();
}

void Exchange::cut(trace::Ending ending, const Break& how) {
  if (state_ == State::idle) return;
  release_service(how);
  if (told_ != 0)
    over(trace::Ending::answered, told_);
  else if (client_ended_ != 0)
    over(trace::Ending::client_left, client_ended_);
  else
    over(ending, context_.clock.now());
}

void Exchange::shed(std::uint32_t code) {
  if (decided() && told_ == 0 && client_ended_ == 0) {
    record().aborted = trace::Exchange::Aborted::by_us;
    record().abort_code = code;
    injection_.spare_unfired("we were short of memory or connections");
  }
  cut(trace::Ending::reset, {Break::How::reset, code_of(H2Error::cancel)});
}

void Exchange::left_out(trace::Exchange::Aborted by, std::uint32_t code) {
  auto& e = record();
  if (told_ == 0) {  // else it was answered, and only its request is left out
    e.refused = true;
    e.abort_code = code;
    e.aborted = by;
  }
  injection_.spare_unfired("the connection was going away");
  if (by == trace::Exchange::Aborted::by_service) release_service({Break::How::goaway});
  cut(trace::Ending::reset);
}

void Exchange::end_run() {
  given_up_unread();
  if (!decided()) return;
  if (told_ != 0)
    over(trace::Ending::answered, told_);
  else
    over(trace::Ending::open, 0);
}

// The service's side serves others, or is broken off.
void Exchange::release_service(const Break& how) {
  if (state_ == State::reaching) services_->give_up(*this);
  if (!service_) return;
  bool whole = response_whole_ && request_whole_ && request_.ended();
  request_.close();
  request_goes_ = false;
  response_.forget_source();
  std::exchange(service_, nullptr)->release(whole, how);
}

void Exchange::over(trace::Ending ending, Nanos told) {
  given_up_unread();
  if (timer_) timer_->cancel();
  release_service();
  response_.close();
  state_ = next(state_, Event::over);
  if (!decided()) return injection_.record.forget();
  if (rpc_.is()) rpc_.count(request_whole_, record());
  bool paced = injection_.paced;
  injection_.over(ending, told, request_tap_, response_tap_);
  injection_.record.keep_little();
  keeps_ = false;
  if (sent_body_.capacity() > kMostSentKept) std::string().swap(sent_body_);
  if (paced) client_.pace({});
}

bool Exchange::tells_nothing_more() const {
  switch (state_) {
    case State::idle:
    case State::telling:
    case State::striking:
    case State::held:
    case State::lost:
      return true;
    default:
      return false;
  }
}

bool Exchange::outlives_service() const {
  return (tells_nothing_more() && state_ != State::idle) || state_ == State::request_rest ||
         (response_whole_ && edit_pauses_) || !response_.empty();
}

bool Exchange::stuck(Nanos now, std::size_t beside) {
  bool ours = held() || client_.paced_out();  // a fault's doing
  return standstill_.lasts(now, ours ? 0 : waiting() + beside, context_.options.idle_timeout);
}

bool Exchange::starves(Nanos now) {
  bool waits = state_ == State::request_body && !request_whole_ && injection_.invited && !rpc_.is() && request_.empty();
  auto come = static_cast<std::size_t>(record().request_bytes) + 1;
  return hunger_.lasts(now, waits ? come : 0, context_.options.body_timeout);
}

std::size_t Exchange::holds() const {
  return request_.holds() + response_.holds() + injection_.record.holds() + made_.capacity() + behind_.capacity() +
         trailers_.capacity() + (withheld_ ? withheld_->capacity() : 0) + (kept_head_ ? kept_head_->holds() : 0) +
         sent_head_.holds() + sent_body_.capacity() + request_tap_.holds();
}

bool Exchange::abandoned(Nanos now) {
  bool waits = client_ended_ != 0 && !held() && (state_ == State::waiting || answering());
  bool midway = answering() && response_goes_;
  auto come = static_cast<std::size_t>(record().response_bytes) + (answering() ? 2 : 1);
  auto limit = context_.options.idle_timeout;
  return silence_.lasts(now, waits && !client_.paced_out() ? come : 0, midway ? kHungUp : limit);
}

bool Exchange::awaited() const {
  return open() && state_ != State::held && !(timer_ && timer_->in_client_time()) && !client_.paced_out();
}

void Exchange::wake_after(Nanos time, void (Exchange::*call)(), Time whose) {
  timer_ = std::make_unique<Timer>(context_.loop, [this, call] {
    context_.wake();
    (this->*call)();
    client_.settle();
  });
  timer_->set(time, whose);
}

}  // namespace retrial::proxy
