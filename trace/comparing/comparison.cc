#include "trace/comparing/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "trace/calls/correlator_keys.h"
#include "trace/calls/order.h"
#include "trace/profiles/profile.h"

namespace retrial::trace {

namespace {
bool succeeded(const Exchange& e) {
  if (e.service_status == 0 || e.client_status != e.service_status || (e.fired && !delivers(e.fault))) return false;
  // Who leaves a good answer half read, and asks no more, has what he asked for: `requests.get(url, stream=True).ok`.
  if (e.ending == Ending::client_left) return !e.fired && e.client_status < 400;
  return e.ending == Ending::answered && !told_failed(e);
}
}  // namespace

const Exchange* recovery(const Call& call) {
  for (auto at = call.attempts.rbegin(); at != call.attempts.rend(); ++at) {
    if (!succeeded(**at)) continue;
    bool last = std::all_of(call.attempts.rbegin(), at, [&](auto* later) { return later->begun < (*at)->told; });
    return last ? *at : nullptr;
  }
  return nullptr;
}
bool recovered(const Call& call) { return recovery(call) != nullptr; }

std::vector<Nanos> gaps(const Call& call) {
  std::vector<Nanos> out;
  for (std::size_t i = 1; i < call.attempts.size(); i++) {
    auto& before = *call.attempts[i - 1];
    if (before.told && told_failed(before)) out.push_back(call.attempts[i]->begun - before.told);
  }
  return out;
}

std::string done_to(const Call& call) {
  std::string out;
  auto& attempts = call.attempts;
  // By its spelling, which leaves out how long a spread made one delay or another.
  auto fault_of = [](const Exchange& e) { return show(e.fired ? e.fault : FaultSpec{}); };
  for (std::size_t at = 0; at < attempts.size();) {
    auto fault = fault_of(*attempts[at]);
    auto end = at;
    while (end < attempts.size() && fault_of(*attempts[end]) == fault) end++;
    if (!out.empty()) out += ", then ";
    out += fault;
    if (end < attempts.size()) out += fmt::format(" x {}", end - at);
    at = end;
  }
  return out;
}

namespace {
// Where a redirect was followed, two exchanges are one attempt.
void set_legs_apart(Call& call) {
  auto last = call.attempts.begin();
  for (auto at = last + 1; at != call.attempts.end(); ++at) {
    if ((*at)->attempt != (*last)->attempt || (*at)->attempt == 0) {
      *++last = *at;
    } else {
      if ((*at)->fired >= (*last)->fired) std::swap(*last, *at);
      call.legs.push_back(*at);
    }
  }
  call.attempts.erase(last + 1, call.attempts.end());
}
}  // namespace

std::vector<Call> calls_of(const Run& run) {
  std::vector<Call> calls;
  std::map<std::uint64_t, std::size_t> by_id;
  std::vector<const Exchange*> by_time;
  for (auto& e : run.exchanges) by_time.push_back(&e);
  std::ranges::sort(by_time, [](auto* a, auto* b) { return earlier(*a, *b); });
  std::unordered_map<Key, Nanos> unsaid;  // begin of the last at a place of which the correlator could not say it
  for (auto* exchange : by_time) {
    auto& e = *exchange;
    if (e.call && e.attempt == 1 && e.confidence == Confidence::possible) unsaid[place_key(e)] = e.begun;
    auto at = calls.size();
    if (e.call) at = by_id.try_emplace(e.call, at).first->second;
    if (at == calls.size()) calls.push_back({.id = e.call});
    auto& call = calls[at];
    call.attempts.push_back(&e);
    call.confidence = std::min(call.confidence, e.confidence);
  }
  std::map<std::pair<std::string, std::string>, int> occurrences;
  for (auto& call : calls) {
    std::ranges::stable_sort(call.attempts, {}, [](const Exchange* e) { return e->attempt; });
    auto& first = call.first();
    call.site = first.tag.site ? key_of(*first.tag.site) : "";
    call.operation = first.operation;
    set_legs_apart(call);
    auto& last = call.last();
    auto next = last.told && told_failed(last) ? unsaid.find(place_key(last)) : unsaid.end();
    call.unsaid = next != unsaid.end() && next->second >= last.told && next->second > last.begun;
    call.occurrence = ++occurrences[{call.site, call.operation}];
  }
  return calls;
}

namespace {

using Partners = std::map<const Call*, const Call*>;

// Pairs what is left on both sides and may be paired, key by key, each side in its own order.
template <class Key, class May>
void pair_by(const std::vector<Call>& reference, const std::vector<Call>& in_case, Partners& partner, Key key,
             May may) {
  std::map<decltype(key(reference[0])), std::vector<const Call*>> waiting;
  for (auto call = reference.rbegin(); call != reference.rend(); ++call)
    if (!partner.contains(&*call) && may(*call)) waiting[key(*call)].push_back(&*call);
  for (auto& call : in_case) {
    if (partner.contains(&call) || !may(call)) continue;
    auto it = waiting.find(key(call));
    if (it == waiting.end() || it->second.empty()) continue;
    partner[&call] = it->second.back();
    partner[it->second.back()] = &call;
    it->second.pop_back();
  }
}
bool any(const Call&) { return true; }

std::map<std::pair<std::string, std::string>, std::size_t> exchanges_at(const std::vector<Call>& calls) {
  std::map<std::pair<std::string, std::string>, std::size_t> count;
  for (auto& call : calls) count[{call.site, call.operation}] += call.attempts.size();
  return count;
}

// A loop over items that goes on after one has failed looks like a retry with another body. Where a call site has sent
// no more than it does without the fault, nothing was sent again: such attempts (`possible`) are calls of their own.
void part_loops(const std::vector<Call>& reference, std::vector<Call>& in_case) {
  auto usual = exchanges_at(reference), now = exchanges_at(in_case);
  std::map<std::pair<std::string, std::string>, int> occurrences;
  std::vector<Call> parted;
  for (auto& call : in_case) {
    std::pair place(call.site, call.operation);
    bool loop = !call.site.empty() && call.confidence == Confidence::possible && now[place] <= usual[place];
    for (std::size_t i = 0; i < (loop ? call.attempts.size() : 1); i++) {
      parted.push_back(call);
      if (loop) {
        parted.back().attempts = {call.attempts[i]};
        parted.back().confidence = Confidence::certain;
      }
      parted.back().occurrence = ++occurrences[place];
    }
  }
  in_case = std::move(parted);
}

using SiteAndOperation = std::pair<std::string, std::string>;
// Where both ask for the same things, each for several: in parallel they come in another order each time.
std::set<SiteAndOperation> same_targets(const std::vector<Call>& reference, const std::vector<Call>& in_case) {
  std::map<SiteAndOperation, std::set<std::string_view>> usual, now;
  for (auto& call : reference) usual[{call.site, call.operation}].insert(call.first().target);
  for (auto& call : in_case) now[{call.site, call.operation}].insert(call.first().target);
  std::set<SiteAndOperation> same;
  for (auto& [place, targets] : usual)
    if (targets.size() > 1 && now.contains(place) && now[place] == targets) same.insert(place);
  return same;
}

std::set<SiteAndOperation> places_of(const std::vector<Call>& calls) {
  std::set<SiteAndOperation> out;
  for (auto& call : calls) out.emplace(call.site, call.operation);
  return out;
}

}  // namespace

int faulted_attempts(const Comparison& comparison) {
  int all = 0;
  for (auto* call : comparison.faulted) {
    if (call->unsaid) return 0;
    all += static_cast<int>(call->attempts.size());
  }
  return all;
}

Comparison compare(const Run& reference, const Run& in_case) {
  Comparison c;
  c.reference = &reference;
  c.in_case = &in_case;
  c.reference_calls = calls_of(reference);
  c.case_calls = calls_of(in_case);
  part_loops(c.reference_calls, c.case_calls);
  Partners partner;
  auto &reference_calls = c.reference_calls, &case_calls = c.case_calls;
  auto shuffled = same_targets(reference_calls, case_calls);
  pair_by(
      reference_calls, case_calls, partner,
      [](const Call& k) { return std::tuple(k.site, k.operation, k.first().target); },
      [&](const Call& k) { return shuffled.contains({k.site, k.operation}); });
  pair_by(
      reference_calls, case_calls, partner, [](const Call& k) { return std::tuple(k.site, k.operation, k.occurrence); },
      [&](const Call& k) { return !shuffled.contains({k.site, k.operation}); });

  // A random name that looks like a word makes two operations of one: each is missing on the other side, the site is
  // not.
  auto known = places_of(reference_calls), known_in_case = places_of(case_calls);
  auto one_sided = [&](const Call& k) {
    SiteAndOperation place(k.site, k.operation);
    if (k.first().grpc.is) return false;  // a gRPC method's name is never data
    return !k.site.empty() && known.contains(place) != known_in_case.contains(place);
  };
  pair_by(
      reference_calls, case_calls, partner, [](const Call& k) { return std::pair(k.site, k.first().method); },
      one_sided);

  // What is done after a failure stands on another line of the function that does it: "PUT /a" with a default.
  auto by_function = [](const Call& k) {
    auto& site = k.first().tag.site;
    return std::tuple(site->file, site->function, k.operation, k.first().target);
  };
  pair_by(reference_calls, case_calls, partner, by_function, [](const Call& k) {
    auto& site = k.first().tag.site;
    return site && !site->function.empty() && !k.first().grpc.is;
  });

  // An agent that was loaded in one of the runs only.
  auto sited = [](const std::vector<Call>& calls) {
    return std::ranges::any_of(calls, [](auto& k) { return !k.site.empty(); });
  };
  if (sited(reference_calls) != sited(case_calls))
    pair_by(reference_calls, case_calls, partner, [](const Call& k) { return k.operation; }, any);

  for (auto& call : c.case_calls) {
    auto it = partner.find(&call);
    c.pairs.push_back({it == partner.end() ? nullptr : it->second, &call});
    if (std::ranges::any_of(call.attempts, [](auto* e) { return e->fired; })) c.faulted.push_back(&call);
  }
  for (auto& call : c.reference_calls)
    if (!partner.contains(&call)) c.pairs.push_back({&call, nullptr});
  return c;
}

}  // namespace retrial::trace
