#pragma once
// The inside of a correlator, for its sources: correlator.cc (online), correlate_again.cc (afterwards),
// correlator_state.cc.
#include <algorithm>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "trace/calls/activation.h"
#include "trace/calls/correlator.h"
#include "trace/calls/hindsight.h"
#include "trace/calls/rpcs.h"
#include "trace/calls/waiting.h"

namespace retrial::trace {

// No body, as its head says.
bool sends_nothing(const Exchange& head);
// Told 401, 407 or UNAUTHENTICATED.
bool challenged(const Exchange& e);

struct Correlator::State {
  using By = WaitingCalls::By;
  // What a client has been seen to do with one id header.
  struct Habit {
    std::uint32_t kept = 0;     // a later attempt had the same value
    std::uint32_t changed = 0;  // a later attempt of one library call had another
    std::uint32_t reused = 0;   // the last value came again where nothing had failed: it names more than a call
    Key last = 0;
    bool trusted() const { return reused < 2 && (kept > 0 || changed == 0); }
  };
  // A call that goes on at another target, as a redirect had it.
  struct Leg {
    std::uint64_t call = 0;
    int attempt = 0;
    Key first_place = 0, first_call_id = 0, first_content = 0;  // of the target that it began with
    std::string method, call_id;
  };

  Lessons lessons;
  std::set<std::string, std::less<>> separate;  // services
  const Hindsight* hindsight = nullptr;         // null: online
  WaitingCalls waiting;
  Rpcs rpcs;
  std::unordered_map<Key, int> looks;     // by place, of polls: how many in a row have failed, and the one under way
  std::unordered_map<Key, Habit> habits;  // of client and header
  std::unordered_map<Key, std::deque<Leg>> redirected;  // by where to
  std::unordered_map<std::uint64_t, Leg> on_the_way;    // calls at another target
  struct Success {
    std::int32_t pid = 0;
    Key operation = 0;
    Nanos begun = 0, told = 0;
  };
  std::deque<Success> successes;  // since the first challenge
  bool any_challenge = false;
  std::unordered_set<Key> doubted;            // contents of which it could not be said what goes on
  std::unordered_set<std::uint64_t> unsaid;   // calls that may be another's end
  std::unordered_set<std::uint64_t> used_up;  // calls whose body was: see rest_of
  // Of a request that comes more than once without faults: how often it came, and how often after it had failed.
  struct Sent {
    std::size_t times = 0, after_failure = 0;
  };
  std::unordered_map<Key, Sent> sent;
  std::unordered_set<std::int32_t> dead;  // processes, ended by a fault: nothing goes on from what they sent
  bool broke_off = false;                 // the test failed: what it would have sent then did not come
  std::uint64_t calls = 0;
  IdReader id_reader;

  Habit& habit(Key client, Key header) { return habits[mix(client, header)]; }

  // A request under way, and what it says of itself.
  struct Head {
    const Exchange& e;
    Key client = 0, operation = 0;
    Ids ids;
    int count = 0;
    std::string part;
  };

  // Reads the ids' habits off a join that other evidence made.
  void learn(const Waiting& before, const Head& head, bool one_library_call);
  Assignment join(WaitingCalls::Found found, Confidence confidence, const Head& head, bool one_library_call);
  Assignment own(Confidence confidence = Confidence::certain) { return {++calls, 1, confidence}; }

  static bool same_part(const Waiting& w, const Head& head) {
    return w.part == head.part || (w.cut && resumes(w.part, head.part));
  }
  // A layer's next attempt, its first (an outer layer's next), or what a transport sends again as it was.
  static bool counts_on(const Waiting& w, const Head& head) {
    int before = std::max(w.count, 1);
    return head.count <= 1 || head.count == before + 1 || (w.lost && head.count == before);
  }
  static bool counted(const Waiting& w, const Head& head) {
    return head.count > 1 && head.count == std::max(w.count, 1) + 1;
  }
  bool goes_on(const Waiting& w, const Head& head) const {
    return same_part(w, head) && counts_on(w, head) && !met(w, head.e) && !next_statement(w, head) &&
           !sibling(w, head) && (dead.empty() || !dead.contains(w.pid));
  }
  // The same from a task beside it that carries nothing by which it were one call: each needs a token. A job that has a
  // body may have been queued again, and taken by another worker.
  static bool sibling(const Waiting& w, const Head& head) {
    return w.pid == head.e.pid && sends_nothing(head.e) && side_by_side(w.stack, head.e.tag.stack);
  }
  bool next_statement(const Waiting& w, const Head& head) const {
    return w.pid == head.e.pid && lessons.turns.next_statement(w.statement, {head.e, head.e.operation});
  }
  // What the stacks say of it, where the reference run has shown what they do without faults.
  Turns::Turn turn(const Waiting& w, const Head& head, bool same_content) const {
    return w.pid == head.e.pid ? lessons.turns.after(w.stack, {head.e, head.e.operation}, same_content)
                               : Turns::Turn::unknown;
  }
  // The challenge was met, so that this is no repeat.
  bool met(const Waiting& w, const Exchange& head) const;
  Assignment assign(const Exchange& e, Key rpc, int previous);
  // By what names the call.
  std::optional<Assignment> proven(const Head& head, Key rpc, int previous);
  // By what runs while the call does: a library's hook or interceptor, in the application, that asks once more.
  std::optional<Assignment> in_course(const Head& head);
  std::optional<Assignment> follow(const Exchange& e);
  // By where it comes from and what it asks; and the same when content is known, and how this client goes on.
  Assignment by_place(const Head& head, bool rpc);
  bool keyed_apart(const Exchange& before, const Head& head);
  Assignment in_hindsight(const Head& head, bool rpc);
  void count(const std::vector<const Exchange*>& by_time);
  // Of what comes after a failure and more than once without faults: does it go on from that? By how often it came.
  //   goes_on   it came more often, by as many times at least as it came after a failure; or its test failed then
  //   another   it came as often
  enum class ByCount : std::uint8_t { unknown, goes_on, another };
  ByCount by_count(const Exchange& e) const;
  // It sends what is left of a body that a failed attempt has read from a file or a stream.
  std::optional<Assignment> rest_of(const Head& head);
  // Its client was told that it failed.
  void keep(const Exchange& e, int attempts, int previous);
};

}  // namespace retrial::trace
