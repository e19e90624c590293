#pragma once
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "proxy/codec/grpc_messages.h"
#include "proxy/codec/h2.h"
#include "proxy/connections/client_connection.h"
#include "proxy/connections/connections.h"
#include "proxy/envoy/process_call.h"
#include "proxy/envoy/services.h"
#include "proxy/exchange/standstill.h"

namespace retrial::proxy {

// An Envoy's connection to us: HTTP/2 in clear text, by which it calls the two gRPC methods that we serve (ExtProc,
// AccessLog). One exchange of the Envoy's is a stream here.
//
//   phase    what is waited for                 then
//   open     calls                              draining, leaving; closing, where it cannot be read
//   draining calls still; it has heard GOAWAY   leaving, after Options::drain_grace
//   leaving  the end of the calls that are open closing
//   closing  the Envoy's FIN, for a while       dead; what comes is thrown away
class EnvoyConnection final : public ClientConnection, private SocketEvents, private H2Events, private EnvoyWire {
 public:
  static constexpr std::uint32_t kMostCalls = 1000;        // at once; an Envoy opens another connection for more
  static constexpr std::size_t kMostMessage = 4u << 20;    // bytes of one of its messages, as gRPC has it
  static constexpr std::size_t kMostUnheard = 256u << 10;  // bytes that wait for a call whose window is shut

  EnvoyConnection(Connections& context, Incoming incoming, std::uint64_t number);
  ~EnvoyConnection() override;

  void start() override;
  void end_run() override;
  void check(Nanos now) override;
  void drain() override;
  std::size_t open() const override;
  std::size_t awaited(Nanos) const override;
  std::size_t waiting() const override;
  std::size_t holds() const override;
  std::uint64_t moved() const override { return socket_->passed(); }
  void shed(std::string_view why) override;

 private:
  enum class Phase : std::uint8_t { open, draining, leaving, closing, dead };
  // A stream, while it is open.
  struct Stream {
    explicit Stream(std::size_t most) : messages(most) {}
    EnvoyCall* call = nullptr;
    ProcessCall* process = nullptr;  // the same, where it is one
    std::unique_ptr<EnvoyCall> own;  // the same, where it is none that is used again
    GrpcMessages messages;
    std::string unheard;    // that its window had no room for
    bool answered = false;  // our head has gone
    bool finished = false;  // our last has been said
    std::string trailers;   // its grpc-status, once `unheard` has gone; and grpc-message
    std::string why;
  };
  void ready(Socket& socket) override;
  void on_settings(const H2Settings&) override {}
  void on_head(std::uint32_t id, const Head& head, bool end) override;
  void on_data(std::uint32_t id, std::string_view data, bool end) override;
  void on_trailers(std::uint32_t id, const Head& trailers) override;
  void on_reset(std::uint32_t id, std::uint32_t code, bool ours) override;
  void on_room(std::uint32_t id) override;
  void on_goaway(std::uint32_t, std::uint32_t, std::string_view) override {}
  void say(std::uint32_t id, std::string_view message) override;
  void finish(std::uint32_t id, int grpc_code, std::string_view why) override;
  void settle() override;

  EnvoyWire& wire() { return *this; }
  bool alive() const { return phase_ != Phase::dead; }
  Stream* find(std::uint32_t id);
  void refuse(std::uint32_t id, std::string_view http_status, int grpc_code, std::string_view why);
  void heard(std::uint32_t id, Stream& stream, std::string_view data);
  void send(std::uint32_t id, Stream& stream);
  void ended(std::uint32_t id);
  void read();
  void fail();
  void flush();
  void envoy_ended(bool reset);
  void leave();
  void die(bool reset);

  Connections& context_;
  std::unique_ptr<Socket> socket_;
  EnvoyServices services_;
  H2Codec codec_;
  std::unordered_map<std::uint32_t, std::unique_ptr<Stream>> streams_;
  std::vector<std::unique_ptr<ProcessCall>> all_;
  std::vector<ProcessCall*> spare_;
  std::vector<std::uint32_t> done_;  // streams that have ended within this event
  std::string message_;
  Standstill standstill_;
  Nanos since_ = 0;  // of the phase
  std::uint64_t number_;
  std::uint64_t faults_ = 0;
  Phase phase_ = Phase::open;
  bool first_ = true;
  bool settling_ = false;
};

}  // namespace retrial::proxy
