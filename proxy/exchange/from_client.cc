// The client's side of a session.
#include "proxy/codec/intermediary.h"
#include "proxy/codec/tags.h"
#include "proxy/exchange/session.h"

namespace retrial::proxy {

bool Session::takes_requests() const {
  switch (state_) {
    case State::idle:
    case State::request_head:
    case State::request_body:
    case State::early:
    case State::request_rest:
      return true;
    default:
      return false;
  }
}

bool Session::client_room() const {
  auto limit = house_.options.buffer_limit;
  if (state_ == State::closing || state_ == State::held || state_ == State::striking) return true;
  if (pending_.size() >= limit) return false;
  bool goes = state_ == State::passing || state_ == State::tunnel || (takes_requests() && request_goes_);
  return !goes || to_service() < limit;
}

void Session::read_client() {
  if (!client_room()) return;
  auto [got, size] = client_->read(house_.scratch.data(), house_.scratch.size());
  switch (got) {
    case Socket::Got::bytes:
      return client_bytes({house_.scratch.data(), size});
    case Socket::Got::nothing:
      return;
    case Socket::Got::fin:
      return client_fin();
    case Socket::Got::rst:
    case Socket::Got::failed:
      return client_rst();
  }
}

void Session::client_bytes(std::string_view bytes) {
  if (!distrust_.empty()) house_.distrust().asked(std::exchange(distrust_, {}));
  if (pending_.empty()) bytes.remove_prefix(parse(bytes, now_));
  if (bytes.empty()) return;
  switch (state_) {
    case State::passing:
    case State::tunnel:
      if (frames_[0]) frames_[0]->take(bytes);
      return to_service(bytes);
    case State::striking:
    case State::held:
      untouched_ = now_;
      return;  // nothing that comes behind a request without an answer will be heard
    case State::closing:
    case State::dead:
      return;
    default:
      if (pending_.empty()) pending_came_ = now_;
      pending_.append(bytes);
  }
}

// Reads as much of a request as the state allows, and says how much that was.
std::size_t Session::parse(std::string_view bytes, Nanos came) {
  auto all = bytes.size();
  while (!bytes.empty() && takes_requests()) {
    // Empty lines between requests are passed on with the next one (RFC 9112 2.2), but do not begin it.
    bool begins = bytes.front() != '\r' && bytes.front() != '\n';
    if (state_ == State::idle && (begins || bytes.find_first_not_of("\r\n") != bytes.npos)) {
      fate_.record.begin(came);
      since_ = now_;
      move(Event::request_byte);
    }
    auto [step, size] = request_.take(bytes);
    auto piece = bytes.substr(0, size);
    bytes.remove_prefix(size);
    switch (step) {
      case H1Codec::Step::more:
        break;
      case H1Codec::Step::head:
        request_head(bytes);
        if (state_ == State::tunnel) to_service(bytes);
        if (state_ == State::tunnel || state_ == State::dead) return all;
        break;
      case H1Codec::Step::body:
        request_body(piece);
        break;
      case H1Codec::Step::end:
        request_body(piece);
        if (takes_requests()) request_end();
        break;
      case H1Codec::Step::refused:
        unreadable(bytes);
        return all;
    }
  }
  return all - bytes.size();
}

void Session::unreadable(std::string_view bytes) {
  if (fate_.record.decided() && !request_goes_) {
    // Where this request ends cannot be told, and its first bytes were not passed on: what is done to it is done now.
    leaves_ = true;
    return request_end();
  }
  if (!refuses()) return opaque(bytes, {});
  bool large = request_.refusal() == H1Codec::Refusal::head_too_large;
  refuse(large ? 431 : 400,
         large ? "the request's head is beyond the limit" : "the request cannot be read as HTTP/1.1");
}

void Session::request_head(std::string_view rest) {
  auto& head = request_.head();
  if (!acceptable(head) || !destined(head, rest)) return;
  fate_.target = head.target;
  if (head.grpc || is_rpc_) begin_rpc();
  fate_.decide(head);
  auto& e = fate_.record.exchange();
  move(Event::request_head);

  request_goes_ = response_goes_ = true;
  ours_ = false;
  leaves_ = !pristine() && (!head.keep_alive || house_.draining);
  told_ = 0;
  fate_.invited = !rest.empty() || head.bodiless || !head.expects_continue;
  connect_ = head.method == "CONNECT";
  response_.answers_head(head.method == "HEAD");
  if (fate_.fault && client_->finished()) fate_.spare("the service had already closed this connection");

  begin_fault();
  auto act = fate_.ask(Step::request_head);
  if (act == Act::hold && e.fault.name == trace::FaultName::delay) return delay();
  if (act != Act::pass && act != Act::drop) return carry_out(act);
  request_goes_ = act == Act::pass;
  if (request_goes_) return request_passes();
  if (!fate_.invited) {
    // The request is to be read whole, as if the loss came after it: so it is asked for, as the service would have
    // done.
    client_->write("HTTP/1.1 100 Continue\r\n\r\n");
    fate_.invited = true;
  }
  if (head.bodiless) request_end();
}

void Session::begin_rpc() {
  if (!rpc_) rpc_ = std::make_unique<Rpc>();
  is_rpc_ = rpc_->begin(request_.head(), request_tap_, response_tap_, fate_.record.exchange());
}

// To the service, if need be as soon as there is a connection to it.
void Session::request_passes() {
  if (!reach()) return;
  forward_head();
  if (fate_.head_alone()) {
    auto act = fate_.ask(Step::head_sent);
    fate_.fire(act, now_);
    return strike(act);
  }
  if (request_.head().bodiless) request_end();
}

void Session::forward_head() {
  auto& head = request_.head();
  auto& out = house_.text;
  out.clear();
  if (pristine()) {
    std::size_t done = 0;
    for (std::size_t i = 0; !house_.options.keep_tags && i < head.fields.size(); i++) {
      if (!is_tag(head.name(head.fields[i]))) continue;
      out.append(head.raw.substr(done, head.fields[i].name - done));
      done = head.fields[i].name + head.line(i).size();
    }
    out.append(head.raw.substr(done));
  } else {
    if (head.chunked) request_.hand_on(Framing::chunked);
    pass_on(head, RequestHead{house_.options.keep_tags, pool_ ? pool_->authority() : std::string_view()}, out);
  }
  if (fate_.head_alone() && head.bodiless) out.resize(out.size() - 2);  // with its empty line it would be whole
  if (paced_) pace();
  service_->write(out);
}

void Session::delay() {
  fate_.fire(Act::hold, now_);
  move(Event::hold);
  wake_after(fate_.record.exchange().fault.delay, [this] {
    move(Event::release);
    request_passes();
  });
}

void Session::request_body(std::string_view wire) {
  auto& e = fate_.record.exchange();
  e.request_bytes += wire.size();
  if (auto limit = house_.options.body_limit;
      limit && e.request_bytes > limit && refuses() && state_ == State::request_body)
    return refuse(413, "the request's body is beyond the limit");
  if (request_goes_) to_service(request_.framing() == Framing::as_sent ? wire : request_.framed());
}

void Session::request_end() {
  fate_.record.request_end(request_tap_, now_);
  move(Event::request_end);
  carry_out(fate_.ask(Step::request_end));
}

// Unless the service left first.
void Session::left_unasked() {
  auto pair = std::exchange(distrust_, {});
  if (!pair.empty() && !(service_ && (service_->ended() || service_->gone()))) house_.distrust().left(pair);
}

void Session::client_fin() {
  client_left_ = now_;
  left_unasked();
  switch (state_) {
    case State::request_head:  // it will never be a request: what there is of it is passed on
      fate_.record.forget();
      if (refuses()) return die(false);
      to_service(request_.unfinished());
      return move(Event::broken_off);
    case State::request_body:
      // The service will hear of it by the FIN, and may still answer.
      if (request_goes_ && pristine() && !pooled()) return;
      if (request_goes_) {  // never completed: the service must not take it for a whole one
        over(trace::Ending::client_left, now_);
        return die(true);
      }
      [[fallthrough]];
    case State::held:
      over(trace::Ending::client_left, now_);
      return die(false);
    case State::tunnel:
      if (fate_.record.decided()) over(trace::Ending::client_left, now_);
      return;
    default:
      return;
  }
}

void Session::client_rst() {
  if (client_left_ == 0) client_left_ = now_;
  left_unasked();
  if (fate_.record.decided() && !response_goes_ && state_ != State::held && state_ != State::telling) {
    client_->close();  // the response that is withheld is read to its end all the same
    return;
  }
  if (fate_.record.decided()) over(trace::Ending::client_left, client_left_);
  die(true);
}

}  // namespace retrial::proxy
