#include "proxy/connections/service_pool.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>

#include "proxy/connections/connections.h"

namespace retrial::proxy {
namespace {
std::string bracketed(const std::string& host) {
  return host.find(':') == host.npos ? host : fmt::format("[{}]", host);
}

// Whom a socket tells until it is handed on.
struct Nobody final : SocketEvents {
  void ready(Socket&) override {}
} nobody;
}  // namespace

ServicePool::ServicePool(Connections& context, const Route& route)
    : context_(context),
      route_(route),
      authority_(fmt::format("{}:{}", bracketed(route.host), route.port)),
      location_(route_, context.options) {
  service_ = route.service.empty() ? authority_ : route.service;
}
ServicePool::~ServicePool() = default;

// Where the hosts file has changed, a name may stand for another service than the one that connections wait for.
void ServicePool::follow_names() {
  constexpr Nanos kOften = 10 * kMillisecond;
  auto now = context_.clock.now();
  if (location_.literal() || (edition_ != 0 && now - followed_ < kOften)) return;
  followed_ = now;
  auto before = std::exchange(edition_, context_.dialer().edition());
  if (before == 0 || before == edition_) return;
  location_.forget();
  while (!idle_.empty()) close_oldest();
}

std::unique_ptr<H1Service> ServicePool::take() {
  follow_names();
  while (!idle_.empty()) {
    if (idle_.back().service->socket().silent()) {
      auto service = std::move(idle_.back().service);
      idle_.pop_back();
      context_.idle_services--;
      return service;
    }
    close(idle_.size() - 1);
  }
  return nullptr;
}

void ServicePool::keep(std::unique_ptr<H1Service> service) {
  service->owned_by(*this);
  service->socket().listen(true);
  if (idle_.size() >= kMostIdle) close_oldest();
  if (context_.idle_services >= context_.options.most_idle_services) context_.close_oldest_idle();
  idle_.push_back({std::move(service), context_.now});
  context_.idle_services++;
}

void ServicePool::close_old(Nanos now) {
  while (!idle_.empty() && now - idle_.front().since >= kIdle) close(0);
}

void ServicePool::unasked(H1Service& service) {
  auto at = std::ranges::find_if(idle_, [&](auto& idle) { return idle.service.get() == &service; });
  if (at != idle_.end()) close(static_cast<std::size_t>(at - idle_.begin()));
}

void ServicePool::close(std::size_t n) {
  idle_[n].service->socket().close();
  context_.loop.later_delete(std::move(idle_[n].service));
  idle_.erase(idle_.begin() + static_cast<std::ptrdiff_t>(n));
  context_.idle_services--;
}

// Who is told of nothing that depends on it does not wait for it.
bool ServicePool::located() {
  follow_names();
  return !context_.director.strikes() || location_.known(context_.clock.now());
}

std::unique_ptr<Dialer::Look> ServicePool::locate(std::function<void()> then) {
  auto limit = route_.resolve_timeout ? route_.resolve_timeout : context_.options.resolve_timeout;
  return context_.dialer().look(route_.host, route_.port, limit, [this, then = std::move(then)](auto found) {
    context_.wake();
    if (found)
      location_.found(*found, context_.now);
    else
      location_.lost(found.error(), context_.now);
    then();
  });
}

std::optional<DialError> ServicePool::cannot_be_dialled() const {
  if (auto* lost = location_.lost(context_.now)) return *lost;
  if (route_.tls && !context_.security_of(*this)) return DialError{{"no TLS towards services is set up"}};
  return {};
}

Nanos ServicePool::connect_timeout() const {
  return route_.connect_timeout ? route_.connect_timeout : context_.options.connect_timeout;
}

std::unique_ptr<Dialer::Dial> ServicePool::dial(Dialer::Done done) {
  auto& all = context_.options;
  DialLimits limits{.resolve = route_.resolve_timeout ? route_.resolve_timeout : all.resolve_timeout,
                    .connect = connect_timeout(),
                    .only = route_.only.get()};
  return context_.dialer().dial(route_.host, route_.port, limits, [this, done = std::move(done)](auto fd) {
    context_.wake();
    Address peer;
    socklen_t size = sizeof peer.storage_;
    if (fd && !location_.known(context_.now) && ::getpeername(*fd, peer.get(), &size) == 0)
      location_.found({peer}, context_.now);
    done(std::move(fd));
  });
}

std::unique_ptr<Reaching> ServicePool::dial(std::vector<std::string> alpn, Greeting::Done done) {
  auto reaching = std::make_unique<Reaching>();
  auto dialled = [this, way = reaching.get(), alpn = std::move(alpn),
                  done = std::move(done)](std::expected<int, DialError> fd) {
    if (!fd) return done(std::unexpected(fd.error()));
    auto socket = std::make_unique<Socket>(context_.loop, *fd, nobody);
    if (!route_.tls) return done(std::move(socket));
    auto end = context_.security_of(*this)->connect(server_name(), alpn);
    if (!end) return done(std::unexpected(DialError{end.error()}));
    way->greeting = std::make_unique<Greeting>(context_, std::move(socket), std::move(*end), way->dial->left(),
                                               connect_timeout(), done);
  };
  reaching->dial = dial(std::move(dialled));
  return reaching;
}

}  // namespace retrial::proxy
