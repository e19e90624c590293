#include "proxy/capture/connect.h"

#include <arpa/inet.h>

namespace retrial::proxy::capture {

Address reached(const Address& written) {
  Address to = written;
  if (to.family() == AF_INET) {
    auto& raw = reinterpret_cast<sockaddr_in&>(to.storage_);
    if (raw.sin_addr.s_addr == htonl(INADDR_ANY)) raw.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  } else if (to.family() == AF_INET6) {
    auto& raw = reinterpret_cast<sockaddr_in6&>(to.storage_);
    if (IN6_IS_ADDR_UNSPECIFIED(&raw.sin6_addr)) raw.sin6_addr = in6addr_loopback;
    if (to.mapped() && to.ip4() == INADDR_ANY) {
      raw.sin6_addr.s6_addr[12] = 127;
      raw.sin6_addr.s6_addr[15] = 1;
    }
  }
  return to;
}

}  // namespace retrial::proxy::capture
