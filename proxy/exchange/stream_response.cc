// The service's side of a stream.
#include "base/text.h"
#include "proxy/exchange/answer.h"
#include "proxy/exchange/h2_fields.h"
#include "proxy/exchange/h2_session.h"
#include "proxy/exchange/stream.h"
#include "trace/recording/redact.h"
#include "trace/status.h"

namespace retrial::proxy {
namespace {
// So much of a response that is withheld is kept: enough for the answer of a call that turns out to have failed.
constexpr std::size_t kMostKept = 256u << 10;

std::string_view three_digits(int status, char* room) {
  room[0] = static_cast<char>('0' + status / 100);
  room[1] = static_cast<char>('0' + status / 10 % 10);
  room[2] = static_cast<char>('0' + status % 10);
  return {room, 3};
}
std::string_view without_end(std::string_view raw) { return raw.substr(0, raw.size() - 2); }
}  // namespace

void Stream::response_head(const H2Head& head, bool end) {
  auto& h = head.head;
  if (h.status < 200 && !dead()) {
    if (h.status == 100) fate_.invited = true;
    if (response_goes_) send_head(h, false);
    return;
  }
  if (state_ != State::request_body && state_ != State::waiting) return;
  auto& e = exchange();
  response_whole_ = head_alone_ = end;
  if (grpc_ && !request_whole_) e.grpc.streams = true;
  if (!grpc_) response_tap_.reset(h.structured ? trace::kSampleBytes : kUnreadSample);
  fate_.record.answer(h, now());
  if (grpc_ && end) rpc_.ended(h, e);  // Trailers-Only
  session_.house().recorder.answer(e);
  bool opens = connect_ && h.status / 100 == 2;
  auto act = opens ? Act::pass : fate_.ask(Step::response_head);
  if (act == Act::pass && fate_.fault && !e.fired) {
    auto why = opens ? std::string_view("the connection was upgraded")
                     : fate_.fault->spares(Step::response_head, fate_.scene());
    if (!why.empty()) fate_.spare(why);
  }
  move(Event::response_head);
  if (opens) {
    send_head(h, end);
    return tunnel();
  }
  if (act == Act::drop) {
    response_goes_ = false;
    fate_.withheld = h.raw.size();
    kept_request_.raw.assign(h.raw);
    kept_whole_ = true;
    if (!end) wake_after(kEndless, &Stream::endless, Time::real);
  } else {
    e.client_status = e.service_status;
    if (fate_.edit)
      edit_head(h, end);
    else
      send_head(h, end);
  }
  if (end && state_ != State::striking && !dead()) response_end(nullptr);
}

// What goes on is another protocol's (RFC 9113 8.5, RFC 8441): the exchange is over.
void Stream::tunnel() {
  session_.house().counts.upgraded++;
  passes_ = true;
  record_over(trace::Ending::answered, now());
}

void Stream::response_data(std::string_view bytes, bool end) {
  response_whole_ |= end;
  if (passes_) {
    to_client_.end = end;
    return pass_to_client(bytes);
  }
  if (state_ != State::early && state_ != State::response_body) return session_.service().consumed(*this, bytes.size());
  exchange().response_bytes += bytes.size();
  response_tap_.take(bytes);
  if (!response_goes_) {
    withhold(bytes);
  } else if (fate_.edit) {
    session_.service().consumed(*this, bytes.size());
    edit_body(bytes, false);
  } else {
    to_client_.end = end;
    pass_to_client(bytes);
  }
  if (end && state_ != State::striking && !dead()) response_end(nullptr);
}

void Stream::response_trailers(const H2Head& trailers) {
  response_whole_ = true;
  if (passes_) {
    to_client_.trailers.assign(without_end(trailers.head.raw));
    to_client_.end = true;
    return drain_to_client();
  }
  if (state_ != State::early && state_ != State::response_body) return;
  fate_.record.trailers(trailers.head);
  response_end(&trailers.head);
}

void Stream::withhold(std::string_view bytes) {
  session_.service().consumed(*this, bytes.size());
  fate_.withheld += bytes.size();
  if (!kept_whole_) return;
  if (kept_.size() + bytes.size() <= kMostKept) {
    kept_.append(bytes);
  } else {
    kept_whole_ = false;
    kept_.clear();
  }
}

void Stream::endless() {
  if (response_whole_ || (state_ != State::early && state_ != State::response_body)) return;
  fate_.endless = true;
  carry_out(fate_.ask(Step::response_end));
}

// A call that the service has answered with an error only in its trailers: nothing was executed whose answer could be
// lost. What was withheld passes after all.
bool Stream::replay() {
  auto& e = exchange();
  if (response_goes_ || !grpc_ || e.service_status < 400 || !kept_whole_ || client_left_ != 0) return false;
  fate_.spare("the service's own answer is an error, and passed untouched");
  response_goes_ = true;
  text_ = "HTTP/1.1 200 \r\n" + kept_request_.raw;
  send_text(false);
  to_client_.bytes.append(kept_);
  return true;
}

void Stream::response_end(const H1Head* trailers) {
  if (trailers) to_client_.trailers.assign(without_end(trailers->raw));
  if (grpc_ && !head_alone_) rpc_.ended(trailers ? *trailers : H1Head{}, exchange());
  fate_.record.response_end(response_tap_, now());
  if (timer_ && !response_goes_) timer_->cancel();
  replay();
  if (fate_.edit) edit_body({}, true);
  drips_end_ = drips_;
  if (state_ != State::striking && state_ != State::telling && !drips_ && !dead()) response_over();
}

void Stream::response_over() {
  auto act = fate_.ask(Step::response_end);
  if (act != Act::pass) return carry_out(act);
  auto& e = exchange();
  if (grpc_ && e.client_status < 400) e.client_status = e.service_status;
  to_client_.end = true;
  drain_to_client();
  move(Event::response_end);
  session_.watch(*this);
}

void Stream::send_head(const H1Head& head, bool end) {
  auto& fields = session_.house().no_fields();
  char digits[3];
  response_fields(three_digits(head.status, digits), head, !session_.pristine(), fields);
  session_.client().head(id_, fields, end);
  if (head.status < 200) return;
  head_sent_ = true;
  to_client_.gone = end;
}

// A head that a fault has changed.
void Stream::send_text(bool end) {
  if (text_.empty()) return;
  auto& fields = session_.house().no_fields();
  text_fields(text_, session_.house().field_room, fields);
  session_.client().head(id_, fields, end);
  text_.clear();
  head_sent_ = true;
  to_client_.gone = end;
}

void Stream::pass_to_client(std::string_view bytes) {
  auto& p = to_client_;
  if (!bytes.empty()) send_text(false);
  auto& client = session_.client();
  if (p.bytes.empty()) {
    auto size = session_.client_budget(std::min(client.room(id_), bytes.size()));
    bool last = p.end && size == bytes.size() && !fate_.edit && p.trailers.empty();
    if (size > 0 || last) client.data(id_, bytes.substr(0, size), last);
    if (size > 0 && !fate_.edit) session_.service().consumed(*this, size);
    p.gone = last;
    bytes.remove_prefix(size);
  }
  if (!fate_.edit) p.owed += bytes.size();
  p.bytes.append(bytes);
  tunnel_ends();
}

// Both directions of it.
void Stream::tunnel_ends() {
  if (passes_ && to_client_.gone && to_service_.gone) gone();
}

void Stream::drain_to_client() {
  auto& p = to_client_;
  if (p.gone) return;
  if (!p.bytes.empty()) {
    auto& client = session_.client();
    auto size = session_.client_budget(std::min(client.room(id_), p.bytes.size()));
    if (size == 0) return;
    bool last = p.end && size == p.bytes.size() && p.trailers.empty();
    client.data(id_, std::string_view(p.bytes).substr(0, size), last);
    auto back = std::min<std::uint64_t>(p.owed, size);
    p.owed -= back;
    if (back > 0) session_.service().consumed(*this, back);
    p.bytes.erase(0, size);
    p.gone = last;
  }
  if (p.bytes.empty() && p.end && !p.gone) end_to_client();
  tunnel_ends();
}

void Stream::end_to_client() {
  auto& p = to_client_;
  if (p.gone || !p.bytes.empty()) return;
  p.gone = true;
  if (!text_.empty() && p.trailers.empty()) return send_text(true);
  send_text(false);
  if (p.trailers.empty()) return session_.client().data(id_, {}, true);
  auto& fields = session_.house().no_fields();
  line_fields(p.trailers, session_.house().field_room, fields);
  session_.client().trailers(id_, fields);
}

// The service's RST_STREAM, or what it never had of the stream.
void Stream::service_reset(std::uint32_t code, bool refused) {
  forgotten();
  bool whole = std::exchange(response_whole_, true);
  if (state_ == State::held || dead()) return;
  auto& e = exchange();
  if (passes_) {
    session_.client().reset(id_, code);
    return gone();
  }
  if (state_ == State::telling || state_ == State::striking) return;
  if (state_ == State::request_rest || (state_ == State::early && whole && drips_)) return rest_unwanted(code);
  if (!response_goes_) return carry_out(fate_.ask(Step::response_end));  // the client never hears of it
  e.aborted = trace::Exchange::Aborted::by_service;
  e.abort_code = code;
  e.refused = refused || code == code_of(H2Error::refused_stream);
  if (fate_.fault && !e.fired && (fate_.edit || fate_.fault->awaits_response()))
    fate_.spare("the service broke off before it had answered");
  session_.client().reset(id_, code);
  record_over(client_left_ ? trace::Ending::client_left : trace::Ending::reset, now());
  gone();
}

// Answered, and the service does not want the rest: the client is told once it has the answer (RFC 9113 8.1).
void Stream::rest_unwanted(std::uint32_t code) {
  rest_code_ = code;
  request_goes_ = false;
  move(Event::request_end);
  session_.watch(*this);
}

bool Stream::outlives() const {
  return state_ == State::held || state_ == State::telling || state_ == State::striking ||
         state_ == State::request_rest || (response_whole_ && drips_);
}

void Stream::lost(trace::Ending ending) {
  forgotten();
  bool whole = response_whole_;
  response_whole_ = true;
  if (state_ == State::held || dead() || state_ == State::telling || state_ == State::striking) return;
  if (!response_goes_ && !whole) return carry_out(fate_.ask(Step::response_end));
  if (state_ == State::request_rest) return rest_unwanted(code_of(H2Error::no_error));
  if (whole && drips_) return;
  if (passes_) {
    drain_to_client();
    return gone();
  }
  if (fate_.fault && !exchange().fired && (fate_.edit || fate_.fault->awaits_response()))
    fate_.spare("the service broke off before it had answered");
  if (to_client_.bytes.size() > 0) drain_to_client();
  over(ending);
}

void Stream::unanswered(const std::string& what) {
  forgotten();
  auto& e = exchange();
  session_.house().counts.unreachable++;
  if (fate_.fault)
    fate_.spare("the service " + what);
  else if (!e.fired)
    e.evidence = "the service " + what;
  if (head_sent_) return abort(code_of(H2Error::cancel));
  fate_.answer = own_answer(502, e.service + " " + what);
  answer();
}

}  // namespace retrial::proxy
