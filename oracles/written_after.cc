#include "oracles/written_after.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>

#include "base/characters.h"
#include "base/text.h"
#include "oracles/evidence.h"
#include "oracles/exchange_members.h"
#include "oracles/guards.h"
#include "oracles/ledger.h"
#include "oracles/looked_up.h"
#include "oracles/made_of.h"
#include "oracles/members.h"
#include "oracles/pages.h"
#include "oracles/part_written.h"
#include "oracles/rpc_name.h"
#include "oracles/taken_for_data.h"
#include "trace/calls/operation.h"
#include "trace/profiles/message.h"
#include "trace/profiles/profile.h"

namespace retrial::oracles {
namespace {

using trace::Call;
using trace::Comparison;
using trace::Exchange;

bool is_zero(const std::string& value) { return value.find_first_not_of("0.") == value.npos && !value.empty(); }

// The lists of a body, by where they stand, each with the values that are in it.
std::map<std::string_view, std::set<std::string_view>> lists_in(const std::vector<Member>& members) {
  std::map<std::string_view, std::set<std::string_view>> lists;
  for (auto& m : members)
    if (m.listed) lists[list_path(m.path)].insert(m.value);
  return lists;
}

// What a body no longer holds: members that are gone or 0, and entries of lists. A list that became empty counts as two
// of its entries at most (what goes with other data may be left out); of one that holds nothing new all that it lacks.
struct Lacking {
  std::set<std::string_view> gone, left;
};
Lacking lacking(std::string_view body, const std::vector<Member>& was, const std::vector<Member>& is) {
  constexpr std::size_t kOfList = 2;
  Lacking found;
  if (!is_json(body)) return found;
  auto before = lists_in(was), now = lists_in(is);
  std::map<std::string_view, std::set<std::string_view>> emptied;
  std::set<std::string_view> kept;
  for (auto& m : is)
    if (!m.listed && !is_zero(m.value)) kept.insert(m.path);
  for (auto& m : was) {
    if (is_zero(m.value)) continue;
    if (!m.listed) {
      (kept.contains(m.path) ? found.left : found.gone).insert(m.path);
      continue;
    }
    auto list = list_path(m.path);
    auto here = now.find(list);
    if (here == now.end()) {
      auto& entries = emptied[list];
      entries.insert(entry_path(m.path));
      if (entries.size() <= kOfList) found.gone.insert(entry_path(m.path));
    } else if (!std::ranges::includes(before[list], here->second)) {
      found.left.insert(list);  // others, or the same in other words
    } else {
      (here->second.contains(m.value) ? found.left : found.gone).insert(m.path);
    }
  }
  return found;
}

// f(write, as it is in the reference, as it is here) of each that both make after this call.
template <class F>
void each_write_after(const Comparison& c, const Call& read, F f) {
  if (read.last().told == 0) return;
  for (auto& pair : c.pairs) {
    if (!pair.reference || !pair.in_case || pair.in_case->first().begun < read.last().told) continue;
    auto &before = pair.reference->last(), &now = pair.in_case->last();
    if (!trace::carried_out(before) || !trace::carried_out(now) || trace::message::safe_method(now.method)) continue;
    if (trace::profile_of(now).repeat(now) != trace::Repeat::safe) f(*pair.in_case, before, now);
  }
}

// A text in which that one stands, and here something else, or nothing: "tomato / bed 3", "? / bed 3", "bed 3".
bool stands_in_text(const Member& told, const Member& was, const Member& is) {
  constexpr std::size_t kPart = 3;
  auto at = was.value.find(told.value);
  if (was.kind != Member::Kind::text || told.value.size() < kPart || told.value == was.value || at == was.value.npos)
    return false;
  auto before = std::string_view(was.value).substr(0, at);
  auto behind = std::string_view(was.value).substr(at + told.value.size());
  std::string_view now = is.value;
  if (now.size() >= before.size() + behind.size() && now.starts_with(before) && now.ends_with(behind)) return true;
  return now.size() >= kPart && (behind.ends_with(now) || before.starts_with(now));
}

constexpr std::array<std::string_view, 4> kOfAttempts{"attempt", "retry", "retrie", "try"};

std::vector<double> numbers_in(std::string_view text) {
  std::vector<double> all;
  for (std::size_t at = 0; (at = text.find_first_of("0123456789", at)) != text.npos;) {
    double number = 0;
    auto end = std::from_chars(text.data() + at, text.data() + text.size(), number).ptr;
    all.push_back(number);
    at = std::max(at + 1, static_cast<std::size_t>(end - text.data()));
  }
  return all;
}
// What rounding to its own decimals may have changed a number by: "1527.54" by half a hundredth. Of few digits nothing
// follows then.
double rounding(const std::string& text) {
  constexpr std::ptrdiff_t kDigits = 4;
  auto point = text.find('.');
  if (point == text.npos || std::ranges::count_if(text, is_digit) < kDigits) return 0;
  return std::pow(10, -static_cast<double>(text.size() - point - 1)) / 2;
}
// 505.5 of 410 and 95.5, and 410 here; or 60000 of 50000 and 1.2, and another whole number of times here; or 1527.54 of
// 1640.4 and 0.9312, and 1640.4 here.
bool is_sum_or_product(const std::string& was, const std::string& is, const std::string& told) {
  constexpr double kMost = 1'000'000'000'000'000;  // whatever is larger is no amount
  auto all = number_of(was), now = number_of(is), part = number_of(told);
  auto amount = [](auto& n) { return n && std::abs(*n) < kMost; };
  if (!amount(all) || !amount(now) || !amount(part) || *part == 0) return false;
  auto rounded_to = [&](double exact) { return nearly(*all, exact) || std::abs(*all - exact) <= rounding(was); };
  if (rounded_to(*now + *part)) return true;
  auto times = *all / *part;
  auto whole = [](double n) { return nearly(n, std::round(n)); };
  bool itself = times == 0 || nearly(std::abs(*part), 1) || nearly(std::abs(times), 1);
  return !itself && (rounded_to(*now * *part) || (whole(times) && whole(*now / times)));
}

// Is it what that one told, and another here; or a sum with it, of which it is missing here; or a product, which has
// another factor in its place?
bool made_from(const Member& told, const Member& was, const Member& is) {
  if (stands_in_text(told, was, is)) return true;
  bool by_name = !was.name.empty() && told.name == was.name;
  if (told.value == was.value) return told.value.size() > 1 || by_name || is.value == "0";
  return may_count(was) && is_sum_or_product(was.value, is.value, told.value);
}

// 16 of eight entries that tell 2 each, and here what comes of the first of them alone; or a sum or a number of these
// entries and others, and here of the others alone; or what is left of all where these are taken off, and here all.
bool made_of_entries(const std::vector<Member>& told, const Member& was, const Member& is) {
  constexpr std::size_t kCounted = 3;
  auto all = number_of(was.value), now = number_of(is.value);
  if (!may_count(was) || !all || !now) return false;
  std::map<std::string, std::vector<double>> columns;  // of a list's entries the members of one name
  std::map<std::string_view, std::set<std::string_view>> entries;
  for (auto& m : told) {
    if (!m.listed) continue;
    entries[list_path(m.path)].insert(entry_path(m.path));
    if (auto number = number_of(m.value); number && m.kind == Member::Kind::number)
      columns[std::string(list_path(m.path)) + m.name].push_back(*number);
  }
  auto other_by = std::abs(*all - *now);
  if (other_by == 0) return false;
  for (auto& [name, numbers] : columns) {
    double sum = 0;
    std::vector<double> before_end;
    for (auto number : numbers) before_end.push_back(std::exchange(sum, sum + number));
    auto here = [&](double part) { return nearly(part, *now); };
    if (numbers.size() > 1 && nearly(sum, *all) && std::ranges::any_of(before_end, here)) return true;
    if (numbers.size() >= kCounted && nearly(sum, other_by)) return true;
  }
  return std::ranges::any_of(entries, [&](auto& list) {
    return list.second.size() >= kCounted && static_cast<double>(list.second.size()) == other_by;
  });
}

// Made in another test after the same look, and once more another time if it is sent again.
bool guards(const trace::CaseRecord& row, const Exchange& write) {
  auto key = write_key(write);
  auto repeat = trace::profile_of(write).repeat(write);
  return !key.empty() && std::ranges::find(row.guards, key) != row.guards.end() &&
         (repeat == trace::Repeat::effect || repeat == trace::Repeat::unknown);
}

// An entry of that list, which the reference passes over: what the read was to keep from being used again.
bool was_taken(const std::vector<Member>& told, const Member& was, const Member& is) {
  constexpr std::size_t kName = 2;
  auto tells = [&](const Member& m) {
    return std::ranges::any_of(told, [&](auto& t) { return t.listed && t.kind == m.kind && t.value == m.value; });
  };
  return is.kind == Member::Kind::text && is.value.size() >= kName && tells(is) && !tells(was);
}

}  // namespace

Less written_with_less(const Comparison& c, const Call& read) {
  constexpr std::size_t kTold = 2;
  Less less;
  auto* beside = counterpart(c, read);
  auto told = beside ? members_answered(beside->last()) : std::vector<Member>();
  auto tells = [](auto& members, auto& value) {
    return std::ranges::find(members, value, &Member::value) != members.end();
  };
  each_write_after(c, read, [&](auto& write, auto& before, auto& now) {
    bool part = is_part(read, before, now), over = is_written_over(read, told, before, now);
    if (may_tell_failure_beside(before.request_sample, now.request_sample) ||
        (!part && !over && !is_json(before.request_sample)))
      return;
    auto was = members_of(before.request_sample), is = members_of(now.request_sample);
    auto [gone, left] = lacking(now.request_sample, was, is);
    if (gone.empty() && !part && !over) return;
    if (!less.first) less.first = &write;
    less.writes++;
    less.of_read |= over;
    less.mostly |= part || gone.size() > left.size();
    // Written over, without what that read tells else.
    auto of_read = [&](auto& m) {
      bool lost = gone.contains(m.path) || (m.listed && gone.contains(entry_path(m.path)));
      return !lost || tells(told, m.value);
    };
    less.of_read |= now.method == "PUT" && gone.size() >= kTold && std::ranges::all_of(was, of_read);
  });
  return less;
}

const Call* written_as_told(const Comparison& c, const Call& read, std::string_view text) {
  auto named = numbers_in(text);
  auto names = [&](const Member& m) {
    auto number = m.kind == Member::Kind::number ? number_of(m.value) : std::nullopt;
    return number && std::ranges::any_of(named, [&](double other) { return nearly(*number, other); });
  };
  const Call* found = nullptr;
  each_write_after(c, read, [&](auto& write, auto& before, auto& now) {
    auto was = members_sent(before), is = members_sent(now);
    if (found || was.size() != is.size() || may_tell_failure_beside(before.request_sample, now.request_sample)) return;
    bool told = false;
    for (std::size_t i = 0; i < was.size(); i++) {
      if (was[i].path != is[i].path || was[i].kind != is[i].kind) return;
      if (was[i].value == is[i].value) continue;
      if (was[i].kind == Member::Kind::boolean || has_word(was[i].name, kOfAttempts)) return;
      told |= names(was[i]) && names(is[i]);
    }
    if (told) found = &write;
  });
  return found;
}

const Call* written_with_other(const Comparison& c, const Call& read) {
  auto* beside = counterpart(c, read);
  if (!beside || !delivered(beside->last())) return nullptr;
  // With a page that ends the walk those behind it are missing too.
  auto told = walk_ended_at(c, read) ? told_by_rest(*c.reference, beside->last()) : members_answered(beside->last());
  const Call* found = nullptr;
  each_write_after(c, read, [&](auto& write, auto& before, auto& now) {
    auto was = members_sent(before), is = members_sent(now);
    add_defaults(was, is), add_defaults(is, was);
    if (found || was.size() != is.size() || may_tell_failure_beside(before.request_sample, now.request_sample)) return;
    std::size_t others = 0;
    for (std::size_t i = 0; i < was.size(); i++) {
      if (was[i].path != is[i].path) return;
      if (was[i].value == is[i].value) continue;
      if (std::ranges::none_of(told, [&](auto& m) { return made_from(m, was[i], is[i]); }) &&
          !made_of_entries(told, was[i], is[i]) && !was_taken(told, was[i], is[i]))
        return;  // another each time
      others++;
    }
    if (others > 0) found = &write;
  });
  return found;
}

namespace {
constexpr std::size_t kEntries = 2;

// The entry of a list that the path of this request names, however short it is.
const Member* entry_in_path(const std::vector<Member>& told, const Exchange& e) {
  for (auto part : trace::message::segments(trace::message::path_of(e.target)))
    for (auto& m : told)
      if (m.listed && m.kind != Member::Kind::boolean && m.value == percent_decode(part)) return &m;
  return nullptr;
}
}  // namespace

Unmade not_written(const ComparedCase& compared, const Comparison& c, const Call& read) {
  Unmade unmade;
  auto* beside = counterpart(c, read);
  if (!beside || read.last().told == 0 || may_be_thinned(*c.in_case) || did_otherwise(c, read.last().told))
    return unmade;
  auto of_tests = [&](const Exchange& e) { return e.tag.site && in_tests(e.tag.site->file, compared.row->test); };
  if (of_tests(read.first())) return unmade;
  auto told = members_answered(beside->last());
  std::set<std::string_view> entries;  // that a path names
  bool handed_on = false;
  for (auto& pair : c.pairs) {
    if (!pair.reference || pair.in_case || pair.reference->first().begun < beside->last().told) continue;
    auto& write = pair.reference->last();
    if (!had_effect(write) || of_tests(write) || (unmade.first && unmade.first->operation != write.operation)) continue;
    auto* entry = entry_in_path(told, write);
    if (entry) entries.insert(entry->value);
    if (!entry || (!handed_on && entries.size() < kEntries)) {
      auto source = source_of(*c.reference, pair.reference->first());
      bool of_this = source && source->read == &beside->last();
      if (!entry && !of_this) continue;
      handed_on |= of_this;
    }
    if (!unmade.first) unmade.first = pair.reference;
    unmade.writes++;
  }
  if (!handed_on && entries.size() < kEntries) return {};
  bool made = unmade.first && std::ranges::any_of(c.in_case->exchanges, [&](auto& e) {
                return e.begun >= read.last().told && e.operation == unmade.first->operation;
              });
  return made ? Unmade() : unmade;
}

const Call* written_for_it(const ComparedCase& compared, const Comparison& c, const Call& read) {
  auto& last = read.last();
  auto subject = looked_up(last);
  if (last.told == 0 || subject.empty()) return nullptr;
  auto about = [&](const Exchange& e) { return std::ranges::binary_search(named_in(e), subject); };
  auto alike = [](const Exchange& e, const Exchange& write) {
    return e.operation == write.operation && e.tag.site == write.tag.site;
  };
  // Where the reference looks for the very same, what it writes about that is known, whatever stands beside it here.
  auto* beside = counterpart(c, read);
  bool steady = beside && beside->last().target == last.target;
  for (auto& pair : c.pairs) {
    if (!pair.in_case || (pair.reference && !steady) || pair.in_case->first().begun < last.told) continue;
    auto& write = pair.in_case->last();
    if (!had_effect(write) || !about(write) || tells_failure(write.request_sample)) continue;
    if (!by_application(compared, write)) continue;
    bool aside = is_put_aside(write.target);
    auto& usual = c.reference->exchanges;
    bool others = std::ranges::any_of(usual, [&](auto& e) { return alike(e, write); });
    bool never = std::ranges::none_of(usual, [&](auto& e) { return alike(e, write) && about(e); });
    // Where it lies such a thing is made: it was taken for one that is not there yet; as it is in another test, where
    // it is not.
    bool anew = (makes_where_looked(last, write) || guards(*compared.row, write)) &&
                !(steady && names_same(beside->last(), write));
    if (!aside && (others || anew) && never) return pair.in_case;
  }
  return nullptr;
}

const Call* written_instead(const ComparedCase& compared, const Comparison& c, const Call& read) {
  auto& last = read.last();
  if (last.told == 0 || !(trace::message::safe_method(last.method) || rpc_reads(last))) return nullptr;
  auto usual = [&](const Exchange& e) {
    return std::ranges::any_of(c.reference->exchanges,
                               [&](auto& r) { return r.operation == e.operation && r.tag.site == e.tag.site; });
  };
  for (auto& pair : c.pairs) {
    if (pair.reference || !pair.in_case) continue;
    auto& write = pair.in_case->last();
    if (pair.in_case->first().begun < last.told || write.pid != last.pid || write.service != last.service) continue;
    if (!by_application(compared, write)) continue;
    if (!had_effect(write) || usual(write) || tells_failure(write.request_sample) || tells_failure(write.target))
      continue;
    return pair.in_case;
  }
  return nullptr;
}

}  // namespace retrial::oracles
