#include "proxy/exchange/service_pool.h"

#include <fmt/format.h>

#include <algorithm>

namespace retrial::proxy {
namespace {
std::string bracketed(const std::string& host) {
  return host.find(':') == host.npos ? host : fmt::format("[{}]", host);
}
}  // namespace

ServicePool::ServicePool(Loop& loop, const Route& route)
    : loop_(loop),
      route_(route),
      authority_(fmt::format("{}:{}", bracketed(route.host), route.port)),
      address_(Address::parse(authority_)) {
  service_ = route.service.empty() ? authority_ : route.service;
}

std::unique_ptr<Socket> ServicePool::take() {
  while (!waiting_.empty()) {
    auto socket = std::move(waiting_.back());
    waiting_.pop_back();
    if (socket->silent()) return socket;
    socket->close();
    loop_.later_delete(std::move(socket));
  }
  return nullptr;
}

void ServicePool::keep(std::unique_ptr<Socket> socket) {
  socket->hand_to(*this);
  socket->listen(true);
  waiting_.push_back(std::move(socket));
}

void ServicePool::ready(Socket& socket) {
  auto at = std::ranges::find_if(waiting_, [&](auto& s) { return s.get() == &socket; });
  if (at == waiting_.end()) return;
  (*at)->close();
  loop_.later_delete(std::move(*at));
  waiting_.erase(at);
}

Result<std::unique_ptr<Socket>> ServicePool::dial(const Address& to, SocketEvents& events, TlsToService* security,
                                                  const char* alpn) {
  if (route_.tls && !security) return fail("no TLS towards services is set up", authority_);
  auto fd = begin_connect(to);
  if (!fd) return std::unexpected(fd.error());
  auto socket = std::make_unique<Socket>(loop_, *fd, events, true);
  if (route_.tls) {
    auto end = security->connect(route_.host, {alpn});
    if (!end) return std::unexpected(end.error());
    socket->secure(std::move(*end));
  }
  return socket;
}

}  // namespace retrial::proxy
