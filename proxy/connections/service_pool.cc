#include "proxy/connections/service_pool.h"

#include <fmt/format.h>

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
    : context_(context), route_(route), authority_(fmt::format("{}:{}", bracketed(route.host), route.port)) {
  service_ = route.service.empty() ? authority_ : route.service;
}
ServicePool::~ServicePool() = default;

std::unique_ptr<H1Service> ServicePool::take() {
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
  if (context_.idle_services >= kMostInAll) context_.close_oldest_idle();
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

std::string ServicePool::cannot_be_dialled() const {
  return route_.tls && !context_.security_of(*this) ? "no TLS towards services is set up" : "";
}

std::unique_ptr<Dialer::Dial> ServicePool::dial(const char* alpn, Done done) {
  return context_.dialer().dial(route_.host, route_.port, [this, alpn, done = std::move(done)](Result<int> fd) {
    context_.wake();
    if (!fd) return done(std::unexpected(fd.error()));
    auto socket = std::make_unique<Socket>(context_.loop, *fd, nobody);
    if (!route_.tls) return done(std::move(socket));
    auto end = context_.security_of(*this)->connect(server_name(), {alpn});
    if (!end) return done(std::unexpected(end.error()));
    socket->secure(std::move(*end));
    done(std::move(socket));
  });
}

}  // namespace retrial::proxy
