#include "trace/calls/turns.h"

#include <unordered_map>
#include <vector>

#include "trace/calls/activation.h"
#include "trace/calls/content.h"
#include "trace/calls/correlator_keys.h"
#include "trace/calls/operation.h"
#include "trace/profiles/profile.h"

namespace retrial::trace {
namespace {

Key key_at(std::uint64_t place, Key what) { return mix(mix(15, what), place); }
// What is sent: the operation, and with its content.
Key kind_of(const Turns::Request& r) { return mix(16, r.operation); }
Key thing_of(const Turns::Request& r) {
  return mix(mix(mix(kind_of(r), target_key(r.e.target)), content_key(r.e)), part_of(r.e));
}

}  // namespace

Turns::Turns(const Run& without_faults, const std::function<std::string(const Exchange&)>& operation) {
  struct Last {
    std::string_view stack;
    bool good = false;
  };
  std::unordered_map<Key, Last> last;  // of a process's operation, and of it with one content
  for (auto& e : without_faults.exchanges) {
    if (e.tag.stack.empty() && e.tag.statement == 0) continue;
    auto named = operation(e);
    Request now{e, named};
    if (e.tag.statement) sent_.insert(key_at(e.tag.statement, kind_of(now)));
    bool good = e.ending == Ending::answered && (!told_failed(e) || settled(e));
    for (std::string_view left = e.tag.stack; auto a = take_activation(left);)
      sent_.insert(key_at(a->place, kind_of(now)));
    // What works side by side sends between: each strand goes on from its own last.
    std::vector senders{mix(static_cast<Key>(e.pid), e.tag.test)};
    if (auto strands = strands_of(e.tag.stack); !strands.empty()) {
      auto own = senders.front();
      for (auto strand : strands) own = mix(own, strand);
      senders.push_back(own);
    }
    for (auto sender : senders)
      for (auto what : {kind_of(now), thing_of(now)}) {
        auto& before = last[mix(sender, what)];
        auto parted = before.good ? parting(before.stack, e.tag.stack) : std::nullopt;
        if (parted && parted->before == parted->now) again_.insert(key_at(parted->now, what));
        before = {e.tag.stack, good};
      }
  }
}

bool Turns::next_statement(std::uint64_t before, const Request& now) const {
  auto statement = now.e.tag.statement;
  if (!statement || !before || statement == before) return false;
  // What without faults a cache answers a read with is asked for where the statement before it got none to keep. A
  // write that the statement never sent is what the one before could not get done.
  return profile_of(now.e).repeat(now.e) == Repeat::safe || sent_.contains(key_at(statement, kind_of(now)));
}

Turns::Turn Turns::after(std::string_view before, const Request& now, bool same_content) const {
  auto parted = sent_.empty() ? std::nullopt : parting(before, now.e.tag.stack);
  if (!parted) return Turn::unknown;
  auto at = [&](Key what) { return key_at(parted->now, what); };
  if (!sent_.contains(at(kind_of(now)))) return Turn::unknown;  // a handler's, perhaps
  if (parted->before != parted->now) return Turn::another;
  if (!again_.contains(at(kind_of(now)))) return Turn::same_call;
  // A thing among others that comes round once more was put back. Of an entry it is not known which of the functions
  // within goes round.
  if (!same_content) return Turn::another;
  return !parted->entry && again_.contains(at(thing_of(now))) ? Turn::another : Turn::unknown;
}

}  // namespace retrial::trace
