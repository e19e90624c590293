#include "proxy/proxy.h"

#include <algorithm>

#include "proxy/exchange/house.h"
#include "proxy/exchange/opening.h"

namespace retrial::proxy {

Counts& Counts::operator+=(const Counts& other) {
  for (auto count : {&Counts::connections, &Counts::http2, &Counts::tunnels, &Counts::upgraded, &Counts::refused,
                     &Counts::unreachable, &Counts::distrusting, &Counts::tls_failures, &Counts::frames})
    this->*count += other.*count;
  return *this;
}

struct Proxy::State {
  State(Loop& loop, const Clock& clock, Director& director, Recorder& recorder, Options options)
      : house(loop, clock, director, recorder, std::move(options)) {}
  House house;

  std::size_t count(std::size_t (Conversation::*how_many)() const) const {
    std::size_t all = 0;
    for (auto& c : house.conversations) all += (*c.*how_many)();
    return all;
  }
};

Proxy::Proxy(Loop& loop, const Clock& clock, Director& director, Recorder& recorder, Options options)
    : state_(std::make_unique<State>(loop, clock, director, recorder, std::move(options))) {}

Proxy::~Proxy() {
  for (auto& c : state_->house.conversations) c->end_run();
}

void Proxy::take(Captured connection) { state_->house.open(connection); }
void Proxy::take(Incoming connection) { state_->house.open(std::move(connection)); }

void Proxy::met(const std::string& service, pid_t pid, const trace::FaultSpec& fault, std::string_view not_fired) {
  auto& house = state_->house;
  auto now = house.clock.now();
  if (not_fired.empty())
    house.connection_faults.fired(pid, service, fault, now);
  else
    house.connection_faults.not_fired(pid, service, fault, not_fired, now);
}

void Proxy::drain() {
  auto& house = state_->house;
  house.draining = true;
  for (std::size_t i = house.openings.size(); i-- > 0;) house.openings[i]->drain();
  for (std::size_t i = house.conversations.size(); i-- > 0;) house.conversations[i]->drain();
}

void Proxy::sweep() { state_->house.sweep(); }

std::size_t Proxy::connections() const { return state_->house.openings.size() + state_->house.conversations.size(); }
std::size_t Proxy::open_exchanges() const { return state_->count(&Conversation::open); }
std::size_t Proxy::held_exchanges() const { return state_->count(&Conversation::held); }
std::size_t Proxy::awaited() const {
  auto& openings = state_->house.openings;
  auto now = state_->house.clock.now();
  auto opening = std::ranges::count_if(openings, [now](auto& one) { return one->awaited(now); });
  return state_->count(&Conversation::awaited) + static_cast<std::size_t>(opening);
}
Nanos Proxy::last_activity() const { return state_->house.last_activity; }
Nanos Proxy::longest_gap() const { return state_->house.longest_gap; }
Nanos Proxy::held_since() const {
  Nanos oldest = 0;
  for (auto& c : state_->house.conversations)
    if (auto since = c->held_since(); since != 0 && (oldest == 0 || since < oldest)) oldest = since;
  return oldest;
}
const std::vector<trace::ConnectionFault>& Proxy::connection_faults() const {
  return state_->house.connection_faults.all();
}
const Counts& Proxy::counts() const { return state_->house.counts; }

}  // namespace retrial::proxy
