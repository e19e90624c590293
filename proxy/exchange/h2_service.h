#pragma once
#include <memory>
#include <string>
#include <unordered_map>

#include "proxy/exchange/service_side.h"
#include "proxy/exchange/session.h"

namespace retrial::proxy {

// The HTTP/2 connection to the service of one client connection.
class H2Service final : public ServiceSide, private SocketEvents, private H2Events {
 public:
  // `ends`: the connection, or the pool that says where it is dialled.
  H2Service(House& house, ServiceSideEvents& events, Ends& ends, H2Codec::Limits limits);
  ~H2Service() override;
  void start();  // what comes of it is told from within, too

  void request(Stream& stream, const H2Head& head, bool end) override;
  std::size_t room(const Stream& stream, std::size_t wanted) const override;
  void data(Stream& stream, std::string_view bytes, bool end) override;
  void trailers(Stream& stream, std::string_view lines) override;
  void consumed(Stream& stream, std::size_t bytes) override;
  void abort(Stream& stream, std::uint32_t code) override;
  void forget(Stream& stream) override;
  void flush() override;
  void pace(std::uint64_t bytes_per_second, std::uint64_t burst) override;
  void goaway(std::uint32_t code, std::string_view debug) override;
  void end(bool reset) override;

 private:
  void ready(Socket& socket) override;
  void on_settings(const H2Settings& theirs) override;
  void on_head(std::uint32_t stream, const H2Head& head, bool end) override;
  void on_data(std::uint32_t stream, std::string_view data, bool end) override;
  void on_trailers(std::uint32_t stream, const H2Head& trailers) override;
  void on_reset(std::uint32_t stream, std::uint32_t code, bool ours) override;
  void on_room(std::uint32_t stream) override;
  void on_goaway(std::uint32_t last, std::uint32_t code, std::string_view debug) override;
  void dial();
  void dialled(const Result<Address>& address);
  void begin();
  void read();
  std::size_t queued() const;
  void over() { over_ = true; }
  Stream* find(std::uint32_t stream);

  House& house_;
  ServiceSideEvents& events_;
  Ends& ends_;
  H2Codec codec_;
  std::unique_ptr<Socket> socket_;
  std::unique_ptr<Resolver::Query> query_;
  std::unordered_map<std::uint32_t, Stream*> streams_;
  mutable bool blocked_ = false;  // the socket had no room for a stream
  bool began_ = false;            // our preface has gone
  bool over_ = false;             // nothing is told any more
};

}  // namespace retrial::proxy
