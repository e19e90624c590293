#pragma once
#include "trace/profiles/profile.h"

// What is known of methods of gRPC services that are widely met: gRPC's own, and etcd's (etcdserverpb, from its
// rpc.proto).
namespace retrial::trace {

// `unknown` where nothing is known of the method, or what it does stands in a message that is not there.
Repeat repeat_of_method(const Exchange& e);
// The id of what a successful answer created, or nothing.
std::string effect_of_method(const Exchange& e);

}  // namespace retrial::trace
