#pragma once
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "proxy/exchange/conversation.h"
#include "proxy/exchange/service_side.h"
#include "proxy/exchange/session.h"
#include "proxy/exchange/stream.h"

namespace retrial::proxy {

// A client's HTTP/2 connection, with the service side that is its own. One to one, so that limits, GOAWAY and the end
// of a connection mean to the client what the service means by them (docs/decisions/0014).
//
//   phase     what is waited for                        then
//   reaching  the service's SETTINGS; nothing of the client is read before
//                                                       open, its limits mirrored. HTTP/1 spoken there: open, a
//                                                       connection for each stream; captured: HTTP_1_1_REQUIRED.
//                                                       Not reached: open, every request is answered 502; captured: RST
//   open      streams                                   leaving, after GOAWAY either way; closing, where one side ends
//   leaving   the end of the streams that are open      closing
//   closing   the client's FIN, for a while             dead; what comes is thrown away
class H2Session final : public Conversation, private SocketEvents, private H2Events, private ServiceSideEvents {
 public:
  H2Session(House& house, Ends ends);
  ~H2Session() override;

  void start() override;
  void end_run() override;
  void check(Nanos now) override;
  void drain() override;
  std::size_t open() const override;
  std::size_t held() const override;
  std::size_t awaited() const override;
  Nanos held_since() const override;

  // For its streams.
  House& house() { return house_; }
  H2Codec& client() { return client_codec_; }
  ServiceSide& service() { return *service_; }
  const Ends& ends() const { return ends_; }
  Nanos now() const { return now_; }
  void wakes();  // a timer of a stream: an event begins
  bool pristine() const { return house_.options.pristine; }
  // Of `wanted` bytes, how many the client's socket takes without holding more than its limit. Who gets fewer is told
  // when there is room for more.
  std::size_t client_budget(std::size_t wanted) const;
  void watch(Stream& stream);  // its end is on its way to the client
  void ended(Stream& stream);  // it is dead: used again once this event is over
  void settle();
  // What a fault does to all of the connection.
  void cut(Stream& by, bool reset);
  void refuse_from(Stream& stream, std::uint32_t code);  // GOAWAY that leaves it out
  void pace(std::uint64_t bytes_per_second, std::uint64_t burst);

 private:
  enum class Phase : std::uint8_t { reaching, open, leaving, closing, dead };
  void ready(Socket& socket) override;
  void on_settings(const H2Settings&) override {}
  void on_head(std::uint32_t stream, const H2Head& head, bool end) override;
  void on_data(std::uint32_t stream, std::string_view data, bool end) override;
  void on_trailers(std::uint32_t stream, const H2Head& trailers) override;
  void on_reset(std::uint32_t stream, std::uint32_t code, bool ours) override;
  void on_room(std::uint32_t stream) override;
  void on_goaway(std::uint32_t last, std::uint32_t code, std::string_view debug) override;
  void established(const H2Settings& theirs) override;
  void speaks_http1() override;
  void not_reached(const std::string& why) override;
  void going_away(std::uint32_t last, std::uint32_t code, std::string_view debug) override;
  void service_ended(trace::Ending ending) override;
  void service_failed(const std::string& why) override;
  void service_woke() override { wakes(); }
  void service_event() override { settle(); }

  ServiceSideEvents& events() { return *this; }
  void greet();
  void go_by_http1();
  void read_client();
  void client_ended(bool reset);
  void client_failed(std::string_view why, H2Error error);
  void tell_of_faults();
  void flush();
  std::size_t waiting() const;
  Stream& fresh_stream();
  Stream* find(std::uint32_t stream);
  template <class Call>
  void each(Call call);
  void all_over(trace::Ending ending);
  void leave();
  void die(bool reset);
  bool alive() const { return phase_ != Phase::dead; }

  House& house_;
  Ends ends_;
  H2Codec client_codec_;
  std::unique_ptr<ServiceSide> service_;
  std::unordered_map<std::uint32_t, Stream*> streams_;
  std::vector<std::unique_ptr<Stream>> all_;
  std::vector<Stream*> spare_, done_, watched_, looked_;
  H2Settings ours_;
  std::string unreached_;  // why there is no service
  Nanos now_ = 0;
  Nanos since_ = 0;                      // since when the phase is as it is, or the last stream has ended
  std::uint64_t faults_ = 0;             // H2Codec::faults, as far as they were told
  std::uint32_t last_over_ = 0;          // the highest stream that has ended
  std::uint32_t left_out_ = UINT32_MAX;  // streams from here on were refused by a fault's GOAWAY
  bool first_ = true;
  bool hears_ = false;            // the client is to be read, without an event
  bool greeted_ = false;          // our SETTINGS have gone
  mutable bool blocked_ = false;  // the client's socket had no room for a stream
  bool settling_ = false;
  bool ends_by_reset_ = false;
  Phase phase_ = Phase::reaching;
};

}  // namespace retrial::proxy
