#include "trace/correlator.h"

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <span>
#include <unordered_map>

#include "base/text.h"
#include "trace/operation.h"
#include "trace/profile.h"
#include "trace/run.h"
#include "trace/status.h"

namespace retrial::trace {
namespace {

using Key = std::uint64_t;
constexpr std::size_t kMostWaiting = 1 << 16;  // a client that fails for ever must not grow us for ever

Key mix(Key seed, Key value) {
  return (seed ^ (value + 0x9e3779b97f4a7c15ull + (seed << 6) + (seed >> 2))) * 0xff51afd7ed558ccdull;
}
Key mix(Key seed, std::string_view text) { return mix(seed, std::hash<std::string_view>{}(text)); }

std::string_view port_of(std::string_view service) {
  auto colon = service.rfind(':');
  return colon == service.npos ? service : service.substr(colon);
}

// One client: a process's way of speaking to one service.
Key client_key(const Exchange& e) {
  return mix(mix(mix(1, static_cast<Key>(e.pid)), e.service), find(e.request_headers, "user-agent"));
}
Key call_id_key(const Exchange& e) {
  if (e.tag.call_id.empty()) return 0;
  return mix(mix(mix(mix(2, static_cast<Key>(e.pid)), e.tag.call_id), e.operation), target_key(e.target));
}
// Where the call comes from and what it asks. With a call site the address may change (IPv4 and IPv6 of one name), not
// the port.
Key place_key(const Exchange& e) {
  Key key = mix(mix(mix(3, static_cast<Key>(e.pid)), e.tag.test), e.operation);
  key = mix(key, target_key(e.target));
  if (!e.tag.site) return mix(key, e.service);
  key = mix(mix(key, e.tag.site->file), static_cast<Key>(e.tag.site->line));
  return mix(mix(key, e.tag.site->function), port_of(e.service));
}
bool is_rpc(const Exchange& e) { return e.grpc.is || e.profile == "grpc"; }
// Whose call of which method this is, wherever it is sent: a channel chooses among the addresses of a name.
Key rpc_key(const Exchange& e) {
  Key key = mix(mix(mix(6, static_cast<Key>(e.pid)), e.tag.test), e.operation);
  if (e.tag.site) key = mix(mix(mix(key, e.tag.site->file), static_cast<Key>(e.tag.site->line)), e.tag.site->function);
  return mix(key, port_of(e.service));
}
// grpc-previous-rpc-attempts (gRFC A6): of one call, retries and copies alike; what gRPC repeats unseen is not counted.
int previous_of(const Exchange& e) {
  if (e.grpc.previous) return e.grpc.previous;
  auto told = to_int(find(e.request_headers, "grpc-previous-rpc-attempts")).value_or(0);
  return told > 0 && told < 1000 ? static_cast<int>(told) : 0;
}
std::uint64_t poll_key(const Exchange& e) {
  return fnv1a(e.operation, fnv1a(e.tag.site ? show(*e.tag.site) : std::string()));
}

// The id headers that a request carries: which, and the hash of the value. At most kIds.
struct Ids {
  static constexpr std::size_t kIds = 4;
  std::array<Key, kIds> header{}, value{};
  std::size_t count = 0;
};
// Looked for once a profile: which lengths the names of its id headers have.
struct IdNames {
  std::string profile = "?";
  std::span<const std::string_view> names;
  std::uint64_t lengths = 0;

  void read(const Exchange& e) {
    if (e.profile == profile) return;
    profile = e.profile;
    names = profile_of(e).id_headers();
    lengths = 0;
    for (auto name : names) lengths |= 1ull << (name.size() & 63);
  }
};
Ids ids_of(const Exchange& e, IdNames& known) {
  known.read(e);
  Ids ids;
  for (auto& h : e.request_headers) {
    if (!(known.lengths >> (h.name.size() & 63) & 1) || h.value.empty() || ids.count == Ids::kIds) continue;
    for (auto name : known.names) {
      if (!iequals(h.name, name)) continue;
      ids.header[ids.count] = std::hash<std::string_view>{}(name);
      ids.value[ids.count++] = mix(4, h.value);
    }
  }
  return ids;
}

// What a client has been seen to do with one id header.
struct Habit {
  std::uint32_t kept = 0;     // a later attempt had the same value
  std::uint32_t changed = 0;  // a later attempt of one library call had another
  std::uint32_t reused = 0;   // the last value came again where nothing had failed: it names more than a call
  Key last = 0;
  bool trusted() const { return reused < 2 && (kept > 0 || changed == 0); }
};

// The client was told that this attempt failed: its call may go on.
struct Waiting {
  std::uint64_t call = 0;
  int attempt = 0;
  Key call_id = 0, place = 0, client = 0, operation = 0;  // call_id, place: 0 where they prove nothing
  Ids ids;
  std::string length;            // Content-Length, as sent
  std::uint64_t connection = 0;  // 0: its streams are shared by many calls, and prove nothing
  Key rpc = 0;                   // 0: it is none
  int previous = 0;              // previous_of its last attempt
  bool refused = false;
  Nanos begun = 0, told = 0;
};

// A gRPC call with attempts under way: more than one where it is hedged (gRFC A6).
struct Rpc {
  Key key = 0;
  int attempts = 0;   // made so far
  int previous = 0;   // previous_of the latest
  int open = 0;       // of them
  bool done = false;  // one of them brought success: the others are cancelled
};

// A challenge is answered, not retried: the request with credentials is a call of its own. One of our faults is no
// challenge.
bool challenged(const Exchange& e) {
  return e.service_status == e.client_status && (e.client_status == 401 || e.client_status == 407 ||
                                                 e.client_status == kGrpcStatus + grpc_code::unauthenticated);
}
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

bool same_length(const Waiting& w, const Exchange& head) {
  return w.length == find(head.request_headers, "content-length");
}

}  // namespace

struct Correlator::State {
  using Index = std::unordered_map<Key, std::vector<std::uint64_t>>;  // to calls that wait
  std::unordered_map<std::uint64_t, Waiting> waiting;
  Index by_call_id, by_id, by_place, by_rpc;
  std::unordered_map<std::uint64_t, Rpc> rpcs;       // by call: those with attempts under way
  Index by_open;                                     // to them
  std::deque<std::pair<std::uint64_t, int>> oldest;  // call and attempt, in the order in which they failed
  std::unordered_map<Key, Habit> habits;             // of client and header
  std::vector<std::uint64_t> polls;
  std::uint64_t calls = 0;
  IdNames id_names;

  Habit& habit(Key client, Key header) { return habits[mix(client, header)]; }

  void put(Waiting w) {
    auto call = w.call;
    if (w.call_id) by_call_id[w.call_id].push_back(call);
    for (std::size_t i = 0; i < w.ids.count; i++) by_id[mix(w.client, w.ids.value[i])].push_back(call);
    if (w.place) by_place[w.place].push_back(call);
    if (w.rpc) by_rpc[w.rpc].push_back(call);
    oldest.emplace_back(call, w.attempt);
    waiting.insert_or_assign(call, std::move(w));
    while (waiting.size() > kMostWaiting || oldest.size() > 2 * kMostWaiting) {
      auto [old, attempt] = oldest.front();
      oldest.pop_front();
      if (auto it = waiting.find(old); it != waiting.end() && it->second.attempt == attempt) take(old);
    }
  }

  static void forget(Index& index, Key key, std::uint64_t call) {
    auto it = index.find(key);
    if (it == index.end()) return;
    std::erase(it->second, call);
    if (it->second.empty()) index.erase(it);
  }
  Waiting take(std::uint64_t call) {
    auto node = waiting.extract(call);
    Waiting w = std::move(node.mapped());
    if (w.call_id) forget(by_call_id, w.call_id, call);
    for (std::size_t i = 0; i < w.ids.count; i++) forget(by_id, mix(w.client, w.ids.value[i]), call);
    if (w.place) forget(by_place, w.place, call);
    if (w.rpc) forget(by_rpc, w.rpc, call);
    return w;
  }

  struct Found {
    std::uint64_t call = 0;
    bool several = false;  // parallel ones, that cannot be told apart
  };
  // Of the calls that wait under a key and fit: the one on the same connection, else the first to have failed, since
  // equal delays come back in the order of the failures.
  template <class Fits>
  Found pick(const Index& index, Key key, const Exchange& head, Fits fits) const {
    auto it = index.find(key);
    if (it == index.end()) return {};
    const Waiting* best = nullptr;
    int candidates = 0;
    for (auto call : it->second) {
      auto& w = waiting.at(call);
      if (!fits(w)) continue;
      candidates++;
      bool here = head.stream == 0 && w.connection == head.connection;
      if (!best || (here && best->connection != head.connection) ||
          (here == (best->connection == head.connection) && w.told < best->told))
        best = &w;
    }
    return best ? Found{best->call, candidates > 1} : Found{};
  }

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

  Assignment join(Found found, Confidence confidence, Key client, const Ids& ids, bool one_library_call) {
    auto before = take(found.call);
    learn(before, client, ids, one_library_call);
    return {before.call, before.attempt + 1, found.several ? Confidence::possible : confidence};
  }

  // A copy that is sent while earlier attempts of its call are open.
  Assignment hedge(Key key, int previous) {
    const Rpc* best = nullptr;
    std::uint64_t of = 0;
    int candidates = 0;
    if (auto it = by_open.find(key); it != by_open.end())
      for (auto call : it->second) {
        auto& rpc = rpcs.at(call);
        if (rpc.previous + 1 != previous || rpc.done) continue;
        if (candidates++ == 0) best = &rpc, of = call;
      }
    if (!best) return {};
    return {of, best->attempts + 1, candidates > 1 ? Confidence::possible : Confidence::certain};
  }
  Assignment opened(Assignment a, Key key, int previous) {
    auto& rpc = rpcs[a.call];
    if (rpc.open++ == 0) by_open[rpc.key = key].push_back(a.call);
    rpc.attempts = a.attempt;
    rpc.previous = previous;
    return a;
  }
  // What is left to be known of a call when an attempt of it is over; nothing while others are open, or one succeeded.
  std::optional<Rpc> ended(const Exchange& e) {
    auto it = rpcs.find(e.call);
    if (it == rpcs.end()) return Rpc{.attempts = e.attempt, .previous = previous_of(e)};
    auto& rpc = it->second;
    rpc.done |= !told_failed(e);
    if (--rpc.open > 0) return {};
    auto last = rpc;
    forget(by_open, last.key, e.call);
    rpcs.erase(it);
    if (last.done) return {};
    return last;
  }

  Assignment assign(const Exchange& head, Key rpc, int previous);
};

Correlator::Correlator() : Correlator(std::vector<std::uint64_t>{}) {}
Correlator::Correlator(std::vector<std::uint64_t> polls) : state_(std::make_unique<State>()) {
  state_->polls = std::move(polls);
  std::ranges::sort(state_->polls);
}
Correlator::~Correlator() = default;
Correlator::Correlator(Correlator&&) noexcept = default;

Assignment Correlator::at_head(const Exchange& head) {
  if (!is_rpc(head)) return state_->assign(head, 0, 0);
  auto key = rpc_key(head);
  auto previous = previous_of(head);
  return state_->opened(state_->assign(head, key, previous), key, previous);
}

Assignment Correlator::State::assign(const Exchange& head, Key rpc, int previous) {
  auto& s = *this;
  auto ids = ids_of(head, s.id_names);
  auto client = ids.count || !s.waiting.empty() ? client_key(head) : 0;
  for (std::size_t i = 0; i < ids.count; i++) {
    auto& habit = s.habit(client, ids.header[i]);
    if (habit.last == ids.value[i] && !s.by_id.contains(mix(client, ids.value[i]))) habit.reused++;
    habit.last = ids.value[i];
  }
  if (s.waiting.empty() && !previous) return {++s.calls, 1, Confidence::certain};

  if (auto key = call_id_key(head))
    if (auto found = s.pick(s.by_call_id, key, head, [](auto&) { return true; }); found.call)
      return s.join(found, Confidence::certain, client, ids, true);

  auto operation = mix(5, head.operation);
  for (std::size_t i = 0; i < ids.count; i++) {
    if (!s.habit(client, ids.header[i]).trusted()) continue;
    auto fits = [&](const Waiting& w) { return w.operation == operation; };
    if (auto found = s.pick(s.by_id, mix(client, ids.value[i]), head, fits); found.call)
      return s.join(found, Confidence::certain, client, ids, false);
  }

  if (previous) {
    auto fits = [&](const Waiting& w) { return w.previous + 1 == previous || (w.refused && w.previous == previous); };
    if (auto found = s.pick(s.by_rpc, rpc, head, fits); found.call)
      return s.join(found, Confidence::certain, client, ids, false);
    if (auto copy = s.hedge(rpc, previous); copy.call) return copy;
  }

  if (!std::ranges::binary_search(s.polls, s.polls.empty() ? 0 : poll_key(head))) {
    auto fits = [&](const Waiting& w) { return same_length(w, head); };
    if (auto found = s.pick(s.by_place, place_key(head), head, fits); found.call) {
      // What was refused gRPC sends again by itself, and at once.
      bool likely = head.tag.site || (rpc && s.waiting.at(found.call).refused);
      return s.join(found, likely ? Confidence::likely : Confidence::possible, client, ids, false);
    }
  }
  return {++s.calls, 1, Confidence::certain};
}

void Correlator::over(const Exchange& e) {
  if (e.call == 0) return;
  auto& s = *state_;
  bool rpc = is_rpc(e);
  auto attempts = e.attempt, previous = 0;
  if (rpc) {
    auto left = s.ended(e);
    if (!left) return;
    attempts = left->attempts;
    previous = left->previous;
  }
  if (!told_failed(e)) return;
  if (challenged(e) && !e.fired) return;
  s.put({.call = e.call,
         .attempt = attempts,
         .call_id = call_id_key(e),
         .place = settled(e) ? 0 : place_key(e),
         .client = client_key(e),
         .operation = mix(5, e.operation),
         .ids = ids_of(e, s.id_names),
         .length = std::string(find(e.request_headers, "content-length")),
         .connection = e.stream ? 0 : e.connection,
         .rpc = rpc ? rpc_key(e) : 0,
         .previous = previous,
         .refused = e.refused,
         .begun = e.begun,
         .told = e.told});
}

std::vector<std::uint64_t> Correlator::polls_of(const Run& reference) {
  struct Last {
    Key place = 0;
    std::uint64_t digest = 0;
    Nanos told = 0;
    bool good = false;
    int repeats = 0;
  };
  std::unordered_map<std::int32_t, Last> last;  // of each process
  std::vector<std::uint64_t> polls;
  for (auto& e : reference.exchanges) {
    auto& before = last[e.pid];
    auto place = place_key(e);
    bool again = before.place == place && before.digest == e.request_digest && before.good && e.begun >= before.told;
    int repeats = again ? before.repeats + 1 : 0;
    // A write that is made twice with the same data is two writes; one that goes on and on is a poll.
    if (repeats >= (profile_of(e).repeat(e) == Repeat::safe ? 1 : 2)) polls.push_back(poll_key(e));
    before = {place, e.request_digest, e.told, e.ending == Ending::answered && !told_failed(e), repeats};
  }
  std::ranges::sort(polls);
  polls.erase(std::ranges::unique(polls).begin(), polls.end());
  return polls;
}

bool Correlator::at_poll(const std::vector<std::uint64_t>& polls, const Exchange& e) {
  return std::ranges::binary_search(polls, poll_key(e));
}

namespace {
// Does something that retries make anew explain that two bodies differ? A boundary, a signature of chunks, a time in a
// gzip head.
bool explained(const Exchange& e) {
  if (find(e.request_headers, "content-type").starts_with("multipart/")) return true;
  if (icontains(find(e.request_headers, "content-encoding"), "gzip") ||
      icontains(find(e.request_headers, "content-encoding"), "aws-chunked"))
    return true;
  return find(e.request_headers, "x-amz-content-sha256").starts_with("STREAMING-") ||
         e.request_sample.find("&Signature=") != std::string::npos;
}
}  // namespace

void Correlator::confirm(std::vector<Exchange>& exchanges) {
  struct Seen {
    const Exchange* whole = nullptr;  // the last attempt that was read whole
    std::uint64_t call = 0;           // as it goes on
    int before = 0;                   // attempts that turned out to be another's
  };
  std::unordered_map<std::uint64_t, Seen> seen;
  std::uint64_t calls = 0;
  for (auto& e : exchanges) calls = std::max(calls, e.call);
  for (auto& e : exchanges) {
    if (!e.call) continue;
    auto& call = seen[e.call];
    if (!call.call) call.call = e.call;
    if (e.request_read && call.whole && e.request_digest != call.whole->request_digest && !explained(e)) {
      // A message's length is not told ahead. Without a call site nothing is left that would make two of them one.
      if (is_rpc(e) && !e.tag.site && e.confidence != Confidence::certain) {
        call.call = ++calls;
        call.before = e.attempt - 1;
        e.confidence = Confidence::certain;
      } else if (e.confidence == Confidence::likely) {
        e.confidence = Confidence::possible;
      }
    }
    if (e.request_read) call.whole = &e;
    e.call = call.call;
    e.attempt -= call.before;
  }
}

}  // namespace retrial::trace
