#pragma once
#include <cstdint>

namespace retrial::proxy {

// What is done at a moment of an exchange.
enum class Act : std::uint8_t {
  pass,
  drop,    // read on to this message's end, but pass nothing of it on
  delay,   // nothing goes on for FaultSpec::delay, and then all of it
  hold,    // nothing goes on, for ever: only the client ends it
  answer,  // the client is told Decision::answer, or Fault::answer
  reset,   // RST
  close,   // FIN
  abort,   // RST_STREAM with FaultSpec::code: HTTP/2 alone
  goaway,  // GOAWAY with FaultSpec::code, whose last stream is the one before this: HTTP/2 alone
  crash,   // the process that has sent the request is ended, and its connection broken off
};

}  // namespace retrial::proxy
