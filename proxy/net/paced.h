#pragma once
#include "proxy/net/pace.h"
#include "proxy/net/socket.h"

namespace retrial::proxy {

// For a Socket's own sources.
struct Socket::Paced {
  Pace pace;
  Timer timer;
};

}  // namespace retrial::proxy
