#pragma once
#include <string_view>

#include "proxy/codec/grpc.h"
#include "proxy/codec/head.h"
#include "proxy/codec/tap.h"
#include "trace/exchange.h"

namespace retrial::proxy {

// What is read of a gRPC call as it passes, whatever carries it: a stream of HTTP/2, or gRPC-Web on HTTP/1.1. The
// bodies come by the two taps.
class Rpc {
 public:
  // A request begins. False: it is none, and nothing else is to be called.
  bool begin(const Head& head, BodyTap& requests, BodyTap& responses, trace::Exchange& e);
  bool is() const { return kind_ != GrpcKind::none; }
  GrpcKind kind() const { return kind_; }
  // The response has ended: with these trailers (or its head, where that is all), or (null) with what it has said
  // within its body (gRPC-Web). A call that ends without a status is no answer that a client could take for success.
  void ended(const Head* trailers, trace::Exchange& e);
  bool has_ended() const { return ended_; }
  void count(bool request_whole, trace::Exchange& e) const;  // messages, so far

 private:
  GrpcKind kind_ = GrpcKind::none;
  GrpcReader requests_, responses_;
  bool ended_ = false;
};

}  // namespace retrial::proxy
