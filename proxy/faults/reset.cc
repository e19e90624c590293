// reset(point): RST. strike.cc has the points.
#include "proxy/faults/strike.h"

namespace retrial::proxy {

const Fault& reset_fault() {
  static const Strike fault(Act::reset);
  return fault;
}

}  // namespace retrial::proxy
