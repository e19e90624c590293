#pragma once
#include <memory>
#include <string>

#include "proxy/connections/accepted.h"
#include "proxy/connections/stream_window.h"
#include "proxy/exchange/exchange.h"
#include "proxy/net/pace.h"

namespace retrial::proxy {

class H2Client;
struct Connections;

// One stream of a client's HTTP/2 connection: the client's side of an exchange. Used again for later ones.
class H2ClientStream final : private ClientSide {
 public:
  H2ClientStream(H2Client& connection, Connections& context, const Accepted& accepted);
  ~H2ClientStream();

  void begin(std::uint32_t id, bool first);
  std::uint32_t id() const { return id_; }
  Exchange& exchange() { return exchange_; }
  const Exchange& exchange() const { return exchange_; }
  bool live() const { return id_ != 0; }
  bool has_ended();  // it was watched, and has nothing more to wait for
  void ended();      // its exchange is over: the connection may use it again

 private:
  Form form(const Head&) const override { return Form::content; }
  const Head* asked() const override { return nullptr; }
  void interim(const Head& head) override;
  bool heads_pile_up() const override;
  void invite() override;
  void head(const Head& head, bool end) override;
  void head(std::string_view text, bool end) override;
  void head(const trace::Answer& answer, bool end) override;
  bool head_cut_short(std::string_view text, bool bodiless) override;
  void text_of(const Head& head, std::string& out) const override;
  void status_in_trailers(const trace::Answer& answer) override;
  void text(std::string_view) override {}
  std::size_t room(std::size_t wanted) override;
  void data(std::string_view bytes, bool end) override;
  void trailers(std::string_view lines) override;
  void consumed(std::size_t bytes) override;
  void when_drained() override;
  void break_off(const Break& how) override;
  bool can_tell(const Break& how) const override;
  void over(std::optional<std::uint32_t> rest) override;
  void tunnel() override {}
  bool passes_unread() const override { return false; }
  void pace(const Rate& rate) override;
  bool drip(const Drip& drip, bool bodiless) override;
  bool paced_out() const override;
  bool closing() const override { return false; }
  bool gone() const override;
  void settle() override;

  struct Dripping {
    Pace pace;
    Timer timer;
  };
  H2Client& connection_;
  Connections& context_;
  Exchange exchange_;
  std::unique_ptr<Dripping> dripping_;
  StreamWindow window_;   // of the request
  std::uint32_t id_ = 0;  // 0: it is none now
};

}  // namespace retrial::proxy
