#include "trace/comparing/retry_layers.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>

#include "trace/calls/correlator_keys.h"
#include "trace/profiles/profile.h"

namespace retrial::trace {
namespace {

constexpr Nanos kAtOnce = 10 * kMillisecond;
constexpr Nanos kWaited = 50 * kMillisecond;
constexpr std::size_t kLongestLayer = 32;  // attempts
constexpr std::size_t kInRounds = 8;       // attempts, of which fewer fall into rounds by chance
constexpr std::size_t kRounds = 3;
constexpr std::size_t kGrowing = 4;  // attempts of a round whose gaps grow: two that do are chance
constexpr double kGrows = 1.25;      // of such a gap to the one before
constexpr double kBetween = 1.9;     // the least gap between rounds to the longest within: twice, as measured

Nanos gap_before(const Call& call, std::size_t attempt) {
  return call.attempts[attempt]->begun - call.attempts[attempt - 1]->told;
}
// The connection broke, and the client had heard nothing.
bool broke(const Exchange& e) {
  return e.told && e.client_status == 0 && (e.ending == Ending::reset || e.ending == Ending::closed);
}
bool at_once(const Call& call, std::size_t attempt) {
  auto gap = gap_before(call, attempt);
  return broke(*call.attempts[attempt - 1]) && gap >= 0 && gap <= kAtOnce;
}

// Every attempt of the client's own is sent twice.
bool in_pairs(const Call& call) {
  if (call.attempts.size() < 4) return false;
  for (std::size_t i = 1; i < call.attempts.size(); i++) {
    if (i % 2 ? !at_once(call, i) : gap_before(call, i) < kWaited) return false;
  }
  return true;
}

// What is read of a whole call once.
struct Facts {
  bool counts = false;       // it counts its attempts
  bool entered = false;      // one call id is that of several attempts in a row
  bool pairs = false;        // in_pairs
  std::vector<Ids> ids;      // by attempt
  std::set<Key> kept;        // headers whose value was the same twice in a row
  std::vector<bool> resent;  // by attempt: resent_by_transport
};

bool resent(const Call& call, std::size_t attempt, const Facts& facts) {
  if (attempt == 0 || facts.resent[attempt - 1] || !at_once(call, attempt)) return false;
  auto &before = *call.attempts[attempt - 1], &now = *call.attempts[attempt];
  if (auto count = count_of(now)) return count == count_of(before);
  if (!before.fresh && now.fresh && before.connection != now.connection) return true;
  return attempt % 2 == 1 && facts.pairs;
}

Facts facts_of(const Call& call) {
  Facts facts;
  facts.pairs = in_pairs(call);
  IdReader reader;
  for (std::size_t i = 0; i < call.attempts.size(); i++) {
    auto& e = *call.attempts[i];
    facts.counts = facts.counts || count_of(e) > 1 || previous_of(e) > 0;
    facts.ids.push_back(reader.read(e));
    facts.resent.push_back(resent(call, i, facts));
    if (i == 0) continue;
    auto& id = e.tag.call_id;
    facts.entered = facts.entered || (!id.empty() && id == call.attempts[i - 1]->tag.call_id);
    auto &one = facts.ids[i - 1], &other = facts.ids[i];
    for (std::size_t k = 0; k < std::min(one.count, other.count); k++)
      if (one.header[k] == other.header[k] && one.value[k] == other.value[k]) facts.kept.insert(one.header[k]);
  }
  return facts;
}

// What the requests say of the layers: true, a new one began; nothing where they do not say.
std::optional<bool> told(const Call& call, std::size_t attempt, const Facts& facts) {
  auto &before = *call.attempts[attempt - 1], &now = *call.attempts[attempt];
  if (facts.entered && !before.tag.call_id.empty() && !now.tag.call_id.empty())
    return before.tag.call_id != now.tag.call_id;
  if (facts.counts) {
    auto from = std::max(count_of(before), 1) + previous_of(before), to = std::max(count_of(now), 1) + previous_of(now);
    if (to != from) return to < from;
  }
  auto &ids = facts.ids[attempt - 1], &next = facts.ids[attempt];
  for (std::size_t i = 0; i < ids.count; i++)
    for (std::size_t k = 0; k < next.count; k++)
      if (ids.header[i] == next.header[k] && facts.kept.contains(ids.header[i])) return ids.value[i] != next.value[k];
  return {};
}

bool near(Nanos a, Nanos b) {
  auto slack = std::max({20 * kMillisecond, a / 4, b / 4});
  return std::abs(a - b) <= slack;
}
bool far(Nanos a, Nanos b) { return std::max(a, b) >= 2 * std::min(a, b) && std::abs(a - b) > 20 * kMillisecond; }

// The least number of attempts after which the same gaps come again; 0: there is none.
std::size_t period_of(const std::vector<Nanos>& gaps) {
  for (std::size_t period = 2; period <= kLongestLayer && 2 * period <= gaps.size() + 1; period++) {
    bool fits = true;
    for (std::size_t i = 0; i < gaps.size() && fits; i++) {
      if (i >= period) fits = near(gaps[i], gaps[i - period]);
      if (i % period ==
          period - 1) {  // between two layers: unlike the last gap within the one, or the first of the next
        fits = fits && (far(gaps[i], gaps[i - 1]) || (i + 1 < gaps.size() && far(gaps[i], gaps[i + 1])));
        // A back-off that merely goes on is one layer.
        fits = fits && !(gaps[i] >= gaps[i - 1] && i + 1 < gaps.size() && gaps[i + 1] >= gaps[i]);
      }
    }
    if (fits) return period;
  }
  return 0;
}

// Do the gaps fall into rounds of `length` attempts?
bool in_rounds(const std::vector<Nanos>& gaps, std::size_t length) {
  Nanos within = 0, between = INT64_MAX;
  for (std::size_t i = 0; i < gaps.size(); i++) {
    if (i % length == length - 1)
      between = std::min(between, gaps[i]);
    else
      within = std::max(within, gaps[i]);
  }
  return between >= kWaited && static_cast<double>(between) >= kBetween * static_cast<double>(within);
}

// Does a back-off begin anew after each `length` attempts? Gaps that grow within a round, and a first one that is half
// of the last at most; whatever stands between.
bool begins_anew(const std::vector<Nanos>& gaps, std::size_t length) {
  if (length < kGrowing) return false;
  for (std::size_t i = 0; i < gaps.size(); i++) {
    auto k = i % length;
    if (k == length - 1) continue;
    if (k == 0 && gaps[i] < kAtOnce) return false;
    if (k == 0 && i > 0 && 2 * gaps[i] > gaps[i - 2]) return false;
    if (k > 0 && static_cast<double>(gaps[i]) < kGrows * static_cast<double>(gaps[i - 1])) return false;
  }
  return true;
}

}  // namespace

bool resent_by_transport(const Call& call, std::size_t attempt) {
  return attempt < call.attempts.size() && facts_of(call).resent[attempt];
}

std::vector<bool> resent_by_transport(const Call& call) { return facts_of(call).resent; }

std::vector<std::size_t> round_starts(const Call& call) {
  auto resent = resent_by_transport(call);
  std::vector<std::size_t> own;  // attempts that no transport made
  std::vector<Nanos> gaps;
  for (std::size_t i = 0; i < call.attempts.size(); i++) {
    if (resent[i]) continue;
    if (i > 0) gaps.push_back(gap_before(call, i));
    own.push_back(i);
  }
  std::vector<std::size_t> starts{0};
  if (own.size() < kInRounds) return starts;
  // Where rounds of several lengths fit, the shortest is that of the innermost loop.
  for (std::size_t length = 2; length <= kLongestLayer && (kRounds - 1) * length < own.size(); length++) {
    if (!in_rounds(gaps, length) && !begins_anew(gaps, length)) continue;
    for (std::size_t i = length; i < own.size(); i += length) starts.push_back(own[i]);
    break;
  }
  return starts;
}

std::vector<std::size_t> layer_starts(const Call& call) {
  auto facts = facts_of(call);
  std::vector<std::size_t> starts{0};
  std::vector<std::size_t> own{0};  // attempts that no transport made
  std::vector<Nanos> gaps;
  bool any_told = false;
  for (std::size_t i = 1; i < call.attempts.size(); i++) {
    if (facts.resent[i]) continue;
    own.push_back(i);
    gaps.push_back(gap_before(call, i));
    auto says = told(call, i, facts);
    any_told |= says.has_value();
    if (says.value_or(false)) starts.push_back(i);
  }
  if (any_told) return starts;
  if (auto period = period_of(gaps))
    for (std::size_t i = period; i < own.size(); i += period) starts.push_back(own[i]);
  return starts;
}

}  // namespace retrial::trace
