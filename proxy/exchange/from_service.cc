// The service's side of a session.
#include "proxy/codec/intermediary.h"
#include "proxy/exchange/session.h"

namespace retrial::proxy {
bool Session::service_room() const {
  switch (state_) {
    case State::delayed:
    case State::telling:
    case State::striking:
    case State::closing:
    case State::dead:
      return false;
    case State::held:
      return !response_goes_;
    default:
      break;
  }
  if (fate_.record.decided() && !request_goes_) return false;  // it has been asked nothing
  if (drips_) return false;
  return !response_goes_ || client_->queued() < house_.options.buffer_limit;
}

void Session::read_service() {
  if (!service_ || !service_room()) return;
  auto [got, size] = service_->read(house_.scratch.data(), house_.scratch.size());
  switch (got) {
    case Socket::Got::bytes:
      return service_bytes({house_.scratch.data(), size});
    case Socket::Got::nothing:
      return;
    case Socket::Got::fin:
      return service_fin();
    case Socket::Got::rst:
      return service_rst();
    case Socket::Got::failed:
      if (state_ == State::request_body || state_ == State::waiting) return unreachable(service_->failure());
      return service_rst();
  }
}

void Session::service_bytes(std::string_view bytes) {
  asked_ = false;
  while (!bytes.empty()) {
    switch (state_) {
      case State::request_body:
      case State::waiting:
      case State::early:
      case State::response_body:
        break;
      case State::passing:
      case State::tunnel:
        if (frames_[1]) frames_[1]->take(bytes);
        return client_->write(bytes);
      case State::idle:
      case State::request_head:
        return refuses() ? die(true) : opaque({}, bytes);  // it speaks unasked
      case State::request_rest:
      case State::telling:
        if (!response_goes_ || refuses()) {
          if (service_) service_->reset();  // more than the response that was asked for: nobody's
          return;
        }
        over(trace::Ending::answered, house_.clock.now());
        return opaque(std::exchange(pending_, {}), bytes);
      default:
        return;
    }
    if (drips_end_) return;  // behind the response
    if (response_.at_start()) response_began_ = now_;
    auto [step, size] = response_.take(bytes);
    auto piece = bytes.substr(0, size);
    bytes.remove_prefix(size);
    switch (step) {
      case H1Codec::Step::more:
        break;
      case H1Codec::Step::head:
        response_head(bytes);
        break;
      case H1Codec::Step::body:
        response_body(piece);
        break;
      case H1Codec::Step::end:
        response_body(piece);
        if (state_ != State::striking) response_end();
        break;
      case H1Codec::Step::refused:
        return bad_response(bytes);
    }
  }
}

void Session::response_head(std::string_view& rest) {
  auto& head = response_.head();
  auto& e = fate_.record.exchange();
  bool upgrade = head.status == 101 || (connect_ && head.status / 100 == 2);
  // A switch that was not asked for, or that comes before the request is whole (RFC 9110 7.8).
  bool odd_switch = head.status == 101 && (!request_.head().upgrades || !request_.at_start());
  if (refuses() && (!head.ambiguous.empty() || odd_switch)) {
    rest = {};
    return bad_response({});
  }
  if (head.status < 200 && !upgrade) return interim(head);
  fate_.record.answer(head, response_began_);
  house_.recorder.answer(e);
  auto act = upgrade ? Act::pass : fate_.ask(Step::response_head);
  if (act == Act::pass && fate_.fault && !e.fired) {
    auto why = upgrade ? std::string_view("the connection was upgraded")
                       : fate_.fault->spares(Step::response_head, fate_.scene());
    if (!why.empty()) fate_.spare(why);
  }
  move(Event::response_head);
  if (act == Act::drop) {
    response_goes_ = false;
    fate_.withheld = head.raw.size();
    if (!head.sized && !head.bodiless)
      wake_after(
          kEndless,
          [this] {
            fate_.endless = leaves_ = true;
            carry_out(fate_.ask(Step::response_end));
          },
          Time::real);
  } else {
    e.client_status = head.status;
    forward_response(head);
  }
  if (upgrade) {
    if (head.status == 101)
      for (auto& frames : frames_) frames = std::make_unique<FrameCounter>();
    house_.counts.upgraded++;
    client_->flush();
    over(trace::Ending::answered, house_.clock.now());
    return opaque(std::exchange(pending_, {}), std::exchange(rest, {}));
  }
  if (head.bodiless && state_ != State::striking) response_end();
}

void Session::interim(const H1Head& head) {
  if (head.status == 100) fate_.invited = true;
  if (pristine()) return client_->write(head.raw);
  if (request_.head().minor == 0) return;  // RFC 9110 15.2
  house_.text.clear();
  pass_on(head, ResponseHead{}, house_.text);
  client_->write(house_.text);
}

void Session::forward_response(const H1Head& head) {
  if (pristine()) {
    if (!fate_.edit) return client_->write(head.raw);
    house_.text.assign(head.raw);
    return edit_head(house_.text, head.bodiless);
  }
  int minor = request_.head().minor;
  auto framing = !head.chunked ? Framing::as_sent : minor == 0 ? Framing::plain : Framing::chunked;
  if (!head.bodiless) response_.hand_on(framing);
  leaves_ |= head.until_close || framing == Framing::plain;
  house_.text.clear();
  pass_on(head, ResponseHead{framing, !leaves_, minor}, house_.text);
  if (fate_.edit) return edit_head(house_.text, head.bodiless);
  client_->write(house_.text);
}

void Session::response_body(std::string_view wire) {
  fate_.record.exchange().response_bytes += wire.size();
  if (!response_goes_) {
    fate_.withheld += wire.size();
    return;
  }
  auto piece = response_.framing() == Framing::as_sent ? wire : response_.framed();
  if (fate_.edit)
    edit_body(piece, false);
  else
    client_->write(piece);
}

void Session::response_end() {
  if (is_rpc_) {
    auto& e = fate_.record.exchange();
    rpc_->ended(response_.head(), e);
    if (response_goes_ && e.client_status < 400) e.client_status = e.service_status;
  }
  fate_.record.response_end(response_tap_, now_);
  if (pristine() && !response_.head().keep_alive) leaves_ = true;
  if (fate_.edit) edit_body({}, true);
  drips_end_ = drips_;
  if (state_ != State::striking && !drips_) response_over();
}

void Session::response_over() {
  auto act = fate_.ask(Step::response_end);
  if (act == Act::pass)
    move(Event::response_end);
  else
    carry_out(act);
}

// What cannot be read, or could be read two ways.
void Session::bad_response(std::string_view bytes) {
  if (!response_goes_) {
    fate_.withheld += bytes.size();
    leaves_ = true;
    return carry_out(fate_.ask(Step::response_end));
  }
  if (!refuses()) return opaque(std::exchange(pending_, {}), bytes);
  bool began = state_ == State::early || state_ == State::response_body;
  if (!began) return unanswered("answered what cannot be read as HTTP/1.1");
  if (service_) service_->reset();
  over(trace::Ending::reset, house_.clock.now());
  client_->flush();
  client_->reset();
  die(true);
}

void Session::service_fin() {
  bool answering = state_ == State::early || state_ == State::response_body;
  if (answering && response_.head().until_close) return response_end();
  if (answering && !response_goes_) {
    leaves_ = true;
    return carry_out(fate_.ask(Step::response_end));
  }
  if (answering && response_.framing() == Framing::plain) return service_rst();  // a FIN would look like its end
  broken_off(trace::Ending::closed);
}

void Session::service_rst() {
  if ((state_ == State::early || state_ == State::response_body) && !response_goes_) {
    leaves_ = true;
    return carry_out(fate_.ask(Step::response_end));
  }
  if (state_ == State::held) return;
  broken_off(trace::Ending::reset);
  if (state_ == State::closing) return;  // all was told before
  client_->flush();
  client_->reset();
  die(true);
}

// The service ended the connection by itself. Its client is told the same at once.
void Session::broken_off(trace::Ending ending) {
  switch (state_) {
    case State::request_body:
    case State::waiting:
    case State::early:
    case State::response_body:
      client_->write(response_.unfinished());
      if (fate_.fault && !fate_.record.exchange().fired && (fate_.edit || fate_.fault->awaits_response()))
        fate_.spare("the service broke off before it had answered");
      break;
    case State::tunnel:
      break;
    case State::request_rest:
      ending = trace::Ending::answered;
      break;
    default:
      return;
  }
  if (fate_.record.decided()) {
    if (ending == trace::Ending::answered && told_ != 0)
      over(ending, told_);
    else if (client_left_ != 0)
      over(trace::Ending::client_left, client_left_);
    else
      over(ending, house_.clock.now());
  }
  if (state_ == State::tunnel) return;
  if (refuses()) {  // nothing passes unread
    if (ending == trace::Ending::reset) return;
    client_->finish();
    return leave();
  }
  to_service(std::exchange(pending_, {}));
  move(Event::broken_off);
}

}  // namespace retrial::proxy
