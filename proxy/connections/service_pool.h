#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "proxy/connections/greeting.h"
#include "proxy/connections/h1_service.h"
#include "proxy/connections/location.h"
#include "proxy/exchange/options.h"
#include "proxy/net/dialer.h"

namespace retrial::proxy {

struct Connections;

// One service: how connections to it are made, and those of HTTP/1.1 that wait for a request. One that says something
// or ends while it waits is taken out: whatever it is, it answers nothing. At most kMostIdle wait, in all pools
// Options::most_idle_services (services are as many as clients name), none longer than kIdle: the one that has waited
// longest goes first. Loop thread only.
class ServicePool final : private H1Service::Owner {
 public:
  static constexpr std::size_t kMostIdle = 128;
  static constexpr Nanos kIdle = 60 * kSecond;

  ServicePool(Connections& context, const Route& route);
  ~ServicePool();

  const Route& route() const { return route_; }
  const std::string& service() const { return service_; }  // as the trace names it
  const std::string& server_name() const { return route_.server_name.empty() ? route_.host : route_.server_name; }
  const std::string& authority() const { return authority_; }

  // The one that was used last, or null. One that has ended or said something in the meantime is none, also where the
  // loop has not come to tell of it: a request that was sent to it could not be sent again, or would be given an answer
  // that is not its own.
  std::unique_ptr<H1Service> take();
  void keep(std::unique_ptr<H1Service> service);
  void close_old(Nanos now);
  void close_oldest() { close(0); }
  Nanos oldest() const { return idle_.front().since; }
  bool empty() const { return idle_.empty(); }

  // Is known where it is? Else locate() finds out, and calls `then` from the loop, not at all once the handle is gone.
  const Location& location() const { return location_; }
  bool located();
  std::unique_ptr<Dialer::Look> locate(std::function<void()> then);

  std::optional<DialError> cannot_be_dialled() const;  // why; none: it can
  // A new connection: connected, and its TLS handshake through where the route says so, both within one time. `done` is
  // called from the loop, not at all once the handle is gone.
  std::unique_ptr<Reaching> dial(std::vector<std::string> alpn, Greeting::Done done);
  // The same without TLS, and without a Socket around it.
  std::unique_ptr<Dialer::Dial> dial(Dialer::Done done);
  Nanos connect_timeout() const;

  // The service answered HTTP/2 in HTTP/1.1.
  bool speaks_http1() const { return speaks_http1_; }
  void speaks_http1(bool yes) { speaks_http1_ = yes; }

 private:
  void unasked(H1Service& service) override;
  void released(H1Service&, H1Service::After, bool) override {}
  void close(std::size_t n);
  void follow_names();

  struct Idle {
    std::unique_ptr<H1Service> service;
    Nanos since = 0;
  };
  Connections& context_;
  Route route_;
  std::string service_, authority_;
  Location location_;
  std::vector<Idle> idle_;  // the one that has waited longest first
  bool speaks_http1_ = false;
  std::uint64_t edition_ = 0;  // of the names
  Nanos followed_ = 0;
};

}  // namespace retrial::proxy
