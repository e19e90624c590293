#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "proxy/faults/act.h"
#include "trace/exchange.h"

namespace retrial::proxy {

// A response on its way to the client, changed. One for each exchange. Pure: bytes in, bytes out. It sees a head as
// text
// ("HTTP/1.1 200 \r\nname: value\r\n\r\n", whatever is spoken), and a body without framing; how it is framed follows
// from the head as changed: Transfer-Encoding, Content-Length, or the end of the connection or stream. Trailers and the
// end follow what body() gave at its last.
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
    bool cuts_head = false;  // head() alone: of a response without a body, its end is no part of it
    // Why it will not come to be; from here on everything passes, and nothing is asked any more.
    std::string_view spares = {};
  };
  virtual ~Edit() = default;
  // The final head, changed in place. `bodiless`: the response ends with it; body() is called all the same, for its
  // end.
  virtual Did head(std::string& head, const trace::Exchange& exchange, bool bodiless) = 0;
  // A stretch of the body; what goes on is appended to `out`. `last`: the response ends with it.
  virtual Did body(std::string_view content, bool last, std::string& out);
  // Bytes of the body that it keeps back until more(): the service waits for that long. Not those that wait for the
  // body's end, which would then never come; who needs all of it bounds what it keeps.
  virtual std::size_t held() const { return 0; }
  virtual std::string_view after_end() const { return {}; }  // text that follows the response (HTTP/1)
  // What was kept back goes on.
  virtual Did more(std::string&) { return {}; }
  // The status that the client is told, where the service's own is `status`; 0: none that could be read.
  virtual int status(int status) const { return status; }
  // What was done to the wire, for the reader of a finding.
  virtual std::string evidence(const trace::Exchange& exchange) const = 0;
};

inline Edit::Did Edit::body(std::string_view content, bool, std::string& out) {
  out.append(content);
  return {};
}

}  // namespace retrial::proxy
