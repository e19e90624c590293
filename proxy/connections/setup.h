#pragma once
#include <memory>
#include <string>

#include "proxy/connections/connections.h"
#include "proxy/net/client_hello.h"

namespace retrial::proxy {

// A client connection until it is known what it speaks: who speaks first decides. It ends in another form of
// itself (Connections::begin), or altogether.
//
//   step       what is waited for                      then
//   locating   where the service is, before anything is decided of the connection
//                                                      listening
//   listening  the client's first bytes (or, where the service is connected already, the service's)
//                                                      HTTP: H1Client or H2Client. ClientHello: greeting, or shaking
//                                                      where the service is spoken to in clear text. Else: a tunnel
//   dialling   a connection to the service, for a CONNECT or a tunnel
//                                                      listening (after our 200), or a tunnel
//   greeting   the service's TLS handshake, in which it was offered the client's name and protocols
//                                                      shaking, or the client is told of the failure by an alert
//   withheld   the client's end, or the end of a slow connect's time: a fault of the connection
//                                                      listening
//   shaking    the client's TLS handshake              the same as listening. A client that does not trust us is
//   noticed
class ConnectionSetup final : public ClientConnection, private SocketEvents {
 public:
  ConnectionSetup(Connections& context, const Captured& captured, std::uint64_t connection);
  ConnectionSetup(Connections& context, Incoming incoming, std::uint64_t connection);
  ConnectionSetup(Connections& context, Accepted inside_connect);
  ~ConnectionSetup() override;

  void start() override;
  void check(Nanos now) override;
  void drain() override;
  std::size_t awaited(Nanos now) const override;
  std::size_t waiting() const override { return first_.size(); }
  std::size_t holds() const override { return (4u << 10) + first_.capacity() + accepted_.client->holds(); }
  std::uint64_t moved() const override { return accepted_.client->passed(); }
  void shed(std::string_view) override { give_up(true); }

 private:
  enum class Step : std::uint8_t { locating, listening, withheld, dialling, greeting, shaking, over };
  void ready(Socket& socket) override;
  void begin();
  void go_on_listening();
  bool undisturbed();
  void withhold();
  void met();
  void unmet(std::string_view why);
  SocketEvents& events() { return *this; }
  void service_speaks();
  void go_on();
  void read_client();
  void classify();
  void dial();
  void dialled(std::expected<int, DialError> fd);
  void unreachable(const std::string& why, int status = 502);
  void record_connect(const std::string& why, int status);
  void end(Speech speech);
  void give_up(bool reset);
  Protocol protocol() const { return accepted_.listener ? accepted_.listener->protocol : Protocol::automatic; }
  bool speaks_to_us() const { return accepted_.forward() && !inside_; }

  // TLS (setup_tls.cc)
  bool tls_to_service() const;
  std::string pair() const;
  void hello(const ClientHello& hello);
  void asked_by_name();
  void greet();
  void greeted(std::expected<std::unique_ptr<Socket>, DialError> service);
  void shake(std::string_view alpn);
  void shaken();
  void refused_us(const std::string& how);
  void alert();

  Connections& context_;
  Accepted accepted_;
  std::string host_;   // that the client meant to reach, without a port
  std::string first_;  // the client's first bytes
  ClientHello hello_;
  std::unique_ptr<Dialer::Look> look_;
  std::unique_ptr<Dialer::Dial> dial_;
  std::unique_ptr<Reaching> reaching_;  // with the service's handshake; or that alone
  std::unique_ptr<Greeting> greeting_;
  trace::FaultSpec fault_;  // of this connection
  std::unique_ptr<Timer> timer_;
  Nanos began_;
  Nanos asked_ = 0;  // the first byte
  Step step_ = Step::listening;
  bool met_ = false;     // the fault has fired
  bool inside_ = false;  // a CONNECT
  bool tunnel_ = false;  // what is dialled for
};

}  // namespace retrial::proxy
