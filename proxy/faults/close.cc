// close(point): FIN. strike.cc has the points.
#include "proxy/faults/strike.h"

namespace retrial::proxy {

const Fault& close_fault() {
  static const Strike fault(Act::close);
  return fault;
}

}  // namespace retrial::proxy
