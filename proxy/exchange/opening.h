#pragma once
#include <memory>
#include <optional>
#include <string>

#include "proxy/exchange/house.h"
#include "proxy/exchange/session.h"
#include "proxy/net/client_hello.h"

namespace retrial::proxy {

// A client connection until it is known what it speaks: who speaks first decides. It ends in a session, of exchanges or
// as a tunnel, or in the connection's end.
//
//   step       what is waited for                      then
//   listening  the client's first bytes (or, where the service is connected already, the service's)
//                                                      HTTP: a session. ClientHello: greeting, or shaking where the
//                                                      service is spoken to in clear text. Else: a tunnel
//   dialling   a connection to the service, for a CONNECT or a tunnel
//                                                      listening (after our 200), or a tunnel
//   greeting   the service's TLS handshake, in which it was offered the client's name and protocols
//                                                      shaking, or the client is told of the failure by an alert
//   withheld   the client's end, or the end of a slow connect's time: a fault of the connection
//                                                      listening
//   shaking    the client's TLS handshake              a session. A client that does not trust us is noticed
class Opening final : private SocketEvents {
 public:
  Opening(House& house, const Captured& captured, std::uint64_t connection);
  Opening(House& house, Incoming incoming, std::uint64_t connection);
  Opening(House& house, Ends inside_connect);
  ~Opening() override;

  void start();           // once it stands in the house
  void check(Nanos now);  // time-outs
  void drain();
  bool awaited(Nanos now) const;  // as Conversation::awaited
  std::size_t slot = 0;           // in House::openings

 private:
  enum class Step : std::uint8_t { listening, withheld, dialling, greeting, shaking, over };
  void ready(Socket& socket) override;
  void begin();
  bool undisturbed();
  void withhold();
  void met();
  void unmet(std::string_view why);
  SocketEvents& events() { return *this; }
  void service_speaks();
  void go_on();
  void read_client();
  void classify();
  void hello(const ClientHello& hello);
  void greet();
  void greeted();
  void shake(std::string_view alpn);
  void shaken();
  void dial();
  void dialled(const Result<Address>& address);
  void connected();
  void unreachable(const std::string& why);
  void alert();
  void end(Speech speech);
  void give_up(bool reset);
  Protocol protocol() const { return ends_.entrance ? ends_.entrance->protocol : Protocol::automatic; }
  bool speaks_to_us() const { return ends_.entrance && ends_.entrance->entry == Entry::forward && !inside_; }
  bool tls_to_service() const;
  std::string pair() const;

  House& house_;
  Ends ends_;
  std::string host_;   // that the client meant to reach, without a port
  std::string first_;  // the client's first bytes
  ClientHello hello_;
  std::unique_ptr<Resolver::Query> query_;
  trace::FaultSpec fault_;  // of this connection
  bool met_ = false;        // it has fired
  std::unique_ptr<Timer> timer_;
  Nanos began_;
  Step step_ = Step::listening;
  bool inside_ = false;  // a CONNECT
  bool tunnel_ = false;  // what is dialled for
};

}  // namespace retrial::proxy
