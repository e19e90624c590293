#pragma once
#include <optional>
#include <set>
#include <unordered_map>

#include "trace/calls/correlator_keys.h"

namespace retrial::trace {

// A gRPC call with attempts under way: more than one where it is hedged (gRFC A6).
struct Rpc {
  Key key = 0;
  int attempts = 0;   // made so far
  int previous = 0;   // previous_of the latest
  int open = 0;       // of them
  bool done = false;  // one of them brought success: the others are cancelled
};

class Rpcs {
 public:
  struct Copied {
    std::uint64_t call = 0;  // 0: none
    int attempt = 0;
    bool several = false;  // that cannot be told apart
  };
  // The call of which this is a copy, sent while earlier attempts of it are open.
  Copied copied(Key key, int previous) const;
  void opened(std::uint64_t call, int attempt, Key key, int previous);
  // What is left to be known of a call when an attempt of it is over; nothing while others are open, or one succeeded.
  std::optional<Rpc> ended(const Exchange& e, bool failed);

 private:
  std::unordered_map<std::uint64_t, Rpc> rpcs_;              // by call
  std::unordered_map<Key, std::set<std::uint64_t>> by_key_;  // to them
};

}  // namespace retrial::trace
