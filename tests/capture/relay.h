#pragma once
#include <memory>
#include <string>

#include "proxy/net/loop.h"

namespace retrial::test {

// Copies bytes between a client and its service, as they come, until both have ended. Owns both descriptors.
class Relay {
 public:
  Relay(proxy::Loop& loop, int client, int service);
  ~Relay();
  Relay(const Relay&) = delete;

 private:
  struct Side {
    int fd = -1;
    std::string unsent;  // for this side
    bool ended = false;  // it sends no more
    bool told = false;   // that the other side sends no more
    std::unique_ptr<proxy::Watch> readable, writable;
  };
  void pump();
  void close_both(bool reset);
  Side sides_[2];
};

}  // namespace retrial::test
