#include "oracles/other_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/characters.h"
#include "base/text.h"
#include "oracles/evidence.h"
#include "oracles/exchange_members.h"
#include "oracles/members.h"
#include "trace/profiles/message.h"

namespace retrial::oracles {
namespace {

// What is counted of attempts is more under every fault, and a list of requests or of versions is longer; one token
// more takes nothing from anybody.
constexpr std::array<std::string_view, 31> kOfAttempts = {
    "attempt", "request",  "retry",  "retries", "try",   "tries",  "call",     "hit",    "log",      "access",  "error",
    "failure", "fail",     "failed", "write",   "put",   "update", "received", "seen",   "served",   "history", "audit",
    "version", "revision", "token",  "session", "login", "event",  "events",   "metric", "telemetry"};

// What a look at a thing counts up itself.
constexpr std::array<std::string_view, 6> kOfLooks = {"poll", "polls", "read", "reads", "hits", "lookups"};

// A list of what was asked: its entries have a method, and a path or a status.
bool of_requests(const std::vector<Member>& members, const std::string& list) {
  auto names = [&](auto known) {
    return std::ranges::any_of(members,
                               [&](auto& m) { return without_places(m).starts_with(list) && m.name == known; });
  };
  return has_word(list, kOfAttempts) || (names("method") && (names("path") || names("url") || names("status")));
}

// "POST /orders": it tells what was asked for.
bool tells_requests(std::string_view answer) {
  return std::ranges::any_of(
      std::array<std::string_view, 6>{"GET /", "POST /", "PUT /", "PATCH /", "DELETE /", "HEAD /"},
      [&](auto line) { return answer.contains(line); });
}

// One of its answers as it is compared.
struct State {
  std::vector<Member> members;
  std::map<std::string, std::size_t> lengths;
  std::map<std::string, std::multiset<std::string>> values;  // by where they stand, but for their place in a list

  explicit State(const trace::Exchange& look)
      : members(members_of(look.response_sample)), lengths(sizes_of_collections(members)) {
    for (auto& m : members) values[without_places(m)].insert(m.value);
  }
  // Members of the object that it stands in.
  std::size_t beside(const Member& member) const {
    auto in = [](const Member& m) { return std::string_view(m.path).substr(0, m.path.rfind('/')); };
    return static_cast<std::size_t>(std::ranges::count_if(members, [&](auto& m) { return in(m) == in(member); }));
  }
  // Of a list; of an object whose keys are data in one answer alone what it has here.
  std::size_t length(const std::string& list) const {
    auto it = lengths.find(list);
    if (it != lengths.end()) return it->second;
    auto parent = std::string_view(list).substr(0, list.rfind('*'));
    std::set<std::string_view> entries;
    for (auto& m : members)
      if (m.path.starts_with(parent))
        entries.insert(std::string_view(m.path).substr(0, m.path.find('/', parent.size())));
    return entries.size();
  }
  const std::multiset<std::string>& at(const std::string& place) const {
    static const std::multiset<std::string> kNone;
    auto it = values.find(place);
    return it == values.end() ? kNone : it->second;
  }
};

// "items" of "/items/*".
std::string_view name_of(std::string_view list) {
  std::string_view name;
  for (auto part : split(list, '/'))
    if (!part.empty() && part != "*") name = part;
  return name;
}

std::optional<OtherState> other_list(const State& was, const State& is, const State* control) {
  auto lists = was.lengths;
  if (control) lists.insert(is.lengths.begin(), is.lengths.end());
  for (auto& [list, unused] : lists) {
    auto before = was.length(list), now = is.length(list);
    if (before == now || (control && control->length(list) != before)) continue;
    bool sure = control && !of_requests(is.members, list) && !of_requests(was.members, list);
    auto text = fmt::format("a list of {}, and of {} without the fault", now, before);
    if (auto name = name_of(list); !name.empty()) text += fmt::format(" ({})", name);
    return OtherState{std::move(text), now > before, sure};
  }
  return {};
}

// The first value that only one of the two has.
std::string only_in(const std::multiset<std::string>& values, const std::multiset<std::string>& other) {
  auto it = std::ranges::find_if(values, [&](auto& value) { return values.count(value) > other.count(value); });
  return it == values.end() ? "" : *it;
}

// A number that is the same in both runs without the fault.
std::optional<OtherState> other_number(const State& was, const State& is, const State& control) {
  for (auto& m : was.members) {
    auto place = without_places(m);
    if (!may_count(m) || has_word(m.name, kOfLooks) || control.at(place) != was.at(place) ||
        is.at(place) == was.at(place))
      continue;
    auto now = only_in(is.at(place), was.at(place)), before = only_in(was.at(place), is.at(place));
    auto one = number_of(now), other = number_of(before);
    if (!one || !other || nearly(*one, *other)) continue;
    return OtherState{fmt::format("\"{}\" {}, and {} without the fault", m.name, now, before), *one > *other,
                      !has_word(m.path, kOfAttempts)};
  }
  return {};
}

// Where something stands in an object that has more in it here, or less, than in both runs without the fault.
std::optional<OtherState> other_member(const State& was, const State& is, const State& control) {
  auto only = [&](const State& one, const State& other) -> const Member* {
    for (auto& m : one.members)
      if (!m.listed && other.at(without_places(m)).empty() && one.beside(m) > other.beside(m)) return &m;
    return nullptr;
  };
  auto *more = only(is, was), *less = only(was, is);
  auto* other = more ? more : less;
  if (!other || control.beside(*other) != was.beside(*other)) return {};
  return OtherState{more ? fmt::format("\"{}\" {}, and nothing without the fault", more->name, more->value)
                         : fmt::format("no \"{}\", which is {} without the fault", less->name, less->value),
                    more != nullptr, !has_word(other->path, kOfAttempts)};
}

std::size_t lines_of(const trace::Exchange& e) {
  auto text = trim(e.response_sample);
  return text.empty() ? 0 : static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
}

// Lines of a text: of records, of a ledger, each of which may be JSON; and no one document.
bool has_lines(const trace::Exchange& e) {
  auto text = trim(e.response_sample);
  if (!kept_whole(e) || text.starts_with('<') || text.contains('\0')) return false;
  auto all = split(text, '\n');
  return !text.starts_with('{') || std::ranges::all_of(all, [](auto line) { return is_json(line); });
}

}  // namespace

std::optional<OtherState> other_state(const trace::Exchange& was, const trace::Exchange& is,
                                      const trace::Exchange* control) {
  if (is_json(was.response_sample) && is_json(is.response_sample)) {
    State usual(was), now(is);
    std::optional<State> again;
    if (control) again.emplace(*control);
    auto other = other_list(usual, now, again ? &*again : nullptr);
    if (!other && again) other = other_number(usual, now, *again);
    if (!other && again) other = other_member(usual, now, *again);
    if (other && tells_requests(is.response_sample)) other->sure = false;
    return other;
  }
  if (!has_lines(was) || !has_lines(is) || (control && !has_lines(*control))) return {};
  auto before = lines_of(was), now = lines_of(is);
  if (before == now || (control && lines_of(*control) != before)) return {};
  return OtherState{fmt::format("{}, and {} without the fault", counted(now, "line"), before), now > before,
                    control && !tells_requests(is.response_sample)};
}

bool looks_hold_as_much(const trace::Comparison& c, const trace::Call& call) {
  constexpr std::size_t kTelling = 4;  // characters of a value that is no other's by chance
  auto path = trace::message::path_of(call.first().target);
  auto words = words_of_name(path);
  std::erase_if(words, [&](auto& word) { return word.size() < kTelling; });
  std::set<std::string> sent;
  for (auto& m : members_sent(call.first())) sent.insert(m.value);
  for (auto part : trace::message::segments(path))
    if (std::ranges::any_of(part, is_digit)) sent.insert(percent_decode(part));
  std::erase_if(sent, [&](auto& value) { return value.size() < kTelling; });
  // By its path; or what it holds is all that there is, by its kinds: {"holds": {...}, "accounts": ...}.
  auto speaks_of_it = [&](const trace::Exchange& look) {
    auto held = members_of(look.response_sample);
    return std::ranges::any_of(words, [&](auto& word) {
      return icontains(look.target, word) ||
             std::ranges::any_of(held, [&](auto& m) { return icontains(m.path.substr(0, m.path.find('/', 1)), word); });
    });
  };
  bool any = false;
  for (auto& is : c.in_case->exchanges) {
    auto* was = is_look(is) && same_look(*c.in_case, is) ? same_look(*c.reference, is) : nullptr;
    if (!was || !speaks_of_it(is) || !is_json(was->response_sample) || !is_json(is.response_sample)) continue;
    if (std::ranges::none_of(sent, [&](auto& value) { return is.response_sample.contains(value); })) continue;
    State usual(*was), now(is);
    if (usual.lengths != now.lengths || other_number(usual, now, usual) || other_member(usual, now, usual))
      return false;
    any = true;
  }
  return any;
}

const trace::Exchange* same_look(const trace::Run& run, const trace::Exchange& look) {
  auto it = std::ranges::find_if(run.exchanges, [&](auto& e) {
    return is_look(e) && e.target == look.target && e.host == look.host && delivered(e) && is_success(e.client_status);
  });
  return it == run.exchanges.end() ? nullptr : &*it;
}

}  // namespace retrial::oracles
