// What a fault does to the wire, and how an exchange and its connection end.
#include "proxy/exchange/answer.h"
#include "proxy/exchange/session.h"

namespace retrial::proxy {

// What a fault has to be ready for before anything goes on.
void Session::begin_fault() {
  fate_.begin();
  if (!fate_.fault || fate_.fault->rate(fate_.record.exchange().fault).bytes_per_second == 0) return;
  fate_.fire(Act::pass, now_);
  paced_ = true;
  pace();
}

void Session::pace() {
  auto rate = fate_.fault ? fate_.fault->rate(fate_.record.exchange().fault) : Fault::Rate{};
  client_->pace(rate.bytes_per_second, rate.burst);
  if (service_) service_->pace(rate.bytes_per_second, rate.burst);
}

void Session::carry_out(Act act) {
  if (act == Act::pass || act == Act::drop) return;
  if (timer_) timer_->cancel();
  fate_.fire(act, now_);
  if (client_left_ != 0) {  // it did not wait to be told
    over(trace::Ending::client_left, client_left_);
    return die(false);
  }
  switch (act) {
    case Act::answer:
      if (auto own = fate_.fault->answer(fate_.scene()); own.status != 0) fate_.answer = std::move(own);
      return answer();
    case Act::hold:
      untouched_ = now_;
      return move(state_ == State::request_body ? Event::stall : Event::hold);
    case Act::reset:
      client_->reset();
      over(trace::Ending::reset, house_.clock.now());
      return die(false);
    case Act::close:
      client_->finish();
      over(trace::Ending::closed, house_.clock.now());
      return leave();
    case Act::abort:
    case Act::goaway:  // spared: there are no streams
    case Act::pass:
    case Act::drop:
      return;
  }
}

// The fault has fired: its sign follows what is still on its way.
void Session::strike(Act act) {
  strike_ = act;
  if (timer_) timer_->cancel();
  move(Event::strike);
}
void Session::struck() {
  if (client_left_ != 0) {
    over(trace::Ending::client_left, client_left_);
    return die(false);
  }
  switch (strike_) {
    case Act::reset:
      client_->reset();
      over(trace::Ending::reset, house_.clock.now());
      return die(false);
    case Act::close:
      client_->finish();
      over(trace::Ending::closed, house_.clock.now());
      return leave();
    default:
      untouched_ = now_;
      return move(Event::hold);
  }
}

// With an answer of our own.
void Session::answer() {
  // After a request that is not whole it could not be told where the next one begins.
  leaves_ |= !request_.head().keep_alive || !request_.at_start();
  auto& e = fate_.record.exchange();
  client_->write(bytes_of(fate_.answer, {e.method == "HEAD", request_.head().minor, !leaves_}));
  e.client_status = fate_.answer.status;
  ours_ = true;
  move(Event::answer);
}

// All that the client is to be told was handed to the kernel.
void Session::told() {
  if (told_ == 0) told_ = now_;
  // It had sent its FIN before: half of the connection, or all of it? If all, its kernel has answered the bytes with an
  // RST.
  if (client_left_ != 0 && client_->gone())
    over(trace::Ending::client_left, client_left_);
  else
    over(trace::Ending::answered, told_);
  // Pristine, an end is the service's own to tell, if its connection is this client's alone.
  bool ends = (leaves_ && (ours_ || !pristine() || pooled())) || house_.draining;
  release();
  if (!ends) {
    response_goes_ = request_goes_ = true;
    since_ = now_;
    return move(Event::told);
  }
  client_->finish();
  leave();
}

// The connection ends on our own account. What the client still sends is read and thrown away: an unread byte would
// turn the FIN into an RST.
void Session::leave() {
  if (service_) service_->close();
  pending_.clear();
  since_ = now_;
  move(Event::leave);
}

void Session::over(trace::Ending ending, Nanos told) {
  if (timer_) timer_->cancel();
  if (is_rpc_) rpc_->count(fate_.record.exchange().request_read != 0, fate_.record.exchange());
  fate_.over(ending, told, request_tap_, response_tap_);
  drips_ = drips_end_ = false;
  if (std::exchange(paced_, false)) pace();
}

// From here on bytes pass both ways as they come.
void Session::opaque(std::string_view client_rest, std::string_view service_rest) {
  if (!service_) return refuse(400, "the connection speaks no HTTP/1.1");
  if (state_ != State::passing) house_.counts.tunnels++;
  if (fate_.record.decided() && fate_.fault) fate_.spare("this is no HTTP/1, and passed as it is");
  if (fate_.record.begun() && !fate_.record.decided()) fate_.record.forget();
  if (!request_.unfinished().empty() || !client_rest.empty()) asked_ = true;
  service_->write(request_.unfinished());
  service_->write(client_rest);
  client_->write(response_.unfinished());
  client_->write(service_rest);
  if (frames_[0]) frames_[0]->take(client_rest);
  if (frames_[1]) frames_[1]->take(service_rest);
  response_goes_ = request_goes_ = true;
  move(Event::opaque);
}

void Session::wake_after(Nanos time, std::function<void()> call, Time whose) {
  timer_ = std::make_unique<Timer>(house_.loop, [this, call = std::move(call)] {
    now_ = house_.clock.now();
    call();
    settle();
  });
  timer_->set(time, whose);
}

std::size_t Session::awaited() const {
  if (state_ == State::tunnel) return asked_;
  if (!open() || state_ == State::held) return 0;
  return !(timer_ && timer_->in_client_time()) && !client_->paced_out() && !(service_ && service_->paced_out());
}

void Session::die(bool reset_service) {
  if (fate_.record.decided()) {
    if (answered_whole())
      over(trace::Ending::answered, told_);
    else if (client_left_ != 0)
      over(trace::Ending::client_left, client_left_);
    else
      over(trace::Ending::closed, house_.clock.now());
  }
  if (timer_) timer_->cancel();
  for (auto& frames : frames_)
    if (frames) house_.counts.frames += frames->frames();
  client_->close();
  if (service_ && reset_service)
    service_->reset();
  else if (service_)
    service_->close();
  move(Event::gone);
  house_.ended(*this);
}

}  // namespace retrial::proxy
