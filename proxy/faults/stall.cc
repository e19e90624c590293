// stall(point): silence. It ends when the client leaves, or the run. strike.cc has the points.
#include "proxy/faults/strike.h"

namespace retrial::proxy {

const Fault& stall_fault() {
  static const Strike fault(Act::hold);
  return fault;
}

}  // namespace retrial::proxy
