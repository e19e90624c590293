#pragma once
#include <cstdint>
#include <string_view>

#include "base/clock.h"

namespace retrial::proxy {

// Codes of gRPC's that a call is refused with.
inline constexpr int kInvalidArgument = 3, kResourceExhausted = 8, kUnimplemented = 12;

// What a call says back, by its stream.
class EnvoyWire {
 public:
  virtual void say(std::uint32_t stream, std::string_view message) = 0;
  virtual void finish(std::uint32_t stream, int grpc_code, std::string_view why) = 0;  // the call has come to its end
  virtual void settle() = 0;  // the end of an event that was not the connection's

 protected:
  ~EnvoyWire() = default;
};

// One gRPC call of an Envoy to us: a stream of messages each way. Used by its connection for as long as the stream is
// open; then it is given back.
class EnvoyCall {
 public:
  virtual ~EnvoyCall() = default;
  virtual void message(std::string_view message) = 0;
  virtual void said_all() = 0;                    // the Envoy has: finish() is called, now or later
  virtual void gone() = 0;                        // the stream is: nothing may be said to it
  virtual void let_go() {}                        // what a fault holds goes on now
  virtual bool endless() const { return false; }  // it is no exchange, and the Envoy does not end it by itself
  virtual void end_run() {}                       // the run is over: what is open is recorded as such
  virtual bool open() const { return false; }     // an exchange that has begun and whose client is not yet told
  virtual bool waits_for_service() const { return false; }  // it may go on without us
  virtual std::size_t holds() const = 0;                    // bytes of memory, about
};

}  // namespace retrial::proxy
