#include "proxy/exchange/session.h"

namespace retrial::proxy {

Session::Session(House& house, const Captured& captured)
    : house_(house),
      client_(house.loop, captured.client, *this),
      service_(house.loop, captured.service, *this),
      request_(H1Codec::Side::request, request_tap_, house.options.head_limit),
      response_(H1Codec::Side::response, response_tap_, house.options.head_limit),
      record_(captured.original.show(), captured.pid, ++house.connections) {}

Session::~Session() = default;

void Session::move(Event event) {
  auto to = next(state_, event);
  if (to == State::dead && event != Event::gone && alive()) return die(true);
  state_ = to;
}

void Session::ready(Socket& socket) {
  if (!alive()) return;
  now_ = house_.clock.now();
  house_.active(now_);
  if (&socket == &client_)
    read_client();
  else
    read_service();
  settle();
}

// Sends what has come together, ends what is told, goes on with what had to wait, and says what is to be read next.
void Session::settle() {
  while (alive()) {
    client_.flush();
    service_.flush();
    if (client_.open() && client_.broken()) {
      client_rst();
      continue;
    }
    if (state_ == State::request_rest && told_ == 0 && client_.queued() == 0) told_ = house_.clock.now();
    if (state_ == State::telling && client_.queued() == 0) {
      told();
      continue;
    }
    if (pending_.empty() || !takes_requests() || (request_goes_ && service_.queued() >= house_.options.buffer_limit))
      break;
    pending_.erase(0, parse(pending_, pending_came_));
  }
  if (!alive()) return;
  if (state_ == State::closing && client_left_ != 0) return die(false);
  bool passes = state_ != State::delayed && state_ != State::held && state_ != State::closing;
  if (passes && response_goes_ && client_left_ != 0 && pending_.empty()) service_.finish();
  if (passes && service_.ended()) client_.finish();
  if (client_left_ != 0 && service_.ended() && client_.finished() && client_.queued() == 0 && service_.queued() == 0)
    return die(false);
  client_.listen(client_room());
  service_.listen(service_room());
}

void Session::end_run() {
  if (!record_.decided()) return;
  if (answered_whole())
    over(trace::Ending::answered, told_);
  else
    over(trace::Ending::open, 0);
}

}  // namespace retrial::proxy
