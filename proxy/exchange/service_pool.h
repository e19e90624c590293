#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "proxy/net/dial.h"
#include "proxy/net/socket.h"
#include "proxy/proxy.h"

namespace retrial::proxy {

// The connections to one service that wait for a request. One that says something or ends while it waits is taken out:
// whatever it is, it answers nothing. None is closed before the service closes it. Loop thread only.
class ServicePool final : private SocketEvents {
 public:
  ServicePool(Loop& loop, const Route& route);

  const Route& route() const { return route_; }
  const std::string& service() const { return service_; }  // as the trace names it
  const std::string& authority() const { return authority_; }
  const std::optional<Address>& address() const { return address_; }  // where the host is an address

  // The one that was used last, or null. One that has ended or said something in the meantime is none, also where the
  // loop has not come to tell of it: a request that was sent to it could not be sent again, or would be given an answer
  // that is not its own.
  std::unique_ptr<Socket> take();
  void keep(std::unique_ptr<Socket> socket);

  // The service answered HTTP/2 in HTTP/1.1.
  bool speaks_http1() const { return speaks_http1_; }
  void speaks_http1(bool yes) { speaks_http1_ = yes; }

  // A new connection, its connect under way, and TLS behind it where the route says so.
  Result<std::unique_ptr<Socket>> dial(const Address& to, SocketEvents& events, TlsToService* security,
                                       const char* alpn = "http/1.1");

 private:
  void ready(Socket& socket) override;

  Loop& loop_;
  Route route_;
  std::string service_, authority_;
  std::optional<Address> address_;
  std::vector<std::unique_ptr<Socket>> waiting_;
  bool speaks_http1_ = false;
};

}  // namespace retrial::proxy
