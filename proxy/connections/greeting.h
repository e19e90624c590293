#pragma once
#include <functional>
#include <memory>

#include "proxy/exchange/context.h"
#include "proxy/net/dialer.h"
#include "proxy/net/socket.h"

namespace retrial::proxy {

// The TLS handshake on a connection to a service. A service may accept a connection and never go on: so it is done with
// within a time, as a dial is.
class Greeting final : private SocketEvents {
 public:
  // The same connection, which can carry what is said on it; or why it cannot.
  using Done = std::function<void(std::expected<std::unique_ptr<Socket>, DialError>)>;
  // `limit`: from now on; 0: none. `all`: the time of which that is what is left, as errors name it. `done` is called
  // once, from the loop, not at all once this is gone, which `done` itself may see to.
  Greeting(Context& context, std::unique_ptr<Socket> socket, std::unique_ptr<TlsEnd> tls, Nanos limit, Nanos all,
           Done done);
  ~Greeting() override;

 private:
  void ready(Socket& socket) override;
  void fail(DialError why);

  Context& context_;
  std::unique_ptr<Socket> socket_;
  Timer limit_;
  Done done_;
};

// A connection to a service on its way; destroying it closes and forgets all of it.
struct Reaching {
  std::unique_ptr<Dialer::Dial> dial;
  std::unique_ptr<Greeting> greeting;  // then
};

}  // namespace retrial::proxy
