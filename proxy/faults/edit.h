#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "proxy/faults/act.h"
#include "trace/exchange.h"

namespace retrial::proxy {

// A response on its way to the client, changed: all of its bytes go through here, in the framing in which they are
// going to be sent. One for each exchange. Pure: bytes in, bytes out.
// HTTP/2 (Exchange::stream is not 0) is shown in HTTP/1's words: the head as "HTTP/1.1 200 \r\nname: value\r\n\r\n", to
// be read back as changed, and the body without frames. Trailers and the stream's end follow what body() gave at its
// last, also where the service's response ended with its head.
class Edit {
 public:
  struct Did {
    // Or reset, close, abort, hold (for ever): done once what came out has gone; nothing goes after it. Or answer: what
    // has gone is the head, and Decision::answer's headers are its trailers.
    Act act = Act::pass;
    bool fires = false;  // what came out is the fault: true once, and evidence() then says what it was
    // The rest is kept back, and the response's end waits for it: more() in FaultSpec::delay. Said again with every
    // piece that comes in the meantime; without it, what was kept back came out.
    bool more = false;
    // Why it will not come to be; from here on everything passes, and nothing is asked any more.
    std::string_view spares = {};
  };
  virtual ~Edit() = default;
  // The final head, changed in place. `bodiless`: the response ends with it; body() is called all the same, for its
  // end.
  virtual Did head(std::string& head, const trace::Exchange& exchange, bool bodiless) = 0;
  // A stretch of the body, chunk framing and trailers included; what goes on is appended to `out`. `last`: the response
  // ends with it.
  virtual Did body(std::string_view wire, bool last, std::string& out);
  // What was kept back goes on.
  virtual Did more(std::string&) { return {}; }
  // The status that the client is told, where the service's own is `status`; 0: none that could be read.
  virtual int status(int status) const { return status; }
  // What was done to the wire, for the reader of a finding.
  virtual std::string evidence() const = 0;
};

inline Edit::Did Edit::body(std::string_view wire, bool, std::string& out) {
  out.append(wire);
  return {};
}

}  // namespace retrial::proxy
