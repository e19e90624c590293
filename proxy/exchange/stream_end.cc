// What a fault does to a stream, and how it ends.
#include "base/text.h"
#include "proxy/exchange/h2_fields.h"
#include "proxy/exchange/h2_session.h"
#include "proxy/exchange/stream.h"
#include "trace/status.h"

namespace retrial::proxy {
namespace {}  // namespace

void Stream::edit_head(const H1Head& head, bool end) {
  auto& e = exchange();
  text_ = "HTTP/1.1 " + std::to_string(head.status) + " \r\n";
  text_.append(head.raw);
  auto did = fate_.edit->head(text_, e, end);
  if (did.fires) e.client_status = fate_.edit->status(e.service_status);
  edited(did, {});
  if (!end) send_text(false);  // its body may be long in coming
}

void Stream::edit_body(std::string_view bytes, bool last) {
  std::string out;
  auto did = fate_.edit->body(bytes, last, out);
  edited(did, out);
}

void Stream::edited(const Edit::Did& did, std::string_view out) {
  if (did.fires) fate_.fire(*fate_.edit, now());
  if (!out.empty()) pass_to_client(out);
  if (!did.spares.empty()) {
    if (fate_.fault)
      fate_.spare(did.spares);
    else
      fate_.edit.reset();
    return;
  }
  if (did.act != Act::pass) {
    send_text(false);
    if (did.act != Act::answer) return strike(did.act);
    abort_service(code_of(H2Error::cancel));
    return answer();
  }
  if (did.more) send_text(false);
  if (did.more && !drips_) wake_after(exchange().fault.delay, &Stream::drip);
  if (!did.more && drips_) timer_->cancel();
  drips_ = did.more;
}

void Stream::drip() {
  if (!fate_.edit) return;
  std::string out;
  drips_ = false;
  auto did = fate_.edit->more(out);
  edited(did, out);
  if (!drips_ && std::exchange(drips_end_, false) && !dead() && state_ != State::striking) response_over();
}

void Stream::carry_out(Act act) {
  if (act == Act::pass || act == Act::drop) return;
  if (timer_) timer_->cancel();
  fate_.fire(act, now());
  if (client_left_ != 0) {  // it did not wait to be told
    abort_service(code_of(H2Error::cancel));
    record_over(trace::Ending::client_left, client_left_);
    return gone();
  }
  switch (act) {
    case Act::answer:
      if (auto own = fate_.fault->answer(fate_.scene()); own.status != 0) fate_.answer = std::move(own);
      abort_service(code_of(H2Error::cancel));
      return answer();
    case Act::hold:
      untouched_ = now();
      return move(state_ == State::request_body ? Event::stall : Event::hold);
    case Act::abort:
      return abort(exchange().fault.code);
    case Act::goaway:
      return session_.refuse_from(*this, exchange().fault.code);
    case Act::reset:
    case Act::close:
      return session_.cut(*this, act == Act::reset);
    case Act::pass:
    case Act::drop:
      return;
  }
}

// The fault has fired: its sign follows what is still on its way.
void Stream::strike(Act act) {
  strike_ = act;
  if (timer_) timer_->cancel();
  move(Event::strike);
  session_.watch(*this);
}
void Stream::struck() {
  abort_service(code_of(H2Error::cancel));
  if (client_left_ != 0) {
    record_over(trace::Ending::client_left, client_left_);
    return gone();
  }
  switch (strike_) {
    case Act::abort:
      return abort(exchange().fault.code);
    case Act::reset:
    case Act::close:
      return session_.cut(*this, strike_ == Act::reset);
    default:
      untouched_ = now();
      return move(Event::hold);
  }
}

// With an answer of our own: as the whole response, or as the trailers of one whose head has gone.
void Stream::answer() {
  auto& e = exchange();
  if (timer_) timer_->cancel();
  auto& fields = session_.house().no_fields();
  answer_fields(fate_.answer, head_sent_, session_.house().field_room, fields);
  bool whole = fate_.answer.body.empty() || e.method == "HEAD" || trace::is_grpc(fate_.answer.status);
  to_client_.clear();
  to_client_.end = to_client_.gone = true;
  if (head_sent_) {
    session_.client().trailers(id_, fields);
  } else {
    session_.client().head(id_, fields, whole);
    head_sent_ = true;
    if (!whole) {
      to_client_.gone = false;
      fate_.edit.reset();
      pass_to_client(fate_.answer.body);
    }
  }
  e.client_status = fate_.answer.status;
  if (e.grpc.is)
    for (auto& h : fate_.answer.headers)
      if (iequals(h.name, "grpc-retry-pushback-ms")) e.grpc.pushback = to_int(h.value).value_or(-1);
  move(Event::answer);
  session_.watch(*this);
}

// RST_STREAM, by us.
void Stream::abort(std::uint32_t code) {
  auto& e = exchange();
  e.aborted = trace::Exchange::Aborted::by_us;
  e.abort_code = code;
  e.refused = code == code_of(H2Error::refused_stream);
  session_.client().reset(id_, code);
  abort_service(code_of(H2Error::cancel));
  record_over(trace::Ending::reset, now());
  gone();
}

void Stream::abort_service(std::uint32_t code) {
  if (service_id == 0) return;
  if (response_whole_ && request_whole_) return forgotten();
  session_.service().abort(*this, code);
}
void Stream::forgotten() {
  if (service_id != 0) session_.service().forget(*this);
}

void Stream::look() {
  if (state_ == State::striking && to_client_.bytes.empty()) return struck();
  if (!to_client_.gone) return;
  if (state_ == State::request_rest && told_ == 0) told_ = now();
  if (state_ != State::telling) return;
  if (told_ == 0) told_ = now();
  if (!request_whole_) session_.client().reset(id_, rest_code_);  // RFC 9113 8.1
  record_over(trace::Ending::answered, told_);
  gone();
}

void Stream::end_run() {
  if (!fate_.record.decided()) return;
  if (told_ != 0)
    record_over(trace::Ending::answered, told_);
  else
    record_over(trace::Ending::open, 0);
}

void Stream::over(trace::Ending ending) {
  if (fate_.record.decided()) {
    if (told_ != 0)
      record_over(trace::Ending::answered, told_);
    else if (client_left_ != 0)
      record_over(trace::Ending::client_left, client_left_);
    else
      record_over(ending, now());
  }
  gone();
}

void Stream::left_out(trace::Exchange::Aborted by, std::uint32_t code) {
  auto& e = exchange();
  if (told_ == 0) {  // else it was answered, and only its request is left out
    e.refused = true;
    e.abort_code = code;
    e.aborted = by;
  }
  if (by == trace::Exchange::Aborted::by_service) forgotten();
  if (fate_.fault && !e.fired) fate_.spare("the connection was going away");
  abort_service(code_of(H2Error::cancel));
  over(trace::Ending::reset);
}

void Stream::record_over(trace::Ending ending, Nanos told) {
  if (!fate_.record.decided()) return;
  if (timer_) timer_->cancel();
  if (grpc_) rpc_.count(request_whole_, exchange());
  fate_.over(ending, told, request_tap_, response_tap_);
  if (std::exchange(paced_, false)) session_.pace(0, 0);
}

void Stream::wake_after(Nanos time, void (Stream::*call)(), Time whose) {
  timer_ = std::make_unique<Timer>(session_.house().loop, [this, call] {
    session_.wakes();
    (this->*call)();
    session_.settle();
  });
  timer_->set(time, whose);
}

void Stream::gone() {
  if (dead()) return;
  if (timer_) timer_->cancel();
  abort_service(code_of(H2Error::cancel));
  move(Event::gone);
  session_.ended(*this);
}

}  // namespace retrial::proxy
