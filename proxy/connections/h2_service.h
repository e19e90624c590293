#pragma once
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "proxy/codec/h2.h"
#include "proxy/connections/accepted.h"
#include "proxy/connections/greeting.h"
#include "proxy/connections/stream_window.h"
#include "proxy/exchange/sides.h"

namespace retrial::proxy {

struct Connections;
class H2Service;

inline H2Codec::Limits codec_limits(const Options& o) {
  return {o.head_limit, o.field_limit, StreamWindows(o).narrow()};
}

// Whoever has an HTTP/2 connection to a service hears of what is not one exchange's.
class H2ServiceEvents {
 public:
  virtual void established(const H2Settings& theirs) = 0;  // each time they change
  virtual void speaks_http1() = 0;                         // it was asked for HTTP/2 by prior knowledge
  virtual void not_reached(const std::string& why) = 0;    // exchanges that waited for it were told
  // Streams of ours above `last` were not and will not be executed.
  virtual void going_away(std::uint32_t last, std::uint32_t code, std::string_view debug) = 0;
  // Open exchanges are not told; abort: it spoke no HTTP/2. `did`: as Exchange::broken_off has it.
  virtual void service_ended(const Break& how, std::string_view did) = 0;
  virtual void settle() = 0;  // the end of an event

 protected:
  ~H2ServiceEvents() = default;
};

// One stream of it: the service's side of an exchange.
class H2ServiceStream final : public ServiceSide {
 public:
  explicit H2ServiceStream(H2Service& connection) : connection_(connection) {}
  std::uint32_t id = 0;
  Exchange* exchange = nullptr;

  void head(const Head& head, bool end, bool cut_short) override;
  std::size_t room(std::size_t wanted) override;
  void data(std::string_view bytes, bool end) override;
  void trailers(std::string_view lines) override;
  void consumed(std::size_t bytes) override;
  std::size_t waiting() const override;
  bool waited() const override;
  void release(bool whole, const Break& how) override;

 private:
  H2Service& connection_;
  StreamWindow window_;
};

// The HTTP/2 connection to the service of one client connection, one after another where a pool says where to.
//
//   phase     what is waited for                                   then
//   none      an exchange, or connect()                            dialling; greeting where the socket is there already
//   dialling  the connection, and TLS                              greeting; none: not reached
//   greeting  the service's SETTINGS; exchanges wait, too          open; none: not reached, or it speaks HTTP/1.1
//   open      streams                                              leaving, after its GOAWAY; none, when it has ended
//   leaving   the end of the streams that are open                 none; a new exchange has another connection dialled
class H2Service final : public Services, private SocketEvents, private H2Events {
 public:
  // `unseen`: its client, of HTTP/1, is told nothing of the connection.
  H2Service(Connections& context, H2ServiceEvents& events, Accepted& accepted, bool unseen = false);
  ~H2Service() override;
  void connect();  // what comes of it may be told from within
  bool established() const { return phase_ == Phase::open || phase_ == Phase::leaving; }
  void forget_ended();                                      // exchanges that are over may be destroyed from now on
  std::uint32_t stream_of(const Exchange& exchange) const;  // 0: it knows nothing of it
  void goaway(std::uint32_t code, std::string_view debug);  // the client's
  void give_up_after(Nanos limit, Nanos now);               // it was connected to, and has said nothing for so long
  void end(bool reset) override;

  ServiceSide* reach(Exchange& exchange) override;
  void give_up(Exchange& exchange) override;
  bool reaches_at_once(const Exchange&) const override { return phase_ == Phase::open; }
  std::string_view spares() const override;
  Form form(const Head&) const override { return Form::content; }
  void flush() override;
  void pace(const Rate& rate) override;
  std::size_t waiting() const override { return socket_ && codec_ ? queued() : 0; }
  bool paced_out() const override { return socket_ && socket_->paced_out(); }

 private:
  friend class H2ServiceStream;
  enum class Phase : std::uint8_t { none, dialling, greeting, open, leaving };
  void ready(Socket& socket) override;
  void on_settings(const H2Settings& theirs) override;
  void on_head(std::uint32_t stream, const Head& head, bool end) override;
  void on_data(std::uint32_t stream, std::string_view data, bool end) override;
  void on_trailers(std::uint32_t stream, const Head& trailers) override;
  void on_reset(std::uint32_t stream, std::uint32_t code, bool ours) override;
  void on_room(std::uint32_t stream) override;
  void on_goaway(std::uint32_t last, std::uint32_t code, std::string_view debug) override;
  H2Events& codec_events() { return *this; }
  void begin();
  void read();
  void not_reached(const std::string& why, int status = 502);
  void speaks_http1();
  void ended(const Break& how, std::string_view did = {});
  void drop(bool reset);
  std::size_t queued() const;
  Exchange* find(std::uint32_t stream);
  H2ServiceStream& open_stream(Exchange& exchange, std::uint32_t id);

  Connections& context_;
  H2ServiceEvents& events_;
  Accepted& accepted_;
  std::unique_ptr<H2Codec> codec_;
  std::unique_ptr<Socket> socket_;
  std::unique_ptr<Reaching> reaching_;
  std::vector<Exchange*> waiting_;
  std::unordered_map<std::uint32_t, std::unique_ptr<H2ServiceStream>> streams_;
  std::vector<std::unique_ptr<H2ServiceStream>> spare_;
  StreamWindows windows_;  // of the responses
  // Of streams that broke off, while bytes of them wait in their exchanges.
  std::vector<std::pair<const Exchange*, StreamWindow>> outlived_;
  Rate rate_;
  Nanos since_ = 0;  // since when it is connected
  bool unseen_;
  Phase phase_ = Phase::none;
  bool short_of_room_ = false;  // the socket had none for a stream
};

}  // namespace retrial::proxy
