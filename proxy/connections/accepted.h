#pragma once
#include <memory>
#include <string>

#include "proxy/codec/head.h"
#include "proxy/exchange/requester.h"
#include "proxy/net/socket.h"

namespace retrial::proxy {

class ServicePool;

// A CONNECT, whose connection is set up again from there.
struct AskedConnect {
  AskedConnect(const Head& asked, Nanos at, bool first) : head(asked), came(at), fresh(first) {}
  KeptHead head;
  Nanos came;
  bool fresh;
};

// A client's connection that was accepted, and what is known of it. Handed from one form of it to the next.
struct Accepted : Requester {
  std::unique_ptr<Socket> client;
  std::unique_ptr<Socket> service;    // dialled for it, and its own for life; null: dialled when there is a request
  std::shared_ptr<ServicePool> pool;  // where it is dialled; null: the request says where to, or it is dialled already
  std::string distrust;               // Distrust::pair of a TLS client that has not said anything yet
  std::unique_ptr<AskedConnect> connect = nullptr;  // until there is a way to `pool`
};

}  // namespace retrial::proxy
