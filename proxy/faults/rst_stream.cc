// rst-stream(code, point): RST_STREAM. strike.cc has the points.
#include "proxy/faults/strike.h"

namespace retrial::proxy {

const Fault& rst_stream_fault() {
  static const Strike fault(Act::abort);
  return fault;
}

}  // namespace retrial::proxy
