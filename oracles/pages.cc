#include "oracles/pages.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/text.h"
#include "oracles/evidence.h"
#include "oracles/exchange_members.h"
#include "trace/calls/operation.h"
#include "trace/profiles/message.h"

namespace retrial::oracles {
namespace {

using Query = std::map<std::string, std::string>;

constexpr std::array<std::string_view, 13> kPageNames = {"page",         "offset", "cursor", "start", "after",
                                                         "skip",         "marker", "next",   "token", "from",
                                                         "continuation", "begin",  "startat"};
constexpr std::size_t kCursor = 4;  // bytes of a cursor that is no other value by chance

Query queried(const trace::Exchange& e) {
  Query query;
  for (auto part : split(trace::message::query_of(e.target), '&')) {
    auto equals = std::min(part.find('='), part.size());
    auto value = part.substr(std::min(equals + 1, part.size()));
    if (!part.empty()) query.emplace(part.substr(0, equals), percent_decode(value));
  }
  return query;
}

bool holds(const std::vector<Member>& members, std::string_view value) {
  return value.size() >= kCursor && std::ranges::any_of(members, [&](auto& m) { return m.value == value; });
}

// Where the two queries differ it is for where the page begins.
bool next_by_query(const trace::Exchange& before, const trace::Exchange& read, const std::vector<Member>& told) {
  if (trace::message::path_of(before.target) != trace::message::path_of(read.target)) return false;
  auto was = queried(before), is = queried(read);
  bool any = false, by_cursor = false;
  for (auto& [name, value] : is) {
    auto other = was.find(name);
    if (other != was.end() && other->second == value) continue;
    bool cursor = holds(told, value);
    if (!has_word(name, kPageNames) && !cursor) return false;
    any = true;
    by_cursor |= cursor;
  }
  // A cursor may stand for all that the first page was asked for by ("?after_id=0", then "?cursor=c7f2").
  for (auto& [name, value] : was)
    if (!is.contains(name) && !by_cursor) return false;
  return any;
}

// Where they differ it is by numbers, of which the other's is larger: a page, an offset.
bool larger_number(const Query& query, const Query& other) {
  return std::ranges::all_of(query, [&](auto& part) {
    auto& value = other.at(part.first);
    auto here = to_int(part.second), there = to_int(value);
    return value == part.second || (here && there && *there > *here);
  });
}

// A link to it as it was sent, or a token of an RPC.
bool next_by_link(const trace::Exchange& before, const trace::Exchange& read, const std::vector<Member>& told) {
  if (!read.grpc.is)
    return std::ranges::any_of(told,
                               [&](auto& m) { return m.value.size() >= kCursor && m.value.ends_with(read.target); });
  auto was = members_sent(before), is = members_sent(read);
  bool any = false;
  for (auto& m : is) {
    if (std::ranges::any_of(was, [&](auto& other) { return other.path == m.path && other.value == m.value; })) continue;
    if (!holds(told, m.value)) return false;
    any = true;
  }
  return any;
}

// Nothing is missing where this page holds none: it is empty, after one with entries, and the last that is asked for.
bool ends_empty(const trace::Run& run, const trace::Exchange& page, const trace::Exchange& before) {
  auto has_entries = [](const trace::Exchange& e) { return std::ranges::any_of(members_answered(e), &Member::listed); };
  if (!is_json(page.response_sample) || has_entries(page) || !has_entries(before)) return false;
  return std::ranges::none_of(run.exchanges, [&](auto& e) {
    return e.begun >= page.told && e.operation == page.operation && e.method == page.method &&
           e.tag.site == page.tag.site;
  });
}

}  // namespace

const trace::Exchange* page_before(const trace::Run& run, const trace::Exchange& read) {
  const trace::Exchange* last = nullptr;
  for (auto& e : run.exchanges)
    if (e.told <= read.begun && e.operation == read.operation && e.method == read.method &&
        e.tag.site == read.tag.site && e.tag.test == read.tag.test && delivered(e) && trace::carried_out(e))
      last = &e;
  if (!last) return nullptr;
  auto told = members_answered(*last);
  return next_by_query(*last, read, told) || next_by_link(*last, read, told) ? last : nullptr;
}

bool walk_ended_at(const trace::Comparison& c, const trace::Call& read) {
  auto* beside = counterpart(c, read);
  if (!beside || !delivered(beside->last()) || !trace::carried_out(beside->last())) return false;
  auto* before = page_before(*c.in_case, read.first());
  if (!before || ends_empty(*c.reference, beside->last(), *before)) return false;
  return std::ranges::none_of(c.in_case->exchanges, [&](auto& e) {
    return e.begun >= read.last().told && delivered(e) && trace::carried_out(e) &&
           trace::message::path_of(e.target) == trace::message::path_of(read.first().target);
  });
}

std::vector<Member> told_by_rest(const trace::Run& run, const trace::Exchange& page) {
  auto told = members_answered(page);
  auto* last = &page;
  std::size_t pages = 1;
  for (auto& e : run.exchanges) {
    if (e.begun < last->told || e.operation != page.operation || page_before(run, e) != last) continue;
    pages++;
    for (auto m : members_answered(e)) {
      if (!m.listed) continue;
      m.path.insert(list_path(m.path).size(), std::to_string(pages) + "-");
      told.push_back(std::move(m));
    }
    last = &e;
  }
  return told;
}

bool walk_went_past(const trace::Comparison& c, const trace::Call& read) {
  auto* beside = counterpart(c, read);
  auto& failed = read.last();
  if (!beside || !delivered(beside->last()) || !trace::carried_out(beside->last())) return false;
  bool went_on = false;
  for (auto& e : c.in_case->exchanges) {
    bool here = e.begun >= failed.told && e.operation == failed.operation && e.method == failed.method &&
                e.tag.site == failed.tag.site && e.tag.test == failed.tag.test && delivered(e) && trace::carried_out(e);
    if (!here) continue;
    if (trace::target_key(e.target) == trace::target_key(failed.target)) return false;
    went_on = went_on || (next_by_query(failed, e, {}) && larger_number(queried(failed), queried(e)));
  }
  return went_on;
}

}  // namespace retrial::oracles
