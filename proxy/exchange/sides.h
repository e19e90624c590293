#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "proxy/codec/head.h"
#include "proxy/faults/fault.h"
#include "trace/profiles/profile.h"

namespace retrial::proxy {

class Exchange;
class Socket;

// How one side of an exchange is broken off. One word a way, whoever does it:
//
//   word    HTTP/1                              HTTP/2
//   close   FIN: the connection is over         the connection is over, and all of its streams
//   reset   RST: the same                       the same
//   abort   as reset: it carries nothing else   RST_STREAM with `code`: the others go on
//   goaway  -                                   GOAWAY with `code` that leaves this stream and later ones out
struct Break {
  enum class How : std::uint8_t { close, reset, abort, goaway } how = How::reset;
  std::uint32_t code = 0;  // RFC 9113 7
  bool refused = false;    // the service has executed nothing (RFC 9113 6.8, 8.7)
  bool by_service = false;
};

// A stretch of a message's body as it was read.
struct Body {
  std::string_view content;  // without framing
  std::string_view wire;     // HTTP/1: the same as it was sent, framing included; HTTP/2: empty
  std::size_t size() const { return wire.empty() ? content.size() : wire.size(); }
};
// Which of the two a side wants to be given.
enum class Form : std::uint8_t { content, wire };

// So much of a body must be left for its bytes to be worth moving by the kernel (Socket::move_to).
inline constexpr std::uint64_t kWorthMoving = 64u << 10;

// What both sides of an exchange do with bodies. Bytes that it sent are `owed` to it until they are consumed: it stops
// reading beyond Options::buffer_limit of them. This is all of our back-pressure.
class Side {
 public:
  // Of `wanted` bytes how many it takes now. Who gets fewer is told by Exchange::client_room or service_room.
  virtual std::size_t room(std::size_t wanted) = 0;
  virtual void data(std::string_view bytes, bool end) = 0;  // no more than room(), in the form it asked for
  virtual void trailers(std::string_view lines) = 0;        // "name: value\r\n" each; they end the message
  virtual void consumed(std::size_t bytes) = 0;             // of what it was owed (Body::content)
  // Where the bytes of a body may also go by the kernel alone, as they come; null: nowhere.
  virtual Socket* takes_moved() { return nullptr; }

 protected:
  ~Side() = default;
};

// The client's side of one exchange. It tells the exchange what it reads, and is told what is to be sent.
class ClientSide : public Side {
 public:
  virtual Form form(const Head& head) const = 0;  // in which it wants the body of this message
  virtual const Head* asked() const = 0;          // its request's, until the exchange is over; null: not kept
  virtual void interim(const Head& head) = 0;     // 1xx
  virtual bool heads_pile_up() const = 0;         // it takes none; beside them no more than buffer_limit waits for it
  virtual void invite() = 0;                      // our own 100 (Continue)
  // The final head: the service's; as a fault has changed it ("HTTP/1.1 200 \r\nname: value\r\n…\r\n"); our own. `end`:
  // nothing follows.
  virtual void head(const Head& head, bool end) = 0;
  virtual void head(std::string_view text, bool end) = 0;
  virtual void head(const trace::Answer& answer, bool end) = 0;
  // All of it but what would make it a whole message. False: not even its status can be read.
  virtual bool head_cut_short(std::string_view text, bool bodiless) = 0;
  virtual void text_of(const Head& head, std::string& out) const = 0;  // as a fault may change it
  virtual void status_in_trailers(const trace::Answer& answer) = 0;    // ends a gRPC call whose head has gone
  virtual void text(std::string_view bytes) = 0;                       // behind a message that has ended: HTTP/1 alone

  virtual void when_drained() = 0;  // Exchange::drained is called once all that was given has gone to the kernel
  virtual void break_off(const Break& how) = 0;
  virtual bool can_tell(const Break& how) const = 0;  // of a service that broke off before its answer
  // The response ends with its service's connection, and that without close_notify: so shall the client's (true), or it
  // is no TLS, or no such end.
  virtual bool ends_cut() { return false; }
  // The exchange has come to its end in order. `rest`: why the rest of its request is not wanted.
  virtual void over(std::optional<std::uint32_t> rest) = 0;
  // The same, and nothing is said to it any more: it has closed its half, and a fault is silent.
  virtual void silence() { over({}); }
  virtual void tunnel() = 0;                               // from here on bytes pass both ways as they come
  virtual bool passes_unread() const = 0;                  // what cannot be read goes by tunnel()
  virtual void pace(const Rate& rate) = 0;                 // of its connection, and of the service's
  virtual bool drip(const Drip& drip, bool bodiless) = 0;  // of this response alone; false: there is nothing to be
  virtual bool paced_out() const = 0;                      // what it was given waits for that alone
  virtual bool closing() const = 0;                        // our FIN is on its way to it
  virtual bool gone() const = 0;                           // whether it has said so or not
  virtual void settle() = 0;                               // the end of an event

 protected:
  ~ClientSide() = default;
};

// The service's side of one exchange.
class ServiceSide : public Side {
 public:
  // `cut_short`: all of it but what would make it a whole message.
  virtual void head(const Head& head, bool end, bool cut_short) = 0;
  virtual std::size_t waiting() const = 0;  // bytes that it was given and that have not gone out; 0 once it is gone
  // Its connection waited, after an exchange that it has carried, where its client could not see it end, and no byte of
  // an answer has come since: it may have ended before it heard of this one.
  virtual bool waited() const { return false; }
  // The exchange needs it no more: both messages were whole, or it is broken off (HTTP/2: RST_STREAM with the code).
  virtual void release(bool whole, const Break& how) = 0;

 protected:
  ~ServiceSide() = default;
};

// Where the requests of one client connection go.
class Services {
 public:
  virtual ~Services() = default;
  // At once; or null, and Exchange::reached follows unless it is given up before, or Exchange::unreached does (perhaps
  // from within).
  virtual ServiceSide* reach(Exchange& exchange) = 0;
  virtual void give_up(Exchange& exchange) = 0;
  virtual bool reaches_at_once(const Exchange& exchange) const = 0;
  virtual std::string_view spares() const = 0;    // why no fault may reach who is asked; empty: it may
  virtual Form form(const Head& head) const = 0;  // in which its sides want the body of this message
  virtual void flush() = 0;                       // the end of an event
  virtual void pace(const Rate& rate) = 0;
  virtual bool paced_out() const = 0;
  virtual std::size_t waiting() const = 0;  // bytes that were given to its connections and have not gone out
  virtual void end(bool reset) = 0;         // of all connections: FIN or RST
};

}  // namespace retrial::proxy
