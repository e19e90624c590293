#include "proxy/connections/connections.h"

#include <fmt/format.h>

#include <algorithm>

#include "proxy/connections/h1_client.h"
#include "proxy/connections/h2_client.h"
#include "proxy/connections/setup.h"
#include "proxy/connections/tunnel.h"

namespace retrial::proxy {
namespace {
constexpr Nanos kSweep = kSecond / 2;
constexpr std::uint64_t kStirs = 256;  // bytes: who moves fewer since it was last seen to stir drips
}  // namespace

Connections::Connections(Loop& l, const Clock& c, Director& d, Recorder& r, Options o)
    : Context{l, c, d, r, std::move(o)}, memory_(options.memory), reliever_(l, [this] { relieve(); }) {}
Connections::~Connections() { clients.clear(); }

void Connections::open(Captured captured) {
  wake();
  begin(std::make_unique<ConnectionSetup>(*this, captured, next_connection()));
}

void Connections::arrives() {
  wake();
  if (sweeper_) return;
  sweeper_ = std::make_unique<Timer>(loop, [this] {
    sweep();
    sweeper_->set(kSweep);
  });
  sweeper_->set(kSweep);
}

void Connections::open(Incoming incoming) {
  arrives();
  begin(std::make_unique<ConnectionSetup>(*this, std::move(incoming), next_connection()));
}

void Connections::open_inside(Accepted accepted) {
  begin(std::make_unique<ConnectionSetup>(*this, std::move(accepted)));
}

void Connections::begin(Accepted accepted, Speech speech) {
  switch (speech) {
    case Speech::http1:
      return begin(std::make_unique<H1Client>(*this, std::move(accepted)));
    case Speech::http2:
      return begin(std::make_unique<H2Client>(*this, std::move(accepted)));
    case Speech::opaque:
      counts.tunnels++;
      return begin(std::make_unique<Tunnel>(*this, std::move(accepted), false));
  }
}

void Connections::begin(std::unique_ptr<ClientConnection> connection) {
  connection->slot = clients.size();
  connection->still.since = now;
  clients.push_back(std::move(connection));
  clients.back()->start();
}

void Connections::ended(ClientConnection& connection) {
  auto slot = connection.slot;
  std::swap(clients[slot], clients.back());
  clients[slot]->slot = slot;
  loop.later_delete(std::move(clients.back()));
  clients.pop_back();
}

std::shared_ptr<ServicePool> Connections::pool_for(const Route& route) {
  auto key = fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", route.host, route.port, route.tls, route.http2,
                         route.server_name, static_cast<void*>(route.security), route.allow, route.connect_timeout,
                         route.resolve_timeout, static_cast<const void*>(route.only.get()));
  auto& pool = pools_[key];
  if (!pool) pool = std::make_shared<ServicePool>(*this, route);
  return pool;
}

void Connections::close_oldest_idle() {
  ServicePool* first = nullptr;
  for (auto& [key, pool] : pools_)
    if (!pool->empty() && (!first || pool->oldest() < first->oldest())) first = pool.get();
  if (first) first->close_oldest();
}

Dialer& Connections::dialer() {
  if (!dialer_) dialer_ = std::make_unique<Dialer>(loop, DialerSettings{.names = options.names});
  return *dialer_;
}

// Time-outs are coarse, so that no request pays for a timer.
void Connections::sweep() {
  now = clock.now();
  for (std::size_t i = clients.size(); i-- > 0;)
    if (i < clients.size()) clients[i]->check(now);
  for (auto& client : clients) {
    auto& still = client->still;
    still.moved = client->moved();
    if (still.moved - still.before >= kStirs) still = {still.moved, still.moved, now};
  }
  relieve();
  for (auto it = pools_.begin(); it != pools_.end();) {
    it->second->close_old(now);
    it = it->second.use_count() == 1 && it->second->empty() ? pools_.erase(it) : std::next(it);
  }
}

}  // namespace retrial::proxy
