#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "proxy/codec/h2.h"
#include "trace/exchange.h"

namespace retrial::proxy {

class Stream;

// Where the streams of one client connection go: a connection of its own to an HTTP/2 service, or one to an HTTP/1
// service for each stream. What comes back is told to the stream itself.
class ServiceSide {
 public:
  virtual ~ServiceSide() = default;
  virtual void request(Stream& stream, const H2Head& head, bool end) = 0;
  // Of `wanted` bytes of body, how many are taken now. Who gets fewer is told when there is room for more.
  virtual std::size_t room(const Stream& stream, std::size_t wanted) const = 0;
  virtual void data(Stream& stream, std::string_view bytes, bool end) = 0;
  virtual void trailers(Stream& stream, std::string_view lines) = 0;  // ends the request
  virtual void consumed(Stream& stream, std::size_t bytes) = 0;       // of the response's body
  virtual void abort(Stream& stream, std::uint32_t code) = 0;         // RST_STREAM; and forgets it
  virtual void forget(Stream& stream) = 0;                            // it is over
  virtual void flush() = 0;                                           // the end of an event
  virtual void pace(std::uint64_t bytes_per_second, std::uint64_t burst) = 0;
  virtual void goaway(std::uint32_t code, std::string_view debug) = 0;  // the client's
  virtual void end(bool reset) = 0;  // of all; nothing is told of any stream any more
};

// Whoever owns a service side hears of what is not one stream's.
class ServiceSideEvents {
 public:
  virtual ~ServiceSideEvents() = default;
  virtual void established(const H2Settings& theirs) = 0;  // each time they change
  virtual void speaks_http1() = 0;  // it was asked for HTTP/2 by prior knowledge, and is of no use
  virtual void not_reached(const std::string& why) = 0;
  // Streams whose service_id is above `last` were not and will not be executed.
  virtual void going_away(std::uint32_t last, std::uint32_t code, std::string_view debug) = 0;
  virtual void service_ended(trace::Ending ending) = 0;     // FIN or RST; open streams are not told
  virtual void service_failed(const std::string& why) = 0;  // it spoke no HTTP/2 that can be read; the same
  virtual void service_woke() = 0;                          // an event begins: the clock is read
  virtual void service_event() = 0;                         // something was told to streams: the end of an event
};

}  // namespace retrial::proxy
