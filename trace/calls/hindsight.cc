#include "trace/calls/hindsight.h"

#include <algorithm>
#include <unordered_set>

#include "trace/calls/busy.h"
#include "trace/calls/content.h"
#include "trace/calls/operation.h"
#include "trace/profiles/profile.h"

namespace retrial::trace {
namespace {

constexpr std::size_t kEnough = 4;  // requests of one kind that say more than all those to its service

Key kind_of(const Exchange& e) {
  Key key = mix(mix(11, e.operation), e.service);
  if (e.tag.site) key = mix(mix(key, e.tag.site->file), static_cast<Key>(e.tag.site->line));
  return key;
}
Key process_of(const Exchange& e) { return mix(mix(14, static_cast<Key>(e.pid)), e.service); }
Key service_of(const Exchange& e) { return mix(12, e.service); }

bool is_redirect(const Exchange& e) { return e.client_status > 300 && e.client_status < 400; }  // it ends nothing
// A process's way of speaking.
Key user_key(const Exchange& e) { return mix(mix(13, static_cast<Key>(e.pid)), find(e.request_headers, "user-agent")); }

constexpr Nanos kAtOnce = 10 * kMillisecond;

}  // namespace

const Hindsight::Known& Hindsight::known(const Exchange& e) const {
  return known_[static_cast<std::size_t>(&e - first_)];
}
Key Hindsight::content_at(const Exchange& e) const { return known(e).content; }
Key Hindsight::key_of(const Exchange& e) const { return known(e).has_content ? known(e).content : 0; }

Hindsight::Hindsight(std::span<const Exchange> all, const std::vector<const Exchange*>& by_time)
    : first_(all.data()), known_(all.size()) {
  std::unordered_set<Key> unsaid;
  for (auto* e : by_time) {
    auto content = content_key(*e);
    auto& known = known_[static_cast<std::size_t>(e - first_)];
    known.place = place_key(*e);
    known.content = mix(mix(mix(10, known.place), part_of(*e)), content);
    known.has_content = content != 0;
    if (e->tag.statement == 0) unsaid.insert(known.content);
  }
  // Another statement of a test is another use, whatever it sends: of what always says which one it comes from.
  for (auto* e : by_time)
    if (auto& known = known_[static_cast<std::size_t>(e - first_)]; !unsaid.contains(known.content))
      known.content = mix(known.content, e->tag.statement);
  read_ids(by_time);
  read_gaps(by_time);
  read_services(by_time);
}

void Hindsight::read_ids(const std::vector<const Exchange*>& by_time) {
  struct Value {
    std::unordered_set<Key> targets;
    Nanos until = 0;          // one that carries it is under way
    bool success = false;     // one came to a good end
    bool redirected = false;  // the last was
  };
  struct Values {
    std::unordered_map<Key, Value> all;
    std::unordered_set<Key> contents;  // that came with them
    std::size_t reused = 0;
  };
  std::unordered_map<Key, Values> headers;  // of a client
  IdReader reader;
  for (auto* e : by_time) {
    auto ids = reader.read(*e);
    for (std::size_t i = 0; i < ids.count; i++) {
      auto& values = headers[mix(user_key(*e), ids.header[i])];
      auto target = mix(mix(5, e->operation), target_key(e->target));
      auto [it, fresh] = values.all.try_emplace(ids.value[i]);
      auto& value = it->second;
      bool elsewhere = value.targets.insert(target).second && !value.redirected;
      if (!fresh && (elsewhere || value.success || e->begun < value.until)) values.reused++;
      values.contents.insert(mix(ids.value[i], content_at(*e)));
      value.until = std::max(value.until, e->told);
      value.redirected = is_redirect(*e);
      value.success |= !told_failed(*e) && e->ending == Ending::answered && !value.redirected;
    }
  }
  for (auto& [key, values] : headers)
    if (4 * values.reused > values.all.size() || values.contents.size() > 4 * values.all.size()) sessions_.insert(key);

  // From the last to the first: when does what names a call come for the last time?
  std::unordered_map<Key, Nanos> last;
  for (auto e = by_time.rbegin(); e != by_time.rend(); ++e) {
    auto& until = known_[static_cast<std::size_t>(*e - first_)].named_until;
    auto read = [&](Key name) { until = std::max(until, last.try_emplace(name, (*e)->begun).first->second); };
    if (auto name = call_id_key(**e)) read(name);
    auto ids = reader.read(**e);
    for (std::size_t i = 0; i < ids.count; i++)
      if (!names_more(**e, ids.header[i])) read(id_key((*e)->pid, ids.value[i]));
  }
}

void Hindsight::read_gaps(const std::vector<const Exchange*>& by_time) {
  std::unordered_map<Key, std::vector<const Exchange*>> same, at_place;
  for (auto* e : by_time) {
    begins_[process_of(*e)].push_back(e->begun);
    ended_ = std::max({ended_, e->begun, e->told});
    times_[content_at(*e)]++;
    same[content_at(*e)].push_back(e);
    auto& there = at_place[known(*e).place];
    if (!there.empty()) known_[static_cast<std::size_t>(there.back() - first_)].next = e;
    there.push_back(e);
  }
  for (auto& [key, requests] : same) {
    read_gaps(requests, true);
    Nanos until = 0;
    for (auto* e : requests) {
      if (e->begun < until) parallel_.insert(key);
      until = std::max(until, e->told);
    }
  }
  for (auto& [key, requests] : at_place) {
    read_gaps(requests, false);
    Nanos until = 0;
    for (auto* e : requests) {
      if (e->begun < until) again_[mix(kind_of(*e), Key{0})].concurrent = true;
      until = std::max(until, e->told);
    }
  }
  for (auto& [kind, again] : again_) {
    std::ranges::sort(again.after_success);
    std::ranges::sort(again.after_failure);
  }
}

bool Hindsight::between(const Exchange& e, const Exchange& next) const {
  auto& begins = begins_.at(process_of(e));
  auto it = std::ranges::upper_bound(begins, e.told);  // an answer of ours is told the moment its request began
  return it != begins.end() && *it < next.begun;
}

// The next of these requests after each of them was over.
void Hindsight::read_gaps(const std::vector<const Exchange*>& requests, bool same_content) {
  for (auto* e : requests) {
    if (!e->told || is_redirect(*e)) continue;
    auto next = std::ranges::lower_bound(requests, e->told, {}, [](auto* r) { return r->begun; });
    while (next != requests.end() && *next == e) ++next;
    bool failed = told_failed(*e), follows = next != requests.end();
    if (failed && follows && !e->tag.call_id.empty() && e->tag.call_id == (*next)->tag.call_id)
      continue;  // no question
    for (auto kind : {kind_of(*e), service_of(*e)}) {
      auto& again = again_[mix(kind, static_cast<Key>(same_content))];
      (failed ? again.failures : again.successes)++;
      again.interrupted += failed && follows && between(*e, **next);
      if (!failed) again.exposure += static_cast<double>((follows ? (*next)->begun : ended_) - e->told) / 1e9;
      if (follows) (failed ? again.after_failure : again.after_success).push_back(pause_between(*e, **next));
    }
  }
}

const Hindsight::Again* Hindsight::again_of(const Exchange& e, bool same_content) const {
  auto of = static_cast<Key>(same_content);
  auto it = again_.find(mix(kind_of(e), of));
  if (it == again_.end() || it->second.successes < kEnough) it = again_.find(mix(service_of(e), of));
  return it == again_.end() ? nullptr : &it->second;
}
bool Hindsight::knows(const Exchange& e) const {
  auto* again = again_of(e, true);
  return again && again->successes >= kEnough;
}

double Hindsight::odds(const Exchange& e, Nanos gap, bool same_content) const {
  auto* known = again_of(e, same_content);
  if (!known) return 0;
  auto& again = *known;
  // Once by gaps of about this length; and by those that are the same but for what a machine adds, of which a fixed
  // delay has many, and nothing else.
  constexpr double kUsual = 0.3, kTold = 2;  // of a ladder's gaps so many are alike: as good as two that were seen
  auto about = again.odds({gap < kAtOnce ? 0 : gap * 2 / 3, std::max(gap * 3 / 2, 2 * kAtOnce)}, kUsual, kTold, 1);
  auto same = again.odds({gap - gap / 64 - kMillisecond, gap + gap / 64 + kMillisecond}, 0, kTold, 1.0 / 8);
  return std::max(about, same);
}

double Hindsight::Again::odds(Window window, double usual, double told, double width) const {
  // What comes at any time comes within a window of gaps as often as the window is long; that and what was seen there
  // are weighed against each other.
  constexpr double kByRate = 10;
  // What is not seen may be there, of a client that does several things at once above all.
  bool guess = successes < kEnough, one_by_one = 4 * interrupted <= failures;
  auto unseen = guess && !one_by_one ? 0.03 * width : 0.005;
  auto within = [&](auto& gaps) {
    return static_cast<double>(std::ranges::upper_bound(gaps, window.to) - std::ranges::lower_bound(gaps, window.from));
  };
  auto rate = exposure > 0 ? static_cast<double>(after_success.size()) / exposure : 0;
  auto by_rate = std::min(1.0, rate * static_cast<double>(window.to - window.from) / 1e9) + unseen;
  auto anyway = (within(after_success) + kByRate * by_rate) / (static_cast<double>(successes) + kByRate);
  auto after =
      (std::max(within(after_failure) - 1, 0.0) + told * (usual + anyway)) / (static_cast<double>(failures) + told);
  if (guess && one_by_one) after = std::max(after, usual * 2 / 3);  // no two gaps of a long ladder need be alike
  return std::max(after - anyway, 0.0) / anyway;
}

bool Hindsight::ends_with_success(const Exchange& e) const {
  auto it = again_.find(mix(kind_of(e), Key{0}));
  return it == again_.end() || (it->second.after_success.empty() && !it->second.concurrent);
}

bool Hindsight::few(const Exchange& e) const {
  auto it = again_.find(mix(kind_of(e), Key{1}));
  return it == again_.end() || it->second.successes + it->second.failures <= kEnough;
}

bool Hindsight::once(const Exchange& e) const {
  auto it = times_.find(content_at(e));
  return it != times_.end() && it->second == 1;
}

bool Hindsight::comes_again(const Exchange& e, Nanos after) const { return known(e).named_until > after; }

void Hindsight::read_services(const std::vector<const Exchange*>& by_time) {
  std::unordered_map<Key, const Exchange*> last;
  for (auto* e : by_time) {
    auto key = anywhere_key(*e);
    if (!key) continue;
    auto*& before = last[key];
    bool failed = before && before->told && before->told <= e->begun && told_failed(*before);
    if (!failed) asked_[key].insert(e->service);
    // It keeps to one address; at once its transport does, whatever the client does then.
    if (failed && before->service == e->service && e->begun - before->told > kAtOnce) asked_[key].insert("the same");
    before = e;
  }
}

bool Hindsight::names_more(const Exchange& e, Key header) const { return sessions_.contains(mix(user_key(e), header)); }

bool Hindsight::many_services(const Exchange& e) const {
  auto it = asked_.find(anywhere_key(e));
  return it != asked_.end() && it->second.size() > 1;
}

}  // namespace retrial::trace
