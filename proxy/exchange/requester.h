#pragma once
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>

#include "proxy/exchange/options.h"

namespace retrial::proxy {

// A client's connection, as its exchanges know it.
struct Requester {
  std::shared_ptr<const ListenerOptions> listener;  // where it came in; null: captured
  std::string service_name;                         // as the trace has it
  std::uint64_t connection = 0;
  pid_t pid = 0;
  pid_t thread = 0;  // that connected; 0: not known

  // It believes that it has connected to the service itself.
  bool transparent() const { return !listener || listener->mode == ListenMode::transparent; }
  bool forward() const { return listener && listener->mode == ListenMode::forward; }
};

}  // namespace retrial::proxy
