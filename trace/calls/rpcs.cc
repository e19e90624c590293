#include "trace/calls/rpcs.h"

#include "trace/calls/waiting.h"

namespace retrial::trace {

Rpcs::Copied Rpcs::copied(Key key, int previous) const {
  Copied found;
  auto it = by_key_.find(key);
  if (it == by_key_.end()) return found;
  int looked = 0;
  for (auto call : it->second) {
    if (looked++ == WaitingCalls::kLook) break;
    auto& rpc = rpcs_.at(call);
    if (rpc.previous + 1 != previous || rpc.done) continue;
    if (found.call) {
      found.several = true;
      break;
    }
    found = {call, rpc.attempts + 1, false};
  }
  return found;
}

void Rpcs::opened(std::uint64_t call, int attempt, Key key, int previous) {
  auto& rpc = rpcs_[call];
  if (rpc.open++ == 0) by_key_[rpc.key = key].insert(call);
  rpc.attempts = attempt;
  rpc.previous = previous;
}

std::optional<Rpc> Rpcs::ended(const Exchange& e, bool failed) {
  auto it = rpcs_.find(e.call);
  if (it == rpcs_.end()) return Rpc{.attempts = e.attempt, .previous = previous_of(e)};
  auto& rpc = it->second;
  rpc.done |= !failed;
  if (--rpc.open > 0) return {};
  auto last = rpc;
  if (auto of = by_key_.find(last.key); of != by_key_.end()) {
    of->second.erase(e.call);
    if (of->second.empty()) by_key_.erase(of);
  }
  rpcs_.erase(it);
  if (last.done) return {};
  return last;
}

}  // namespace retrial::trace
