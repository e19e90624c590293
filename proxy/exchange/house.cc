#include "proxy/exchange/house.h"

#include <fmt/format.h>

#include <algorithm>

#include "proxy/exchange/h2_session.h"
#include "proxy/exchange/opening.h"
#include "proxy/exchange/session.h"

namespace retrial::proxy {
namespace {
constexpr Nanos kSweep = kSecond / 2;

template <class T>
void take_out(std::vector<std::unique_ptr<T>>& all, T& one, Loop& loop) {
  auto slot = one.slot;
  std::swap(all[slot], all.back());
  all[slot]->slot = slot;
  loop.later_delete(std::move(all.back()));
  all.pop_back();
}
template <class T>
T& put_in(std::vector<std::unique_ptr<T>>& all, std::unique_ptr<T> one) {
  all.push_back(std::move(one));
  all.back()->slot = all.size() - 1;
  return *all.back();
}
}  // namespace

House::House(Loop& l, const Clock& c, Director& d, Recorder& r, Options o)
    : loop(l), clock(c), director(d), recorder(r), options(std::move(o)) {}
House::~House() {
  openings.clear();
  conversations.clear();
}

void House::active(Nanos now) {
  if (last_activity != 0) longest_gap = std::max(longest_gap, now - last_activity);
  last_activity = now;
}

void House::open(Captured captured) {
  active(clock.now());
  auto number = next_connection();
  put_in(openings, std::make_unique<Opening>(*this, captured, number));
}

void House::open(Incoming incoming) {
  active(clock.now());
  if (!sweeper_) {
    sweeper_ = std::make_unique<Timer>(loop, [this] {
      sweep();
      sweeper_->set(kSweep);
    });
    sweeper_->set(kSweep);
  }
  auto number = next_connection();
  put_in(openings, std::make_unique<Opening>(*this, incoming, number)).start();
}

void House::open_inside(Ends ends) { put_in(openings, std::make_unique<Opening>(*this, std::move(ends))).start(); }

void House::begin(Ends ends, Speech speech) {
  std::unique_ptr<Conversation> one;
  if (speech == Speech::http2)
    one = std::make_unique<H2Session>(*this, std::move(ends));
  else
    one = std::make_unique<Session>(*this, std::move(ends), speech == Speech::opaque);
  put_in(conversations, std::move(one)).start();
}

void House::ended(Conversation& conversation) { take_out(conversations, conversation, loop); }
void House::ended(Opening& opening) { take_out(openings, opening, loop); }

ServicePool& House::pool_for(const Route& route) {
  auto key = fmt::format("{}\n{}\n{}\n{}", route.host, route.port, route.tls, static_cast<void*>(route.security));
  auto& pool = pools_[key];
  if (!pool) pool = std::make_unique<ServicePool>(loop, route);
  return *pool;
}

Resolver& House::resolver() {
  if (!resolver_) resolver_ = std::make_unique<Resolver>(loop);
  return *resolver_;
}

// Time-outs are coarse, so that no request pays for a timer.
void House::sweep() {
  auto now = clock.now();
  for (std::size_t i = openings.size(); i-- > 0;) openings[i]->check(now);
  for (std::size_t i = conversations.size(); i-- > 0;) conversations[i]->check(now);
}

}  // namespace retrial::proxy
