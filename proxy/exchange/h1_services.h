#pragma once
#include <memory>
#include <vector>

#include "proxy/exchange/service_side.h"
#include "proxy/exchange/session.h"

namespace retrial::proxy {

class H1Service;

// The streams of one client connection on their way to a service that speaks HTTP/1.1: each on a connection of its own,
// taken from the pool and given back (RFC 9113 8, RFC 9110 7).
class H1Services final : public ServiceSide {
 public:
  H1Services(House& house, ServiceSideEvents& events, Ends& ends);
  ~H1Services() override;

  void request(Stream& stream, const H2Head& head, bool end) override;
  std::size_t room(const Stream& stream, std::size_t wanted) const override;
  void data(Stream& stream, std::string_view bytes, bool end) override;
  void trailers(Stream& stream, std::string_view lines) override;
  void consumed(Stream& stream, std::size_t bytes) override;
  void abort(Stream& stream, std::uint32_t code) override;
  void forget(Stream& stream) override;
  void flush() override;
  void pace(std::uint64_t bytes_per_second, std::uint64_t burst) override;
  void goaway(std::uint32_t, std::string_view) override {}
  void end(bool reset) override;

 private:
  friend class H1Service;
  H1Service& of(const Stream& stream) const;
  House& house_;
  ServiceSideEvents& events_;
  Ends& ends_;
  std::vector<std::unique_ptr<H1Service>> services_;  // by service_id, from 1; null: none
  std::uint64_t rate_ = 0, burst_ = 0;
};

}  // namespace retrial::proxy
