// Whether a request is taken, where it goes, and what a client is told that gets no further than us.
#include <fmt/format.h>

#include "base/text.h"
#include "proxy/codec/intermediary.h"
#include "proxy/exchange/answer.h"
#include "proxy/exchange/opening.h"
#include "proxy/exchange/session.h"

namespace retrial::proxy {
namespace {

// host:port with the scheme's own port where none is given.
std::optional<Route> route_of(std::string_view authority, std::uint16_t port, bool tls) {
  Route route;
  route.tls = tls;
  route.port = port;
  auto colon = authority.rfind(':');
  if (colon != authority.npos && authority.find(']', colon) == authority.npos) {
    auto digits = authority.substr(colon + 1);
    auto number = to_int(digits);
    if (!digits.empty() && (!number || *number < 1 || *number > 65535)) return std::nullopt;
    if (number) route.port = static_cast<std::uint16_t>(*number);
    authority = authority.substr(0, colon);
  }
  if (authority.starts_with('[') && authority.ends_with(']')) authority = authority.substr(1, authority.size() - 2);
  if (authority.empty() || route.port == 0) return std::nullopt;
  route.host = lower(authority);
  return route;
}
}  // namespace

bool Session::acceptable(const H1Head& head) {
  auto limit = house_.options.body_limit;
  if (!refuses()) {
    if (!head.ambiguous.empty()) opaque(head.raw, {});
    return head.ambiguous.empty();
  }
  if (!head.ambiguous.empty())
    refuse(400, head.ambiguous);
  else if (!head.invalid.empty())
    refuse(400, head.invalid);
  else if (limit && head.length > limit)
    refuse(413, "the request's body is beyond the limit");
  return alive() && state_ == State::request_head;
}

// A forward listener's clients say where each request goes.
bool Session::destined(const H1Head& head, std::string_view rest) {
  if (!entrance_ || entrance_->entry != Entry::forward) return true;
  if (head.method == "CONNECT") {
    tunnel_to(head, rest);
    return false;
  }
  auto target = absolute(head.target);
  bool tls = iequals(target.scheme, "https");
  auto route = tls || iequals(target.scheme, "http") ? route_of(target.authority, tls ? 443 : 80, tls) : std::nullopt;
  if (!route) {
    refuse(400, "a forward proxy needs the whole URL of an http:// service, or CONNECT");
    return false;
  }
  auto& pool = house_.pool_for(*route);
  if (&pool != pool_ && service_) {
    service_->close();
    house_.loop.later_delete(std::move(service_));
    response_.restart();
  }
  pool_ = &pool;
  fate_.record.serves(pool.service());
  return true;
}

// What speaks inside a CONNECT is opened like any other connection.
void Session::tunnel_to(const H1Head& head, std::string_view rest) {
  auto route = route_of(head.target, 0, false);
  if (!route) return refuse(400, "CONNECT needs host:port");
  fate_.record.forget();
  Ends ends;
  ends.client = std::move(client_);
  ends.client->put_back(rest);
  ends.pool = &house_.pool_for(*route);
  auto inside = std::make_shared<Entrance>(*entrance_);
  inside->entry = Entry::reverse;  // all that follows is for this one service
  inside->route = *route;
  ends.entrance = std::move(inside);
  ends.pid = fate_.record.exchange().pid;
  ends.connection = fate_.record.exchange().connection;
  if (service_) service_->close();
  state_ = State::dead;
  auto& house = house_;
  house.counts.upgraded++;
  house.ended(*this);
  house.open_inside(std::move(ends));
}

// A service connection for the request whose head was read. False: it is on its way (the state is `delayed`), or the
// client was told that there is none.
bool Session::reach() {
  if (service_) return true;
  if (pooled()) service_ = pool_->take();
  if (service_) {
    service_->hand_to(*this);
    return true;
  }
  // A forward listener's client has no connection of its own to this service: ours is in its place.
  if (entrance_ && entrance_->entry == Entry::forward && !undisturbed()) return false;
  return connect();
}

// What the director has for the connection that is about to be made.
bool Session::undisturbed() {
  using enum trace::FaultName;
  auto& e = fate_.record.exchange();
  auto& faults = house_.connection_faults;
  auto fault = house_.director.at_connect({e.service, e.pid, now_}).fault;
  if (fault.name == none) return true;
  if (fault.name != refuse_connect && fault.name != connect_timeout && fault.name != slow_connect) {
    faults.not_fired(e.pid, e.service, fault, "a request for a forward proxy has no handshake with its service", now_);
    return true;
  }
  faults.fired(e.pid, e.service, fault, now_);
  if (faults.carried_by(e)) house_.recorder.fired(e);
  if (fault.name == refuse_connect) {
    unreachable("the connection was refused");
  } else if (fault.name == connect_timeout) {
    untouched_ = now_;
    move(Event::stall);
  } else {
    move(Event::hold);
    wake_after(fault.delay, [this] {
      move(Event::release);
      if (connect()) request_passes();
    });
  }
  return false;
}

bool Session::connect() {
  if (pool_->address()) return dialled(*pool_->address());
  move(Event::hold);
  resolve();
  return false;
}

void Session::resolve() {
  auto& route = pool_->route();
  query_ = house_.resolver().resolve(route.host, route.port, [this](Result<Address> address) {
    if (!alive()) return;  // it died in this round of the loop
    now_ = house_.clock.now();
    move(Event::release);
    if (dialled(address)) request_passes();
    settle();
  });
}

bool Session::dialled(const Result<Address>& address) {
  auto socket = address ? pool_->dial(*address, *this, house_.security_of(pool_->route()))
                        : Result<std::unique_ptr<Socket>>(std::unexpected(address.error()));
  if (!socket) {
    unreachable(socket.error().what);
    return false;
  }
  service_ = std::move(*socket);
  response_.restart();
  return true;
}

void Session::unreachable(const std::string& why) { unanswered("could not be reached: " + why); }

// There is no answer of the service's, by `what` it did.
void Session::unanswered(const std::string& what) {
  house_.counts.unreachable++;
  auto& e = fate_.record.exchange();
  house_.say(fmt::format("{} {}", e.service, what));
  if (service_) {
    service_->close();
    house_.loop.later_delete(std::move(service_));
    response_.restart();
  }
  if (!entrance_ || entrance_->entry == Entry::transparent) {  // it hears what it would have heard of its own connect
    client_->reset();
    over(trace::Ending::reset, house_.clock.now());
    return die(true);
  }
  if (fate_.fault)
    fate_.spare("the service " + what);
  else if (!e.fired)
    e.evidence = "the service " + what;
  fate_.answer = own_answer(502, e.service + " " + what);
  answer();
}

// Answers what is not passed on, and ends the connection.
void Session::refuse(int status, std::string_view why) {
  house_.counts.refused++;
  house_.say(fmt::format("connection {}: {}: answered {}", fate_.record.exchange().connection, why, status));
  bool told = state_ == State::request_rest;  // a whole answer
  bool answered = told || state_ == State::early || state_ == State::response_body || client_->queued() != 0;
  if (!answered) {
    client_->write(bytes_of(own_answer(status, why), {}));
  }
  if (fate_.record.decided()) {
    if (!answered) fate_.record.exchange().client_status = status;
    if (fate_.fault) fate_.spare(why);
    over(answered && !told ? trace::Ending::closed : trace::Ending::answered, told_ ? told_ : house_.clock.now());
  } else if (fate_.record.begun()) {
    fate_.record.forget();
  }
  client_->finish();
  if (service_) service_->reset();  // what it has of this request never becomes whole
  leave();
}

// The exchange is over: its service connection can serve another, or not.
void Session::release() {
  if (!pooled() || !service_) return;
  bool answered = fate_.record.exchange().service_done != 0 && response_.at_start();  // by the service, and to the end
  bool whole = request_goes_ && request_.at_start() && answered && service_->queued() == 0;
  if (whole && response_.head().keep_alive && !response_.head().until_close && !service_->ended() &&
      !service_->finished() && !service_->broken() && service_->open()) {
    pool_->keep(std::move(service_));
  } else {
    service_->close();
    house_.loop.later_delete(std::move(service_));
  }
  response_.restart();
}

}  // namespace retrial::proxy
