#pragma once
#include "proxy/codec/websocket.h"
#include "proxy/connections/accepted.h"
#include "proxy/connections/client_connection.h"

namespace retrial::proxy {

struct Connections;

// A client's connection and a service's, whose bytes, FIN and RST pass both ways as they come.
class Tunnel final : public ClientConnection, private SocketEvents {
 public:
  // Both sockets are there; what was put back on them goes first. `websocket`: its frames are counted.
  Tunnel(Connections& context, Accepted accepted, bool websocket);
  ~Tunnel() override;

  void start() override;
  void check(Nanos now) override;
  // Both sides are told goodbye once nothing of a frame is under way (WebSocket), or no byte for a second (others).
  void drain() override;
  std::size_t awaited(Nanos) const override { return asked_; }
  std::size_t waiting() const override { return client_.socket->queued() + service_.socket->queued(); }
  std::size_t holds() const override { return (4u << 10) + client_.socket->holds() + service_.socket->holds(); }
  std::uint64_t moved() const override { return client_.socket->passed(); }
  void shed(std::string_view) override;

 private:
  struct End {
    std::unique_ptr<Socket> socket;
    FrameCounter frames;
    bool left = false;  // was told goodbye: nothing more goes there
  };
  void ready(Socket& socket) override;
  void read(End& from, End& to);
  void settle();
  void leave();
  void die();

  Connections& context_;
  Accepted accepted_;
  End client_, service_;
  Nanos since_ = 0;  // of the last byte
  bool websocket_;
  bool asked_ = false;  // the last word was the client's
  bool leaves_ = false;
  bool dead_ = false;
};

}  // namespace retrial::proxy
