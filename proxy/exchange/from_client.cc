// The client's side of a session.
#include "base/text.h"
#include "proxy/exchange/session.h"

namespace retrial::proxy {
namespace {

bool expects_continue(const H1Head& head) {
  for (auto& f : head.fields)
    if (f.name_end - f.name == 6 && iequals(head.name(f), "expect")) return iequals(head.value(f), "100-continue");
  return false;
}
}  // namespace

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
  if (state_ == State::closing || state_ == State::held) return true;
  if (pending_.size() >= limit) return false;
  bool goes = state_ == State::passing || state_ == State::tunnel || (takes_requests() && request_goes_);
  return !goes || service_.queued() < limit;
}

void Session::read_client() {
  if (!client_room()) return;
  auto [got, size] = client_.read(house_.scratch.data(), house_.scratch.size());
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
  if (pending_.empty()) bytes.remove_prefix(parse(bytes, now_));
  switch (state_) {
    case State::passing:
    case State::tunnel:
      return service_.write(bytes);
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
    if (state_ == State::idle && bytes.find_first_not_of("\r\n") != bytes.npos) {
      record_.begin(came);
      move(Event::request_byte);
    }
    auto [step, size] = request_.take(bytes);
    auto piece = bytes.substr(0, size);
    bytes.remove_prefix(size);
    switch (step) {
      case H1Codec::Step::more:
        break;
      case H1Codec::Step::head:
        request_head(!bytes.empty());
        break;
      case H1Codec::Step::body:
        request_body(piece);
        break;
      case H1Codec::Step::end:
        request_body(piece);
        request_end();
        break;
      case H1Codec::Step::refused:
        if (record_.decided() && !request_goes_) {
          // Where this request ends cannot be told, and its first bytes were not passed on: what is done to it is done
          // now.
          leaves_ = true;
          request_end();
        } else {
          opaque(bytes, {});
        }
        return all;
    }
  }
  return all - bytes.size();
}

void Session::request_head(bool body_begun) {
  auto& head = request_.head();
  record_.head(++house_.exchanges, head);
  auto& e = record_.exchange();
  auto decision = house_.director.at_head(e);
  answer_ = std::move(decision.answer);
  record_.decide(std::move(decision));
  house_.recorder.head(e);
  move(Event::request_head);

  request_goes_ = response_goes_ = true;
  leaves_ = endless_ = false;
  withheld_ = 0;
  told_ = 0;
  invited_ = body_begun || head.bodiless || !expects_continue(head);
  connect_ = head.method == "CONNECT";
  response_.answers_head(head.method == "HEAD");
  fault_ = fault_named(e.fault.name);
  if (fault_ && client_.finished()) spare("the service had already closed this connection");

  auto act = ask(Step::request_head);
  if (act == Act::hold) return delay();
  if (act == Act::answer) return carry_out(act);
  request_goes_ = act == Act::pass;
  if (request_goes_) {
    forward_head();
  } else if (!invited_) {
    // The request is to be read whole, as if the loss came after it: so it is asked for, as the service would have
    // done.
    client_.write("HTTP/1.1 100 Continue\r\n\r\n");
    invited_ = true;
  }
  if (head.bodiless) request_end();
}

void Session::forward_head() {
  auto& head = request_.head();
  std::size_t done = 0;
  if (!house_.options.keep_tags) {
    for (std::size_t i = 0; i < head.fields.size(); i++) {
      if (!is_tag(head.name(head.fields[i]))) continue;
      service_.write(head.raw.substr(done, head.fields[i].name - done));
      done = head.fields[i].name + head.line(i).size();
    }
  }
  service_.write(head.raw.substr(done));
}

void Session::delay() {
  fire(Act::hold);
  move(Event::hold);
  wake_after(record_.exchange().fault.delay, [this] {
    move(Event::release);
    forward_head();
    if (request_.head().bodiless) request_end();
  });
}

void Session::request_body(std::string_view wire) {
  record_.exchange().request_bytes += wire.size();
  if (request_goes_) service_.write(wire);
}

void Session::request_end() {
  record_.request_end(request_tap_, now_);
  move(Event::request_end);
  carry_out(ask(Step::request_end));
}

void Session::client_fin() {
  client_left_ = now_;
  switch (state_) {
    case State::request_head:  // it will never be a request: what there is of it is passed on
      record_.forget();
      service_.write(request_.unfinished());
      return move(Event::broken_off);
    case State::request_body:
      if (request_goes_) return;  // the service will hear of it by the FIN, and may still answer
      [[fallthrough]];
    case State::held:
      over(trace::Ending::client_left, now_);
      return die(false);
    case State::tunnel:
      if (record_.decided()) over(trace::Ending::client_left, now_);
      return;
    default:
      return;
  }
}

void Session::client_rst() {
  if (client_left_ == 0) client_left_ = now_;
  if (record_.decided() && !response_goes_ && state_ != State::held && state_ != State::telling) {
    client_.close();  // the response that is withheld is read to its end all the same
    return;
  }
  if (record_.decided()) over(trace::Ending::client_left, client_left_);
  die(true);
}

}  // namespace retrial::proxy
