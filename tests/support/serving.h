#pragma once
#include <string>

#include "tests/support/conversation.h"

namespace retrial::test {

// A proxy as `serve` has it: heads as an intermediary passes them on, pooled service connections, and what cannot be
// read is refused. Time stands still.
class Serving : public Conversation {
 protected:
  Serving() { serve({}); }
  ~Serving() override { proxy.reset(); }  // before its clock

  void serve(proxy::Options options) {
    options.pristine = false;
    serve_as(std::move(options));
  }
  void serve_as(proxy::Options options) {
    options.pooled = true;
    options.tunnel_unreadable = false;
    proxy = std::make_unique<proxy::Proxy>(loop, time, director, recorder, std::move(options));
  }
  std::unique_ptr<Peer> comes(proxy::ListenMode mode = proxy::ListenMode::reverse,
                              proxy::Protocol protocol = proxy::Protocol::http) {
    auto options = std::make_shared<proxy::ListenerOptions>();
    options->mode = mode;
    options->protocol = protocol;
    if (mode == proxy::ListenMode::reverse) options->route = route_to(listener);
    return enter(std::move(options));
  }
  static proxy::Route route_to(Listener& service) {
    proxy::Route route;
    route.host = "127.0.0.1";
    route.port = service.port();
    return route;
  }
  // A client whose first request has been answered; the service's end of the connection then waits in the pool.
  std::unique_ptr<Peer> answered_once(std::unique_ptr<Peer>& service) {
    auto client = comes();
    client->say(kAsked);
    if (!service) service = listener.accepts();
    service->hears(kPassed);
    service->say(kAnswer);
    client->hears(kAnswered);
    return client;
  }
  void advance(Nanos by) {
    time.advance(by);
    proxy->sweep();
    quiet();
  }

  static constexpr std::string_view kAsked = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n";
  static constexpr std::string_view kPassed = "GET /a HTTP/1.1\r\nHost: x\r\nVia: 1.1 retrial\r\n\r\n";
  static constexpr std::string_view kAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
  static constexpr std::string_view kAnswered = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nVia: 1.1 retrial\r\n\r\nok";

  ManualClock time;
  Listener listener{loop};
};

}  // namespace retrial::test
