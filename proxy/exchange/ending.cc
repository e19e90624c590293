// What a fault does to the wire, and how an exchange and its connection end.
#include "proxy/exchange/answer.h"
#include "proxy/exchange/session.h"

namespace retrial::proxy {

Act Session::ask(Step step) {
  if (!fault_ || record_.exchange().fired) return Act::pass;
  return fault_->at(step, scene());
}

Scene Session::scene() const { return {record_.exchange(), invited_, withheld_, endless_, request_.head().target}; }

// What a fault has to be ready for before anything goes on.
void Session::begin_fault() {
  auto& e = record_.exchange();
  if (!fault_) {
    if (house_.director.keeps_responses()) edit_ = house_.earlier.keeping(e);
    return;
  }
  if (auto why = fault_->spares(Step::request_head, scene()); !why.empty()) return spare(why);
  edit_ = fault_->edit(e, house_.earlier);
  if (e.fault.name == trace::FaultName::stale && !house_.earlier.has(e)) {
    spare("no earlier response to this request was kept");
    if (house_.director.keeps_responses()) edit_ = house_.earlier.keeping(e);
    return;
  }
  if (fault_->rate(e.fault).bytes_per_second == 0) return;
  fire(Act::pass);
  paced_ = true;
  pace();
}

void Session::pace() {
  auto rate = fault_ ? fault_->rate(record_.exchange().fault) : Fault::Rate{};
  client_->pace(rate.bytes_per_second, rate.burst);
  if (service_) service_->pace(rate.bytes_per_second, rate.burst);
}

// The planned fault will not come to be.
void Session::spare(std::string_view why) {
  record_.exchange().evidence.assign("not fired: ").append(why);
  fault_ = nullptr;
  edit_.reset();
}

void Session::fire(Act act) {
  auto& e = record_.exchange();
  e.fired = true;
  e.fired_at = now_;
  e.evidence = fault_->evidence(act, scene());
  house_.recorder.fired(e);
}

void Session::carry_out(Act act) {
  if (act == Act::pass || act == Act::drop) return;
  if (timer_) timer_->cancel();
  fire(act);
  if (client_left_ != 0) {  // it did not wait to be told
    over(trace::Ending::client_left, client_left_);
    return die(false);
  }
  switch (act) {
    case Act::answer:
      if (auto own = fault_->answer(scene()); own.status != 0) answer_ = std::move(own);
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
  auto& e = record_.exchange();
  client_->write(bytes_of(answer_, {e.method == "HEAD", request_.head().minor, !leaves_}));
  e.client_status = answer_.status;
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
  record_.over(ending, told, request_tap_, response_tap_);
  house_.recorder.over(record_.exchange());
  if (asked_) house_.director.over(record_.exchange());
  fault_ = nullptr;
  edit_.reset();
  drips_ = drips_end_ = false;
  if (std::exchange(paced_, false)) pace();
}

// From here on bytes pass both ways as they come.
void Session::opaque(std::string_view client_rest, std::string_view service_rest) {
  if (!service_) return refuse(400, "the connection speaks no HTTP/1.1");
  if (state_ != State::passing) house_.counts.tunnels++;
  if (record_.decided() && fault_) spare("this is no HTTP/1, and passed as it is");
  if (record_.begun() && !record_.decided()) record_.forget();
  service_->write(request_.unfinished());
  service_->write(client_rest);
  client_->write(response_.unfinished());
  client_->write(service_rest);
  if (frames_[0]) frames_[0]->take(client_rest);
  if (frames_[1]) frames_[1]->take(service_rest);
  response_goes_ = request_goes_ = true;
  move(Event::opaque);
}

void Session::wake_after(Nanos time, std::function<void()> call) {
  timer_ = std::make_unique<Timer>(house_.loop, [this, call = std::move(call)] {
    now_ = house_.clock.now();
    call();
    settle();
  });
  timer_->set(time);
}

void Session::die(bool reset_service) {
  if (record_.decided()) {
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
