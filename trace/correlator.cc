#include "trace/correlator.h"

#include <algorithm>
#include <array>
#include <deque>
#include <unordered_map>
#include <utility>

#include "trace/body_change.h"
#include "trace/hindsight.h"
#include "trace/profile.h"
#include "trace/rpcs.h"
#include "trace/status.h"
#include "trace/waiting.h"

namespace retrial::trace {
namespace {

using By = WaitingCalls::By;

// What a client has been seen to do with one id header.
struct Habit {
  std::uint32_t kept = 0;     // a later attempt had the same value
  std::uint32_t changed = 0;  // a later attempt of one library call had another
  std::uint32_t reused = 0;   // the last value came again where nothing had failed: it names more than a call
  Key last = 0;
  bool trusted() const { return reused < 2 && (kept > 0 || changed == 0); }
};
constexpr std::size_t kMostHabits = 1 << 16;  // a user agent may be another each time

bool challenged(const Exchange& e) {
  return e.client_status == 401 || e.client_status == 407 ||
         e.client_status == kGrpcStatus + grpc_code::unauthenticated;
}
bool has_credentials(const Exchange& e) { return !find(e.request_headers, "authorization").empty(); }

// Codes of gRPC by which a service has looked at the call and said no: the rest leave open what a second one would
// meet.
bool says_no(int status) {
  namespace code = grpc_code;
  static constexpr std::array kNo = {code::invalid_argument,    code::not_found,      code::already_exists,
                                     code::permission_denied,   code::out_of_range,   code::unimplemented,
                                     code::failed_precondition, code::unauthenticated};
  return std::ranges::find(kNo, grpc_code_of(status)) != kNo.end();
}

// The service's own answer that it will not be otherwise next time: where the same request comes again it is asked anew
// (does it exist by now?), unless the library itself goes on.
bool settled(const Exchange& e) {
  return e.ending == Ending::answered && e.service_status == e.client_status && !(e.fired && is_status(e.fault)) &&
         (is_grpc(e.client_status) ? says_no(e.client_status) : !profile_of(e).asks_again(e));
}
bool lost(const Exchange& e) { return e.ending != Ending::answered; }
// A client that knows several addresses turns to the next.
bool sends_elsewhere(const Exchange& e) { return lost(e) || (e.client_status >= 502 && e.client_status <= 504); }

// A call that goes on at another target, as a redirect had it.
struct Leg {
  std::uint64_t call = 0;
  int attempt = 0;
  Key first_place = 0, first_call_id = 0;  // of the target that it began with
  std::string method, call_id;
};

}  // namespace

struct Correlator::State {
  Lessons lessons;
  const Hindsight* hindsight = nullptr;  // null: online
  WaitingCalls waiting;
  Rpcs rpcs;
  std::unordered_map<Key, Habit> habits;                // of client and header
  std::unordered_map<Key, std::deque<Leg>> redirected;  // by where to
  std::unordered_map<std::uint64_t, Leg> on_the_way;    // calls at another target
  struct Success {
    std::int32_t pid = 0;
    Key operation = 0;
    Nanos begun = 0, told = 0;
  };
  std::deque<Success> successes;  // since the first challenge
  bool any_challenge = false;
  std::uint64_t calls = 0;
  IdReader id_reader;

  Habit& habit(Key client, Key header) { return habits[mix(client, header)]; }

  // Reads the ids' habits off a join that other evidence made.
  void learn(const Waiting& before, Key client, const Ids& now, bool one_library_call) {
    if (before.client != client) return;
    for (std::size_t i = 0; i < now.count; i++)
      for (std::size_t k = 0; k < before.ids.count; k++) {
        if (now.header[i] != before.ids.header[k]) continue;
        if (now.value[i] == before.ids.value[k])
          habit(client, now.header[i]).kept++;
        else if (one_library_call)
          habit(client, now.header[i]).changed++;
      }
  }

  // A request under way, and what it says of itself.
  struct Head {
    const Exchange& e;
    Key client = 0, operation = 0;
    Ids ids;
    int count = 0;
    std::string part;
  };

  Assignment join(WaitingCalls::Found found, Confidence confidence, const Head& head, bool one_library_call) {
    auto before = waiting.take(found.serial);
    learn(before, head.client, head.ids, one_library_call);
    return {before.call, before.attempt + 1, found.several ? Confidence::possible : confidence};
  }
  Assignment own(Confidence confidence = Confidence::certain) { return {++calls, 1, confidence}; }

  static bool same_part(const Waiting& w, const Head& head) {
    return w.part == head.part || (w.cut && resumes(w.part, head.part));
  }
  // A layer's next attempt, its first (an outer layer's next), or what a transport sends again as it was.
  static bool counts_on(const Waiting& w, const Head& head) {
    int before = std::max(w.count, 1);
    return head.count <= 1 || head.count == before + 1 || (w.lost && head.count == before);
  }
  // The challenge was met, so that this is no repeat.
  bool met(const Waiting& w, const Exchange& head) const {
    if (!w.challenged) return false;
    if (!w.credentials && has_credentials(head)) return true;
    return std::ranges::any_of(successes, [&](auto& s) {
      return s.pid == w.pid && s.operation != w.operation && s.begun >= w.told && s.told <= head.begun;
    });
  }

  Assignment assign(const Exchange& e, Key rpc, int previous);
  std::optional<Assignment> proven(const Head& head, Key rpc, int previous);
  std::optional<Assignment> follow(const Exchange& e);
  Assignment by_place(const Head& head, bool rpc);
  bool same_content(const Waiting& w, const Exchange& e) const {
    auto change = change_between(*w.last, e);
    return !change.body && !change.key;
  }
  void keep(const Exchange& e, int attempts, int previous);
};

Correlator::Correlator() : Correlator(Lessons{}) {}
Correlator::Correlator(Lessons lessons) : state_(std::make_unique<State>()) { state_->lessons = std::move(lessons); }
Correlator::~Correlator() = default;
Correlator::Correlator(Correlator&&) noexcept = default;

Assignment Correlator::at_head(const Exchange& head) {
  auto& s = *state_;
  if (!is_rpc(head)) return s.assign(head, 0, 0);
  auto key = rpc_key(head);
  auto previous = previous_of(head);
  auto assigned = s.assign(head, key, previous);
  s.rpcs.opened(assigned.call, assigned.attempt, key, previous);
  return assigned;
}

Assignment Correlator::State::assign(const Exchange& e, Key rpc, int previous) {
  Head head{.e = e, .ids = id_reader.read(e)};
  if (head.ids.count || !waiting.empty()) head.client = client_key(e);
  if (habits.size() > kMostHabits) habits.clear();
  for (std::size_t i = 0; i < head.ids.count; i++) {
    auto& known = habit(head.client, head.ids.header[i]);
    if (known.last == head.ids.value[i] && !waiting.knows(By::id, id_key(e.pid, head.ids.value[i]))) known.reused++;
    known.last = head.ids.value[i];
  }
  if (!redirected.empty())
    if (auto leg = follow(e)) return *leg;
  if (waiting.empty() && !previous) return own();
  head.operation = mix(5, e.operation);
  head.count = count_of(e);
  head.part = part_of(e);
  if (auto assigned = proven(head, rpc, previous)) return *assigned;
  return by_place(head, rpc != 0);
}

// By what names the call.
std::optional<Assignment> Correlator::State::proven(const Head& head, Key rpc, int previous) {
  auto& e = head.e;
  if (auto key = call_id_key(e)) {
    auto fits = [&](auto& w) { return same_part(w, head) && !met(w, e); };
    if (auto found = waiting.pick(By::call_id, key, e, fits); found.serial)
      return join(found, Confidence::certain, head, true);
  }
  for (std::size_t i = 0; i < head.ids.count; i++) {
    if (!habit(head.client, head.ids.header[i]).trusted()) continue;
    auto fits = [&](auto& w) { return w.operation == head.operation && !met(w, e); };
    if (auto found = waiting.pick(By::id, id_key(e.pid, head.ids.value[i]), e, fits); found.serial)
      return join(found, Confidence::certain, head, false);
  }
  if (!previous) return {};
  auto fits = [&](auto& w) { return w.previous + 1 == previous || (w.refused && w.previous == previous); };
  if (auto found = waiting.pick(By::rpc, rpc, e, fits); found.serial)
    return join(found, Confidence::certain, head, false);
  if (auto copy = rpcs.copied(rpc, previous); copy.call)
    return Assignment{copy.call, copy.attempt, copy.several ? Confidence::possible : Confidence::certain};
  return {};
}

std::optional<Assignment> Correlator::State::follow(const Exchange& e) {
  auto it = redirected.find(followed_key(e));
  if (it == redirected.end() || it->second.front().method != e.method) return {};
  auto leg = std::move(it->second.front());
  it->second.pop_front();
  if (it->second.empty()) redirected.erase(it);
  bool proven = !leg.call_id.empty() && leg.call_id == e.tag.call_id;
  Assignment assigned{leg.call, leg.attempt, proven ? Confidence::certain : Confidence::likely};
  on_the_way.insert_or_assign(assigned.call, std::move(leg));
  return assigned;
}

// By where it comes from and what it asks.
Assignment Correlator::State::by_place(const Head& head, bool rpc) {
  auto& e = head.e;
  auto place = place_key(e);
  auto same_length = [&](auto& w) { return w.length == find(e.request_headers, "content-length"); };
  auto fits = [&](auto& w) { return same_part(w, head) && counts_on(w, head) && !met(w, e); };
  WaitingCalls::Found found;
  bool same = true;  // content, as far as is known
  if (hindsight) {
    if (auto content = Hindsight::key_of(e)) found = waiting.pick(By::content, content, e, fits);
    if (!found.serial)
      found = waiting.pick(By::place, place, e, [&](auto& w) { return fits(w) && same_content(w, e); });
  }
  if (!found.serial) {
    found = waiting.pick(By::place, place, e, [&](auto& w) { return fits(w) && same_length(w); });
    same = !hindsight;
  }
  if (!found.serial) {
    auto elsewhere = anywhere_key(e);
    auto other = [&](auto& w) { return w.place != place && fits(w) && same_length(w); };
    if (elsewhere) found = waiting.pick(By::anywhere, elsewhere, e, other);
    if (found.serial && !lessons.at_poll(e)) return join(found, Confidence::possible, head, false);
    return own();
  }
  if (lessons.at_poll(e)) return own(Confidence::possible);
  auto& w = waiting.at(found.serial);
  if (!same && !e.tag.site) return own(Confidence::likely);
  bool counted = head.count > 1 && head.count == std::max(w.count, 1) + 1;
  bool likely = e.tag.site || counted || (rpc && w.refused) || (hindsight && hindsight->alone(e));
  return join(found, likely && same ? Confidence::likely : Confidence::possible, head, false);
}

void Correlator::over(const Exchange& e) {
  if (e.call == 0) return;
  auto& s = *state_;
  bool failed = told_failed(e);
  auto attempts = e.attempt, previous = 0;
  if (is_rpc(e)) {
    auto left = s.rpcs.ended(e, failed);
    if (!left) return;
    attempts = left->attempts;
    previous = left->previous;
  }
  if (failed) {
    // A challenge of the service's own: what follows is never a retry.
    if (!challenged(e) || e.service_status != e.client_status || e.fired) s.keep(e, attempts, previous);
  } else {
    if (s.any_challenge) s.successes.push_back({e.pid, mix(5, e.operation), e.begun, e.told});
    if (s.successes.size() > 64) s.successes.pop_front();
    if (auto to = e.client_status > 300 ? redirect_key(e) : 0) {
      Leg leg{e.call, e.attempt, place_key(e), call_id_key(e), e.method, e.tag.call_id};
      if (auto before = s.on_the_way.find(e.call); before != s.on_the_way.end()) {
        leg.first_place = before->second.first_place;
        leg.first_call_id = before->second.first_call_id;
      }
      if (s.redirected.size() > WaitingCalls::kMost) s.redirected.clear();
      s.redirected[to].push_back(std::move(leg));
    }
  }
  if (!s.on_the_way.empty()) s.on_the_way.erase(e.call);
}

void Correlator::State::keep(const Exchange& e, int attempts, int previous) {
  bool settles = settled(e);
  Waiting w{.call = e.call,
            .attempt = attempts,
            .call_id = call_id_key(e),
            .place = settles ? 0 : place_key(e),
            .anywhere = !settles && sends_elsewhere(e) ? anywhere_key(e) : 0,
            .client = client_key(e),
            .operation = mix(5, e.operation),
            .ids = id_reader.read(e),
            .length = std::string(find(e.request_headers, "content-length")),
            .part = part_of(e),
            .connection = e.stream ? 0 : e.connection,
            .rpc = is_rpc(e) ? rpc_key(e) : 0,
            .previous = previous,
            .count = count_of(e),
            .refused = e.refused,
            .lost = lost(e),
            .cut = e.answered != 0,
            .challenged = challenged(e),
            .credentials = has_credentials(e),
            .pid = e.pid,
            .told = e.told};
  any_challenge |= w.challenged;
  if (auto leg = on_the_way.find(e.call); leg != on_the_way.end()) {
    w.first_place = settles ? 0 : leg->second.first_place;
    w.first_call_id = leg->second.first_call_id;
  }
  if (hindsight) {
    w.content = settles ? 0 : Hindsight::key_of(e);
    w.last = &e;
  }
  waiting.put(std::move(w));
}

void Correlator::confirm(std::vector<Exchange>& exchanges, const Lessons& lessons) {
  struct Event {
    Nanos at = 0;
    std::size_t exchange = 0;
    bool ends = false;
    auto operator<=>(const Event&) const = default;
  };
  std::vector<Event> events;
  std::vector<const Exchange*> by_time;
  for (std::size_t i = 0; i < exchanges.size(); i++) {
    auto& e = exchanges[i];
    if (!e.call && e.operation.empty()) continue;
    events.push_back({e.begun, i, false});
    if (e.ending != Ending::open) events.push_back({std::max(e.told, e.begun), i, true});
  }
  std::ranges::sort(events);
  for (auto& event : events)
    if (!event.ends) by_time.push_back(&exchanges[event.exchange]);
  Hindsight hindsight(by_time);
  Correlator again(lessons);
  again.state_->hindsight = &hindsight;
  for (auto& event : events) {
    auto& e = exchanges[event.exchange];
    if (event.ends) {
      again.over(e);
    } else {
      auto assigned = again.at_head(e);
      e.call = assigned.call;
      e.attempt = assigned.attempt;
      e.confidence = assigned.confidence;
    }
  }
}

}  // namespace retrial::trace
