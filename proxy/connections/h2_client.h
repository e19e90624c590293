#pragma once
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "proxy/connections/accepted.h"
#include "proxy/connections/client_connection.h"
#include "proxy/connections/h2_client_stream.h"
#include "proxy/connections/h2_service.h"
#include "proxy/exchange/standstill.h"

namespace retrial::proxy {

// A client's HTTP/2 connection, with a service connection that is its own. One to one, so that limits, GOAWAY and the
// end of a connection mean to the client what the service means by them (docs/decisions/0014).
//
//   phase     what is waited for                        then
//   reaching  the service's SETTINGS; nothing of the client is read before
//                                                       open, its limits mirrored. HTTP/1 spoken there: open, a
//                                                       connection for each stream; captured: HTTP_1_1_REQUIRED.
//                                                       Not reached: open, and each request tries again; captured: RST
//   open      streams                                   parting, where we end it and Options::drain_grace is given;
//                                                       leaving, after GOAWAY else; closing, where one side ends
//   parting   streams that set out before the client    leaving, with a GOAWAY that names the last stream
//             heard of our end (RFC 9113 6.8)
//   leaving   the end of the streams that are open      closing
//   closing   the client's FIN, for a while             dead; what comes is thrown away
class H2Client final : public ClientConnection, private SocketEvents, private H2Events, private H2ServiceEvents {
 public:
  H2Client(Connections& context, Accepted accepted);
  ~H2Client() override;

  void start() override;
  void end_run() override;
  void check(Nanos now) override;
  void drain() override;
  std::size_t open() const override;
  std::size_t held() const override;
  std::size_t awaited(Nanos now) const override;
  std::size_t streaming() const override;
  Nanos held_since() const override;
  std::size_t waiting() const override;
  std::size_t holds() const override;
  std::uint64_t moved() const override { return accepted_.client->passed(); }
  void shed(std::string_view why) override;

  // For its streams.
  H2Codec& codec() { return codec_; }
  StreamWindows& windows() { return windows_; }
  // Of `wanted` bytes, how many the socket takes without holding more than its limit. Who gets fewer is told when there
  // is room for more.
  std::size_t room(std::size_t wanted);
  std::size_t queued() const { return accepted_.client->queued() + codec_.out().size(); }
  void watch(H2ClientStream& stream);                            // Exchange::drained is wanted
  void ended(H2ClientStream& stream);                            // it is used again once this event is over
  void cut(bool reset);                                          // the connection, and all that is left on it
  void refuse_from(H2ClientStream& stream, std::uint32_t code);  // GOAWAY that leaves it out
  void pace(const Rate& rate);
  bool paced_out() const;
  bool client_gone() const { return accepted_.client->gone(); }
  bool ends_with_service() const {
    return ends_with_service_;
  }  // what the service does to its connection is done to ours
  void settle() override;

 private:
  enum class Phase : std::uint8_t { reaching, open, parting, leaving, closing, dead };
  void ready(Socket& socket) override;
  void on_settings(const H2Settings&) override {}
  void on_head(std::uint32_t stream, const Head& head, bool end) override;
  void on_data(std::uint32_t stream, std::string_view data, bool end) override;
  void on_trailers(std::uint32_t stream, const Head& trailers) override;
  void on_reset(std::uint32_t stream, std::uint32_t code, bool ours) override;
  void on_room(std::uint32_t stream) override;
  void on_goaway(std::uint32_t last, std::uint32_t code, std::string_view debug) override;
  void established(const H2Settings& theirs) override;
  void speaks_http1() override;
  void not_reached(const std::string& why) override;
  void going_away(std::uint32_t last, std::uint32_t code, std::string_view debug) override;
  void service_ended(const Break& how, std::string_view did) override;

  H2ServiceEvents& service_events() { return *this; }
  void greet();
  void go_by_http1();
  void read();
  void client_ended(bool reset);
  void client_failed(std::string_view why, H2Error error);
  void refuse_head(std::uint32_t id);
  void tell_of_faults();
  void flush();
  void look_at_watched();
  H2ClientStream& fresh_stream();
  void let_go_of_spare();
  H2ClientStream* find(std::uint32_t stream);
  template <class Call>
  void each(Call call);
  void cut_all(trace::Ending ending);
  void part();
  void leave();
  void die(bool reset);
  bool alive() const { return phase_ != Phase::dead; }

  Connections& context_;
  Accepted accepted_;
  H2Codec codec_;
  std::unique_ptr<Services> services_;
  H2Service* h2_ = nullptr;  // the same, where the service speaks HTTP/2
  std::unordered_map<std::uint32_t, H2ClientStream*> streams_;
  std::vector<std::unique_ptr<H2ClientStream>> all_;
  std::vector<H2ClientStream*> spare_, done_, watched_, looked_;
  H2Settings ours_;
  StreamWindows windows_;                // of the requests
  Standstill standstill_;                // of the client's socket
  Nanos since_ = 0;                      // since when the phase is as it is, or the last stream has ended
  std::uint64_t faults_ = 0;             // H2Codec::faults, as far as they were told
  std::uint32_t last_over_ = 0;          // the highest stream that has ended
  std::uint32_t left_out_ = UINT32_MAX;  // streams from here on were refused by a fault's GOAWAY
  Phase phase_ = Phase::reaching;
  bool first_ = true;
  bool hears_ = false;          // the client is to be read, without an event
  bool greeted_ = false;        // our SETTINGS have gone
  bool short_of_room_ = false;  // the client's socket had none for a stream
  bool settling_ = false;
  bool ends_with_service_ = false;
};

}  // namespace retrial::proxy
