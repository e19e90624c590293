#include "proxy/exchange/session.h"

namespace retrial::proxy {
namespace {
H1Codec::Limits limits(const Options& o) { return {o.head_limit, o.field_limit}; }
}  // namespace

Session::Session(House& house, Ends ends, bool tunnel)
    : house_(house),
      entrance_(std::move(ends.entrance)),
      client_(std::move(ends.client)),
      service_(std::move(ends.service)),
      pool_(ends.pool),
      request_(H1Codec::Side::request, request_tap_, limits(house.options)),
      response_(H1Codec::Side::response, response_tap_, limits(house.options)),
      fate_(house, Record(std::move(ends.service_name), ends.pid, ends.connection)),
      distrust_(std::move(ends.distrust)),
      tunnels_(tunnel) {
  client_->hand_to(*this);
  if (service_) service_->hand_to(*this);
}

Session::~Session() = default;

void Session::start() {
  now_ = since_ = house_.clock.now();
  if (tunnels_) {
    house_.counts.tunnels++;
    move(Event::opaque);
    read_service();
  }
  if (client_->ended()) client_left_ = now_;
  if (alive()) read_client();
  if (alive()) settle();
}

void Session::ready(Socket& socket) {
  if (!alive()) return;
  now_ = house_.clock.now();
  house_.active(now_);
  if (&socket == client_.get())
    read_client();
  else if (&socket == service_.get())
    read_service();
  settle();
}

// Sends what has come together, ends what is told, goes on with what had to wait, and says what is to be read next.
void Session::settle() {
  while (alive()) {
    client_->flush();
    if (service_) service_->flush();
    if (client_->open() && client_->broken()) {
      client_rst();
      continue;
    }
    if (state_ == State::striking && client_->queued() == 0 && (to_service() == 0 || service_->gone())) {
      struck();
      continue;
    }
    if (state_ == State::request_rest && told_ == 0 && client_->queued() == 0) told_ = house_.clock.now();
    if (state_ == State::telling && client_->queued() == 0) {
      told();
      continue;
    }
    if (pending_.empty() || !takes_requests() || (request_goes_ && to_service() >= house_.options.buffer_limit)) break;
    pending_.erase(0, parse(pending_, pending_came_));
  }
  if (!alive()) return;
  if (client_left_ != 0 && nothing_comes()) return die(state_ == State::request_rest);
  bool service_ended = service_ && service_->ended();
  bool passes =
      state_ != State::delayed && state_ != State::held && state_ != State::closing && state_ != State::striking;
  // A pooled connection does not end with the client's, but for a tunnel.
  bool ends = client_left_ != 0 && (!pooled() || state_ == State::tunnel);
  if (passes && response_goes_ && ends && pending_.empty() && service_) service_->finish();
  if (passes && service_ended) client_->finish();
  if (client_left_ != 0 && service_ended && client_->finished() && client_->queued() == 0 && service_->queued() == 0)
    return die(false);
  client_->listen(client_room());
  if (service_) service_->listen(service_room());
}

// For a client that says no more: is all over, or will never be?
bool Session::nothing_comes() const {
  switch (state_) {
    case State::closing:
      return client_->queued() == 0 || client_->gone();
    case State::idle:
    case State::passing:
      return !service_ || pooled();
    case State::request_rest:
      return told_ != 0 && pooled() && pending_.empty();  // the request will never be whole
    default:
      return false;
  }
}

void Session::check(Nanos now) {
  now_ = now;
  auto& o = house_.options;
  auto waited = now - since_;
  switch (state_) {
    case State::closing:
      if (waited > kLinger) die(false);
      return;
    case State::request_head:
      if (o.head_timeout == 0 || waited < o.head_timeout) return;
      refuse(408, "the request's head did not come in time");
      return settle();
    case State::idle:
      if (o.idle_timeout != 0 && waited >= o.idle_timeout && pending_.empty()) die(false);
      return;
    default:
      return;
  }
}

// A response under way is the connection's last.
void Session::drain() {
  if (state_ == State::idle && pending_.empty()) return die(false);
  leaves_ = true;
}

void Session::end_run() {
  if (!fate_.record.decided()) return;
  if (answered_whole())
    over(trace::Ending::answered, told_);
  else
    over(trace::Ending::open, 0);
}

}  // namespace retrial::proxy
