#include "trace/calls/correlator.h"

#include <utility>

#include "trace/calls/content.h"
#include "trace/calls/correlator_state.h"
#include "trace/profiles/profile.h"

namespace retrial::trace {
namespace {

constexpr std::size_t kMostHabits = 1 << 16;  // a user agent may be another each time
constexpr std::size_t kMostPlaces = 1 << 16;

}  // namespace

Correlator::Correlator() : Correlator(Lessons{}) {}
Correlator::Correlator(Lessons lessons) : state_(std::make_unique<State>()) { state_->lessons = std::move(lessons); }
Correlator::Correlator(std::set<std::string, std::less<>> separate) : Correlator(Lessons{}) {
  state_->separate = std::move(separate);
}
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
  if (!redirected.empty())
    if (auto leg = follow(e)) return *leg;
  Head head{.e = e, .ids = id_reader.read(e)};
  if (head.ids.count || !waiting.empty()) head.client = client_key(e);
  if (habits.size() > kMostHabits) habits.clear();
  for (std::size_t i = 0; i < head.ids.count; i++) {
    auto& known = habit(head.client, head.ids.header[i]);
    if (known.last == head.ids.value[i] && !waiting.knows(By::id, id_key(e.pid, head.ids.value[i]))) known.reused++;
    known.last = head.ids.value[i];
  }
  if (waiting.empty() && !previous) return own();
  head.operation = mix(5, e.operation);
  head.count = count_of(e);
  head.part = part_of(e);
  if (auto assigned = proven(head, rpc, previous)) return *assigned;
  if (auto assigned = in_course(head)) return *assigned;
  return hindsight ? in_hindsight(head, rpc != 0) : by_place(head, rpc != 0);
}

std::optional<Assignment> Correlator::State::proven(const Head& head, Key rpc, int previous) {
  auto& e = head.e;
  if (auto key = call_id_key(e)) {
    auto fits = [&](auto& w) { return same_part(w, head) && !met(w, e); };
    if (auto found = waiting.pick(By::call_id, key, e, fits); found.serial)
      return join(found, Confidence::certain, head, true);
  }
  for (std::size_t i = 0; i < head.ids.count; i++) {
    if (!habit(head.client, head.ids.header[i]).trusted()) continue;
    if (hindsight && hindsight->names_more(e, head.ids.header[i])) continue;
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

std::optional<Assignment> Correlator::State::in_course(const Head& head) {
  auto& e = head.e;
  if (e.tag.stack.empty() || lessons.at_poll(e)) return {};
  auto place = place_key(e), content = hindsight ? content_key(e) : 0;
  bool never_came = !lessons.sent.empty() && !lessons.came(e);
  auto fits = [&](auto& w) {
    if (!goes_on(w, head) || (w.place == place && !never_came)) return false;
    bool same = hindsight ? content == content_key(*w.last) : w.length == find(e.request_headers, "content-length");
    return same && turn(w, head, true) != Turns::Turn::another;
  };
  auto courses = courses_of(e);
  for (std::size_t i = 1; i < courses.size(); i++)
    if (auto found = waiting.pick(By::course, courses[i], e, fits); found.serial)
      return join(found, Confidence::likely, head, false);
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

Assignment Correlator::State::by_place(const Head& head, bool rpc) {
  auto& e = head.e;
  auto place = place_key(e);
  auto same_length = [&](auto& w) { return w.length == find(e.request_headers, "content-length"); };
  auto fits = [&](auto& w) {
    return goes_on(w, head) && same_length(w) && turn(w, head, true) != Turns::Turn::another;
  };
  if (auto found = waiting.pick(By::place, place, e, fits); found.serial) {
    auto& w = waiting.at(found.serial);
    if (counted(w, head)) return join(found, Confidence::likely, head, false);
    bool same_call = turn(w, head, true) == Turns::Turn::same_call;
    if (lessons.at_poll(e) && !same_call && !lessons.hurries(e, e.begun - w.told)) {
      auto next = own(Confidence::possible);
      if (looks.size() > kMostPlaces) looks.clear();
      next.look = ++looks.try_emplace(place, 1).first->second;
      return next;
    }
    bool likely = same_call || e.tag.site || (rpc && w.refused);
    return join(found, likely ? Confidence::likely : Confidence::possible, head, false);
  }
  auto elsewhere = separate.contains(e.service) ? 0 : anywhere_key(e);
  auto other = [&](auto& w) { return w.place != place && fits(w) && (w.elsewhere || counted(w, head)); };
  if (auto found = waiting.pick(By::anywhere, elsewhere, e, other); found.serial && !lessons.at_poll(e))
    return join(found, Confidence::possible, head, false);
  if (auto once = lessons.came_once_whatever_it_holds(e)) {
    if (auto found = waiting.pick(By::once, once, e, [&](auto& w) { return goes_on(w, head); }); found.serial)
      return join(found, Confidence::possible, head, false);
  }
  return own();
}

void Correlator::over(const Exchange& e) {
  if (e.call == 0) return;
  auto& s = *state_;
  if (e.fired && ends_sender(e.fault)) s.dead.insert(e.pid);
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
    if (auto looks = s.looks.find(s.looks.empty() ? 0 : place_key(e)); looks != s.looks.end()) looks->second = 0;
    if (s.any_challenge) s.successes.push_back({e.pid, mix(5, e.operation), e.begun, e.told});
    if (s.successes.size() > 64) s.successes.pop_front();
    if (auto to = e.client_status > 300 ? redirect_key(e) : 0) {
      State::Leg leg{.call = e.call,
                     .attempt = e.attempt,
                     .first_place = place_key(e),
                     .first_call_id = call_id_key(e),
                     .first_content = s.hindsight ? s.hindsight->key_of(e) : 0,
                     .method = e.method,
                     .call_id = e.tag.call_id};
      if (auto before = s.on_the_way.find(e.call); before != s.on_the_way.end()) {
        leg.first_place = before->second.first_place;
        leg.first_call_id = before->second.first_call_id;
        leg.first_content = before->second.first_content;
      }
      if (s.redirected.size() > WaitingCalls::kMost) s.redirected.clear();
      s.redirected[to].push_back(std::move(leg));
    }
  }
  if (!s.on_the_way.empty()) s.on_the_way.erase(e.call);
}

}  // namespace retrial::trace
