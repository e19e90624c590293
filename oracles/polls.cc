#include "oracles/polls.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "oracles/time_of_fault.h"
#include "trace/calls/lessons.h"

namespace retrial::oracles {
namespace {

constexpr auto kMayBePoll =
    "this request is sent again after a success, as a poll does: what follows the fault may be a retry or the next "
    "look";

constexpr auto kMayGoOn =
    "the same request came again after the failure, and nothing says whether that was a retry or another call";

using Place = std::pair<std::string, std::string>;  // call site and operation
std::string shown(const std::optional<trace::CallSite>& site) { return site ? trace::key_of(*site) : std::string(); }
Place place_of(const trace::Exchange& e) { return {shown(e.tag.site), e.operation}; }
Place place_of(const trace::Call& call) { return {call.site, call.operation}; }

// What runs teach of polls, each read once.
class Polls {
 public:
  bool at_poll(const trace::Comparison& c, const trace::Exchange& e) {
    auto& teaches = has_reference(c) ? *c.reference : *c.in_case;
    if (&teaches == c.in_case && e.pid == 0) return false;  // several clients' traffic, one behind the other
    auto [it, fresh] = lessons_.try_emplace(&teaches);
    if (fresh) it->second = trace::lessons_of(teaches);
    return it->second.at_poll(e);
  }
  static bool has_reference(const trace::Comparison& c) { return !c.reference->exchanges.empty(); }

 private:
  std::map<const trace::Run*, trace::Lessons> lessons_;
};

// More was sent here than without the fault; where nothing lies beside it, something follows it.
bool more_was_sent(const trace::Comparison& c, const trace::Call& call) {
  auto here = [&](const trace::Exchange& e) { return place_of(e) == place_of(call); };
  if (Polls::has_reference(c))
    return std::ranges::count_if(c.in_case->exchanges, here) > std::ranges::count_if(c.reference->exchanges, here);
  auto& faulted = call.last();
  return faulted.told && std::ranges::any_of(c.in_case->exchanges, [&](auto& e) {
           return e.pid == faulted.pid && e.begun >= faulted.told && here(e);
         });
}

// A place at which it cannot be said what came of the fault: the first call that met it, and why.
struct Open {
  const trace::Call* call = nullptr;
  const char* why = nullptr;
};

std::map<Place, Open> open_places(const ComparedCase& compared, Polls& polls) {
  std::map<Place, Open> open;
  std::set<Place> told_apart, ended;  // an attempt is known for one; the end of a call is known
  for (auto* c : compared.comparisons)
    for (auto* call : c->faulted) {
      if (of_death(*c)) return {};  // the dead retries nothing
      if (call->attempts.size() > 1) told_apart.insert(place_of(*call));
      if (!call->unsaid) ended.insert(place_of(*call));
    }
  for (auto* c : compared.comparisons) {
    std::set<Place> looked_at;  // of many calls at one place the first says enough
    for (auto* call : c->faulted) {
      auto place = place_of(*call);
      if (!looked_at.insert(place).second) continue;
      if (!told_apart.contains(place) && polls.at_poll(*c, call->first()) && more_was_sent(*c, *call))
        open.emplace(place, Open{call, kMayBePoll});
      else if (!ended.contains(place) && more_was_sent(*c, *call))
        open.emplace(place, Open{call, kMayGoOn});
    }
  }
  return open;
}

bool stands_at(const trace::Finding& f, const ComparedCase& compared, const Place& place) {
  return Place(shown(f.site), f.operation) == place &&
         std::ranges::any_of(compared.comparisons, [&](auto* c) { return c->in_case->id == f.run; });
}

}  // namespace

void drop_open(Cases cases, Judgement& judgement) {
  Polls polls;
  for (auto& compared : cases)
    for (auto& [place, left] : open_places(compared, polls))
      std::erase_if(judgement.findings, [&](auto& f) { return stands_at(f, compared, place); });
}

void leave_open(Cases cases, Judgement& judgement) {
  Polls polls;
  std::set<std::tuple<Place, std::string, std::string>> said;
  for (auto& compared : cases)
    for (auto& [place, left] : open_places(compared, polls)) {
      auto here = [&](auto& f) { return Place(shown(f.site), f.operation) == place; };
      if (std::ranges::any_of(judgement.findings, here)) continue;
      std::erase_if(judgement.notes, [&](auto& f) { return stands_at(f, compared, place); });
      if (said.emplace(place, compared.row->plan, compared.row->test).second)
        judgement.not_judged.push_back(not_judged(compared, *left.call, left.why));
    }
}

}  // namespace retrial::oracles
