#pragma once
#include <memory>
#include <string>

#include "proxy/codec/h1.h"
#include "proxy/codec/intermediary.h"
#include "proxy/connections/accepted.h"
#include "proxy/connections/client_connection.h"
#include "proxy/connections/h1_services.h"
#include "proxy/connections/h1_writer.h"
#include "proxy/connections/h2_service.h"
#include "proxy/connections/unread.h"
#include "proxy/exchange/exchange.h"

namespace retrial::proxy {

struct Connections;

// A client connection that speaks HTTP/1, and the client's side of the exchange that is on it, one after another.
// Captured (run), its service connection is its own: FIN and RST of either pass to the other, and what cannot be read
// makes a tunnel of both.
//
//   phase    what is waited for            then
//   open     requests and their answers    closing, where we end it; dead; or a Tunnel has its sockets
//   closing  the client's FIN, for a while dead; what comes is thrown away
//   silent   the client's RST: it has sent  dead
//            its FIN, and a fault is silence
class H1Client final : public ClientConnection, private ClientSide, private SocketEvents, private H2ServiceEvents {
 public:
  H1Client(Connections& context, Accepted accepted);
  ~H1Client() override;

  void start() override;
  void check(Nanos now) override;
  void drain() override;
  void end_run() override { exchange_.end_run(); }
  std::size_t open() const override { return exchange_.open(); }
  std::size_t held() const override { return exchange_.held(); }
  std::size_t awaited(Nanos) const override { return exchange_.awaited() && !services_->paced_out(); }
  std::size_t streaming() const override { return exchange_.streams() && !services_->paced_out(); }
  Nanos held_since() const override { return exchange_.held_since(); }
  std::size_t waiting() const override {
    return pending_.size() + exchange_.waiting() + socket_->queued() + services_->waiting();
  }
  std::size_t holds() const override;
  std::uint64_t moved() const override { return socket_->passed(); }
  void shed(std::string_view why) override;

 private:
  enum class Phase : std::uint8_t { open, closing, silent, dead };
  using Framing = H1Writer::Framing;

  // What the client says (h1_client.cc)
  void ready(Socket& socket) override;
  bool reads() const;
  void read();
  void take(std::string_view bytes);
  std::size_t parse(std::string_view bytes);
  void request(const Head& head);
  bool acceptable(const Head& head);
  bool destined(const Head& head);
  void locate(const Head& head, ServicePool& pool);
  void tunnel_to(std::shared_ptr<ServicePool> pool, const Head& head);
  bool takes_request() const { return !look_ && exchange_.takes_request(); }
  void unreadable();
  void refuse(int status, std::string_view why);
  void finished();
  void reset();
  void never_asked();
  void settle() override;
  void pass_fins();
  void leave(bool reset_service);
  void die(bool reset_service);

  // What its service's connection does (h1_client.cc)
  void service_unasked();
  void established(const H2Settings&) override {}
  void speaks_http1() override;
  void not_reached(const std::string&) override {}
  void going_away(std::uint32_t last, std::uint32_t code, std::string_view debug) override;
  void service_ended(const Break& how, std::string_view did) override;

  // What it is told (h1_answer.cc)
  Form form(const Head& head) const override;
  const Head* asked() const override { return &codec_.head(); }
  void interim(const Head& head) override;
  bool heads_pile_up() const override;
  void invite() override;
  void head(const Head& head, bool end) override;
  void head(std::string_view text, bool end) override;
  void head(const trace::Answer& answer, bool end) override;
  bool head_cut_short(std::string_view text, bool bodiless) override;
  void text_of(const Head& head, std::string& out) const override;
  ResponseHead framed(const Head& head, bool end) const;
  void status_in_trailers(const trace::Answer&) override {}
  void text(std::string_view bytes) override { socket_->write(bytes); }
  std::size_t room(std::size_t wanted) override { return writer_.room(wanted); }
  void data(std::string_view bytes, bool end) override { writer_.data(bytes, end); }
  void trailers(std::string_view lines) override { writer_.trailers(lines); }
  Socket* takes_moved() override { return writer_.takes_moved(); }
  void consumed(std::size_t bytes) override;
  void when_drained() override { watches_ = true; }
  void break_off(const Break& how) override;
  bool can_tell(const Break& how) const override;
  bool ends_cut() override;
  void over(std::optional<std::uint32_t> rest) override;
  void silence() override;
  void tunnel() override;
  bool passes_unread() const override { return !refuses(); }
  void become_tunnel(std::string_view head);
  void pace(const Rate& rate) override;
  bool drip(const Drip& drip, bool bodiless) override;
  bool paced_out() const override { return socket_->paced_out(); }
  bool closing() const override { return socket_->finished(); }
  bool gone() const override { return socket_->gone(); }
  void pass_unread(std::string_view head);
  H2ServiceEvents& service_events() { return *this; }
  bool pristine() const;
  bool refuses() const;  // what is not readable is answered, not passed on

  Connections& context_;
  Accepted accepted_;
  std::unique_ptr<Socket> socket_;
  std::unique_ptr<Services> services_;
  H1Services* h1_ = nullptr;  // the same, where the service is asked in HTTP/1.1; and
  H2Service* h2_ = nullptr;   // in HTTP/2
  H1Codec codec_;
  H1Writer writer_;
  Exchange exchange_;
  Unread unread_;
  std::unique_ptr<Dialer::Look> look_;   // where this request goes; nothing is read behind it
  std::unique_ptr<KeptHead> kept_head_;  // its head
  std::string pending_;                  // not yet read as a request
  Nanos pending_came_ = 0;               // its first byte
  std::size_t owed_ = 0;                 // bytes of the request that were told and not consumed
  Nanos since_ = 0;                      // since when it is as it is, where time-outs ask for it
  Phase phase_ = Phase::open;
  bool first_ = true;      // no request yet
  bool leaves_ = false;    // it ends with this answer
  bool finished_ = false;  // its FIN was read
  bool watches_ = false;   // for when all has gone to the kernel
  bool drips_ = false;
};

}  // namespace retrial::proxy
