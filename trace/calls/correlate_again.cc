#include <algorithm>
#include <map>
#include <set>

#include "trace/calls/activation.h"
#include "trace/calls/busy.h"
#include "trace/calls/content.h"
#include "trace/calls/correlator_state.h"
#include "trace/calls/json_order.h"
#include "trace/calls/order.h"
#include "trace/profiles/message.h"

namespace retrial::trace {
namespace {

constexpr double kSurely = 0.97, kPossibly = 0.87;  // what is called likely and possible
constexpr double kSure = 1000;                      // odds
constexpr int kCompared = 16;                       // calls that are weighed against each other

}  // namespace

std::optional<Assignment> Correlator::State::rest_of(const Head& head) {
  auto& e = head.e;
  bool only_there = e.tag.site || lessons.came_once_whatever_it_holds(e) != 0;
  if (!only_there || lessons.came(e)) return {};
  auto fits = [&](auto& w) {
    return goes_on(w, head) && hindsight->next(*w.last) == &e && left_of(*w.last, e) != Left::other &&
           !hindsight->comes_again(*w.last, e.begun) && turn(w, head, false) != Turns::Turn::another;
  };
  auto found = waiting.pick(By::place, place_key(e), e, fits, kCompared);
  if (!found.serial) return {};
  // What halves a batch, or locks and unlocks, sends something else there next.
  auto* last = &e;
  for (int i = 0; i < kCompared; i++) {
    auto* next = hindsight->next(*last);
    if (!next || lessons.came(*next)) break;
    if (next->request_digest != last->request_digest && left_of(*last, *next) == Left::other) return {};
    last = next;
  }
  auto& before = waiting.at(found.serial);
  bool known = lessons.came_once(*before.last) || used_up.contains(before.call);
  if (!known && !hindsight->ends_with_success(e)) return {};
  auto left = left_of(*before.last, e);
  bool unknowable = left == Left::emptied && content_key(*before.last) == 0;  // a large form
  bool likely = known || left == Left::nothing || unknowable;
  if (likely) used_up.insert(before.call);
  return join(found, likely ? Confidence::likely : Confidence::possible, head, false);
}

void Correlator::State::count(const std::vector<const Exchange*>& by_time) {
  if (lessons.often.empty()) return;
  std::unordered_map<Key, const Exchange*> last;
  for (auto* e : by_time) {
    auto key = lessons.came_often(*e).first;
    if (!key) continue;
    auto& here = sent[key];
    auto*& before = last[key];
    here.times++;
    here.after_failure += before && before->told && before->told <= e->begun && told_failed(*before);
    before = e;
  }
}

Correlator::State::ByCount Correlator::State::by_count(const Exchange& e) const {
  auto [key, usual] = lessons.came_often(e);
  auto here = key ? sent.find(key) : sent.end();
  if (here == sent.end() || hindsight->in_parallel(e) || lessons.at_poll(e)) return ByCount::unknown;
  auto [times, after_failure] = here->second;
  if (times <= usual) return broke_off ? ByCount::unknown : ByCount::another;
  return broke_off || after_failure <= times - usual ? ByCount::goes_on : ByCount::unknown;
}

// Of what is sent several times without faults each has a key of its own: where this client keeps one over attempts, or
// no more come than without faults. An outer layer that makes a new one looks the same.
bool Correlator::State::keyed_apart(const Exchange& before, const Head& head) {
  auto& e = head.e;
  if (!lessons.came(e) || lessons.came_once(e) || message::guarding_key(before) == message::guarding_key(e))
    return false;
  for (std::size_t i = 0; i < head.ids.count; i++)
    if (auto& known = habit(head.client, head.ids.header[i]); known.kept > 0 && known.trusted()) return true;
  auto [key, usual] = lessons.came_often(e);
  auto here = key ? sent.find(key) : sent.end();
  return here != sent.end() && here->second.times <= usual;
}

Assignment Correlator::State::in_hindsight(const Head& head, bool rpc) {
  auto& e = head.e;
  auto place = place_key(e), content = hindsight->key_of(e);
  struct Candidate {
    std::uint64_t serial = 0;
    double weight = 0;  // against 1 for a call of its own
  } best;
  double all = 0;
  int candidates = 0;
  bool apart = false, proven = false, parallel = hindsight->in_parallel(e);
  auto weigh = [&](std::uint64_t serial, const Waiting& w) {
    if (!goes_on(w, head) || hindsight->comes_again(*w.last, e.begun)) return;
    if (keyed_apart(*w.last, head)) {
      apart = true;
      return;
    }
    auto pause = pause_between(*w.last, e);
    bool hurries = !parallel && lessons.hurries(e, pause);
    auto stands = turn(w, head, content != 0 && w.content == content);
    if (stands == Turns::Turn::another && !hurries) return;
    auto odds = hindsight->odds(e, pause);
    if (stands == Turns::Turn::same_call || hurries || counted(w, head) || (rpc && w.refused))
      odds = kSure, proven = true;
    all += odds;
    candidates++;
    if (!best.serial || odds > best.weight) best = {serial, odds};
  };
  if (content) waiting.each(By::content, content, weigh, kCompared);
  if (!best.serial && !rpc)
    if (auto rest = rest_of(head)) return *rest;
  if (!best.serial)
    waiting.each(
        By::place, place,
        [&](auto serial, auto& w) {
          if (!content || !w.content) weigh(serial, w);  // nothing says that it differs
        },
        kCompared);
  if (best.serial) {
    auto sure = best.weight / (1 + all);
    bool poll = lessons.at_poll(e);
    // From a call site that has never sent on after a success the same again after a failure is a retry: a loop by hand
    // that runs once shows no more than that.
    bool said = !unsaid.contains(waiting.at(best.serial).call);
    bool by_site = e.tag.site && content && candidates == 1 && said && !doubted.contains(content) &&
                   hindsight->few(e) && hindsight->ends_with_success(e);
    bool once = candidates == 1 && said && lessons.came_once(e) != 0;
    auto& before = waiting.at(best.serial);
    auto counted_on = candidates == 1 && said && !names_functions(e.tag.stack) ? by_count(e) : ByCount::unknown;
    if (counted_on == ByCount::another && !proven) return own(Confidence::likely);
    bool more = counted_on == ByCount::goes_on;
    bool rest = candidates == 1 && used_up.contains(before.call) && hindsight->next(*before.last) == &e;
    bool likely = (sure >= kSurely && (proven || (!parallel && !poll))) ||
                  ((by_site || once || more || rest) && !parallel && !poll);
    bool possible = said && sure >= (parallel ? kSurely : kPossibly) && (hindsight->knows(e) || !(poll || parallel));
    if (!likely && content) doubted.insert(content);
    if (likely || possible) return join({best.serial}, likely ? Confidence::likely : Confidence::possible, head, false);
    std::vector<std::uint64_t> left;  // whoever does one thing after another has given them up
    if (!parallel && hindsight->knows(e))
      waiting.each(By::content, content, [&](auto serial, auto& w) {
        if (!hindsight->comes_again(*w.last, e.begun)) left.push_back(serial);
      });
    for (auto serial : left) waiting.take(serial);
  }
  if (best.serial || apart || doubted.contains(content)) {
    unsaid.insert(calls + 1);
    return own(Confidence::possible);
  }
  // A loop of a shell, a job that another worker takes up.
  if (auto once = lessons.came_once(e)) {
    auto of_another = [&](auto& w) { return w.pid != e.pid && goes_on(w, head); };
    if (auto found = waiting.pick(By::once, once, e, of_another, kCompared); found.serial && !found.several)
      return join(found, Confidence::likely, head, false);
  }
  auto same_length = [&](auto& w) { return w.length == find(e.request_headers, "content-length"); };
  if (auto once = lessons.came_once_whatever_it_holds(e)) {
    auto resent = [&](auto& w) {
      bool same = w.last->request_digest == e.request_digest && w.last->target == e.target;
      return w.pid != e.pid && (same || unsent_body(*w.last)) && same_length(w) && goes_on(w, head);
    };
    if (auto found = waiting.pick(By::once, once, e, resent, kCompared); found.serial && !found.several)
      return join(found, Confidence::likely, head, false);
  }
  auto other_body = [&](auto& w) {
    return goes_on(w, head) && same_length(w) && hindsight->once(*w.last) &&
           !hindsight->comes_again(*w.last, e.begun) && turn(w, head, false) != Turns::Turn::another;
  };
  if (e.tag.site && hindsight->once(e))
    if (auto found = waiting.pick(By::place, place, e, other_body, kCompared); found.serial) {
      // The same run of a function, which sends no second one without a failure: an id or a time in it is another. Not
      // of a write on condition, which is decided on what was read since.
      bool same_call = turn(waiting.at(found.serial), head, false) == Turns::Turn::same_call;
      bool on_condition = !find(e.request_headers, "if-match").empty();
      if (same_call && !on_condition && names_functions(e.tag.stack))
        return join(found, Confidence::likely, head, false);
      // Things of one kind, each with a name and a content of its own.
      if (message::guarding_key(*waiting.at(found.serial).last) != message::guarding_key(e))
        return own(Confidence::likely);
      auto odds = hindsight->odds(e, pause_between(*waiting.at(found.serial).last, e), false);
      if (odds < kPossibly / (1 - kPossibly) || !hindsight->ends_with_success(e)) return own(Confidence::likely);
      return join(found, Confidence::possible, head, false);
    }
  auto other_port = [&](auto& w) {
    return w.place != place && goes_on(w, head) && same_length(w) && !hindsight->comes_again(*w.last, e.begun) &&
           turn(w, head, false) != Turns::Turn::another;
  };
  if (auto found = waiting.pick(By::anywhere, anywhere_key(e), e, other_port, kCompared);
      found.serial && !hindsight->many_services(e)) {
    bool same_call = turn(waiting.at(found.serial), head, false) == Turns::Turn::same_call;
    return join(found, same_call ? Confidence::likely : Confidence::possible, head, false);
  }
  return own();
}

void Correlator::correlate_again(std::vector<Exchange>& exchanges, const Lessons& lessons, bool broke_off) {
  struct Event {
    Nanos at = 0;
    std::size_t exchange = 0;  // of by_time
    bool ends = false;
    auto operator<=>(const Event&) const = default;
  };
  std::ranges::for_each(exchanges, digest_in_order);
  std::vector<Event> events;
  std::vector<const Exchange*> by_time;
  for (auto& e : exchanges)
    if (e.call || !e.operation.empty()) by_time.push_back(&e);
  std::ranges::sort(by_time, [](auto* a, auto* b) { return earlier(*a, *b); });
  for (std::size_t i = 0; i < by_time.size(); i++) {
    auto& e = *by_time[i];
    events.push_back({e.begun, i, false});
    if (e.ending != Ending::open) events.push_back({std::max(e.told, e.begun), i, true});
  }
  std::ranges::sort(events);
  Hindsight hindsight(exchanges, by_time);
  Correlator again(lessons);
  again.state_->hindsight = &hindsight;
  again.state_->broke_off = broke_off;
  again.state_->count(by_time);
  for (auto& event : events) {
    auto& e = exchanges[static_cast<std::size_t>(by_time[event.exchange] - exchanges.data())];
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

void Correlator::correlate_each_test(Run& run, const Lessons& lessons) {
  auto& exchanges = run.exchanges;
  std::set<std::string> failed;
  for (auto& result : run.results)
    if (result.phase == Phase::test && result.outcome != "passed") failed.insert(result.test);
  std::map<std::string, std::vector<Exchange>> by_test;
  for (auto& e : exchanges) by_test[e.tag.test].push_back(std::move(e));
  exchanges.clear();
  std::uint64_t calls = 0;
  for (auto& [test, own] : by_test) {
    correlate_again(own, lessons, failed.contains(test));
    auto before = calls;
    for (auto& e : own) {
      if (e.call) calls = std::max(calls, e.call += before);
      exchanges.push_back(std::move(e));
    }
  }
  std::ranges::sort(exchanges, {}, &Exchange::id);
}

}  // namespace retrial::trace
