#include "proxy/proxy.h"

#include <algorithm>

#include "proxy/connections/connections.h"
#include "proxy/envoy/connection.h"

namespace retrial::proxy {

Counts& Counts::operator+=(const Counts& other) {
  for (auto count :
       {&Counts::connections, &Counts::http2, &Counts::tunnels, &Counts::upgraded, &Counts::refused, &Counts::shed,
        &Counts::unreachable, &Counts::distrusting, &Counts::tls_failures, &Counts::sent_again, &Counts::frames})
    this->*count += other.*count;
  return *this;
}

struct Proxy::State {
  State(Loop& loop, const Clock& clock, Director& director, Recorder& recorder, Options options)
      : connections(loop, clock, director, recorder, std::move(options)) {}
  Connections connections;

  std::size_t count(std::size_t (ClientConnection::*how_many)() const) const {
    std::size_t all = 0;
    for (auto& c : connections.clients) all += (*c.*how_many)();
    return all;
  }
};

Proxy::Proxy(Loop& loop, const Clock& clock, Director& director, Recorder& recorder, Options options)
    : state_(std::make_unique<State>(loop, clock, director, recorder, std::move(options))) {}

Proxy::~Proxy() {
  for (auto& c : state_->connections.clients) c->end_run();
}

bool Proxy::has_room() { return state_->connections.has_room(); }
void Proxy::take(Captured connection) { state_->connections.open(connection); }
void Proxy::take(Incoming connection) {
  auto& all = state_->connections;
  if (connection.listener->mode != ListenMode::envoy) return all.open(std::move(connection));
  all.arrives();
  auto number = all.next_connection();
  all.begin(std::make_unique<EnvoyConnection>(all, std::move(connection), number));
}

void Proxy::met(const std::string& service, pid_t pid, const trace::FaultSpec& fault, std::string_view not_fired) {
  auto& all = state_->connections;
  auto now = all.clock.now();
  if (not_fired.empty())
    all.connection_faults.fired(pid, service, fault, now);
  else
    all.connection_faults.not_fired(pid, service, fault, not_fired, now);
}

void Proxy::drain() {
  auto& all = state_->connections;
  all.now = all.clock.now();
  all.draining = true;
  all.draining_since = all.now;
  for (std::size_t i = all.clients.size(); i-- > 0;)
    if (i < all.clients.size()) all.clients[i]->drain();
}

void Proxy::cut() {
  auto& all = state_->connections;
  all.now = all.clock.now();
  for (std::size_t i = all.clients.size(); i-- > 0;)
    if (i < all.clients.size() && all.clients[i]->open() > 0) all.clients[i]->shed("the proxy goes away");
}

void Proxy::sweep() { state_->connections.sweep(); }

std::size_t Proxy::connections() const { return state_->connections.clients.size(); }
std::size_t Proxy::open_exchanges() const { return state_->count(&ClientConnection::open); }
std::size_t Proxy::held_exchanges() const { return state_->count(&ClientConnection::held); }
std::size_t Proxy::waiting() const { return state_->count(&ClientConnection::waiting); }
std::size_t Proxy::awaited() const {
  std::size_t all = 0;
  auto now = state_->connections.clock.now();
  for (auto& c : state_->connections.clients) all += c->awaited(now);
  return all;
}
std::size_t Proxy::streaming() const { return state_->count(&ClientConnection::streaming); }
Nanos Proxy::last_activity() const { return state_->connections.last_activity; }
Nanos Proxy::longest_gap() const { return state_->connections.longest_gap; }
Nanos Proxy::held_since() const {
  Nanos oldest = 0;
  for (auto& c : state_->connections.clients)
    if (auto since = c->held_since(); since != 0 && (oldest == 0 || since < oldest)) oldest = since;
  return oldest;
}
void Proxy::give_up_held(Nanos since) {
  auto& all = state_->connections.clients;
  state_->connections.now = state_->connections.clock.now();
  for (std::size_t i = all.size(); i-- > 0;)
    if (i < all.size() && all[i]->held_since() != 0 && all[i]->held_since() <= since)
      all[i]->shed("an exchange was held for long enough");
}
const std::vector<trace::ConnectionFault>& Proxy::connection_faults() const {
  return state_->connections.connection_faults.all();
}
const Counts& Proxy::counts() const { return state_->connections.counts; }

}  // namespace retrial::proxy
