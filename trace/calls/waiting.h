#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "trace/calls/correlator_keys.h"

namespace retrial::trace {

// The client was told that this attempt failed: its call may go on.
struct Waiting {
  std::uint64_t call = 0;
  int attempt = 0;
  Key call_id = 0, place = 0, anywhere = 0;                   // 0 where they prove nothing
  Key first_call_id = 0, first_place = 0, first_content = 0;  // of what was redirected to it; 0: nothing was
  Key course = 0;                                             // of courses_of, its own
  Key client = 0, operation = 0;
  Ids ids;                       // of one process: see id_key
  std::string length;            // Content-Length, as sent
  std::string part;              // part_of
  std::uint64_t connection = 0;  // 0: its streams are shared by many calls, and prove nothing
  Key rpc = 0;                   // 0: it is none
  int previous = 0;              // previous_of its last attempt
  int count = 0;                 // count_of its last attempt
  bool refused = false;
  bool lost = false;         // not answered
  bool elsewhere = false;    // a client may turn to another address
  bool cut = false;          // its answer had begun
  bool challenged = false;   // 401 or 407
  bool credentials = false;  // it carried some
  std::string stack;
  std::uint64_t statement = 0;  // as Tag
  std::int32_t pid = 0;
  Nanos told = 0;
  Key content = 0;                 // place and content_key, where a run is read afterwards
  Key once = 0;                    // of a request that comes once without faults, from whichever process
  const Exchange* last = nullptr;  // likewise
};

// The calls that wait, the oldest failure first. Bounded: it forgets the oldest.
class WaitingCalls {
 public:
  static constexpr std::size_t kMost = 1 << 16;  // a client that fails for ever must not grow us for ever
  static constexpr int kLook = 64;               // calls under one key that are looked at: more are parallel, and alike

  bool empty() const { return waiting_.empty(); }
  void put(Waiting w);
  Waiting take(std::uint64_t serial);
  const Waiting& at(std::uint64_t serial) const { return waiting_.at(serial); }

  // By which key it is looked for.
  enum class By : std::uint8_t { call_id, id, place, anywhere, rpc, content, once, course };
  bool knows(By by, Key key) const { return index_.contains(mix(static_cast<Key>(by), key)); }

  struct Found {
    std::uint64_t serial = 0;  // 0: none
    bool several = false;      // parallel ones, that cannot be told apart
  };
  // Of the calls that wait under a key and fit: the one on the same connection, else the first to have failed, since
  // equal delays come back in the order of the failures.
  template <class Do>
  void each(By by, Key key, Do what, int most = kLook) const {
    auto it = key ? index_.find(mix(static_cast<Key>(by), key)) : index_.end();
    if (it == index_.end()) return;
    int looked = 0;
    for (auto serial : it->second) {
      if (looked++ == most) break;
      what(serial, waiting_.at(serial));
    }
  }
  template <class Fits>
  Found pick(By by, Key key, const Exchange& head, Fits fits, int most = kLook) const {
    auto it = index_.find(mix(static_cast<Key>(by), key));
    if (it == index_.end()) return {};
    Found found;
    int looked = 0, candidates = 0;
    bool on_connection = false;
    for (auto serial : it->second) {
      if (looked++ == most) {
        candidates++;
        break;
      }
      auto& w = waiting_.at(serial);
      if (!fits(w)) continue;
      candidates++;
      bool here = head.stream == 0 && w.connection == head.connection;
      if (found.serial && (on_connection || !here)) continue;
      found.serial = serial;
      on_connection = here;
    }
    found.several = candidates > 1;
    return found;
  }

 private:
  template <class Do>
  static void each_key(const Waiting& w, Do what);
  std::map<std::uint64_t, Waiting> waiting_;                // by the order in which they failed
  std::unordered_map<Key, std::set<std::uint64_t>> index_;  // to them
  std::uint64_t serials_ = 0;
};

}  // namespace retrial::trace
