#pragma once
#include <memory>
#include <string>

#include "proxy/codec/h1.h"
#include "proxy/connections/h1_writer.h"
#include "proxy/connections/unread.h"
#include "proxy/exchange/sides.h"
#include "proxy/net/socket.h"

namespace retrial::proxy {

struct Connections;

// A connection to a service that speaks HTTP/1.1, and the service's side of the exchange that is on it.
class H1Service final : public ServiceSide, private SocketEvents {
 public:
  enum class After : std::uint8_t { reusable, whole, broken };
  class Owner {
   public:
    virtual void unasked(H1Service& service) = 0;  // no exchange is on it, and it said something or is gone
    // No exchange is on it any more, and it can serve another; or (`whole`) both messages came to their ends; or it is
    // in the middle of one.
    virtual void released(H1Service& service, After after, bool reset) = 0;

   protected:
    ~Owner() = default;
  };
  // `authority`: for requests that name none.
  H1Service(Connections& context, std::unique_ptr<Socket> socket, std::string authority);
  ~H1Service() override;

  void owned_by(Owner& owner) { owner_ = &owner; }
  void has_waited() { waited_ = true; }  // in a pool
  void serve(Exchange& exchange);
  Exchange* exchange() { return exchange_; }
  Socket& socket() { return *socket_; }
  bool open() const { return socket_ && socket_->open(); }
  // For a tunnel: what was read of it and not passed on is put back.
  std::unique_ptr<Socket> take_socket();
  void flush() {
    if (socket_) flush_socket();
  }

  void head(const Head& head, bool end, bool cut_short) override;
  std::size_t room(std::size_t wanted) override { return writer_.room(wanted); }
  void data(std::string_view bytes, bool end) override { writer_.data(bytes, end); }
  void trailers(std::string_view lines) override { writer_.trailers(lines); }
  Socket* takes_moved() override { return writer_.takes_moved(); }
  void consumed(std::size_t bytes) override;
  bool waited() const override { return waited_ && codec_.at_start(); }
  std::size_t waiting() const override { return open() && !socket_->gone() ? socket_->queued() : 0; }
  void release(bool whole, const Break& how) override;

  static Form form_of(const Connections& context, const Head& head);

 private:
  void ready(Socket& socket) override;
  void flush_socket();
  void read();
  void read_on();
  void take(std::string_view bytes);
  void read_head();
  void read_body(const Body& body, bool end);
  void pause_if_full();
  void unreadable(std::string_view why);

  Connections& context_;
  std::unique_ptr<Socket> socket_;
  std::string authority_;
  H1Codec codec_;
  H1Writer writer_;
  Owner* owner_ = nullptr;
  Exchange* exchange_ = nullptr;
  Unread unread_;
  Nanos came_ = 0;        // the first byte of the message that is being read
  std::size_t owed_ = 0;  // bytes of the response that were told and not consumed
  bool waited_ = false;
  bool pauses_ = false;          // it is not read until more was consumed
  bool offers_upgrade_ = false;  // the request does
  bool done_ = true;             // the response was whole: what follows is nobody's
};

}  // namespace retrial::proxy
