#include "oracles/looked_up.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/characters.h"
#include "base/text.h"
#include "oracles/members.h"
#include "trace/profiles/message.h"

namespace retrial::oracles {
namespace {

namespace message = trace::message;
using trace::Exchange;

constexpr std::size_t kSubject = 3, kNumbered = 2;  // a name; one of letters and digits, as "m7"
constexpr int kNameDigits = 3;                      // of a name that ends a path before a query

bool tells_apart(std::string_view name) {
  bool numbered =
      name.size() >= kNumbered && std::ranges::any_of(name, is_digit) && !std::ranges::all_of(name, is_digit);
  return name.size() >= kSubject || numbered;
}

// What may be made again whenever it is not at hand.
constexpr std::array<std::string_view, 5> kMadeAgain{"cache", "session", "token", "login", "lookup"};

std::vector<std::pair<std::string, std::string>> asked_by(const Exchange& read) {
  std::vector<std::pair<std::string, std::string>> all;
  for (auto rest = message::query_of(read.target); !rest.empty();) {
    auto end = std::min(rest.find('&'), rest.size());
    auto member = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (auto at = member.find('='); at != member.npos)
      all.emplace_back(percent_decode(member.substr(0, at)), percent_decode(member.substr(at + 1)));
  }
  return all;
}

bool holds_value(const std::vector<Member>& members, std::string_view value) {
  return std::ranges::find(members, value, &Member::value) != members.end();
}

// A part of a path that says by what is looked for: "search", "by-mail", "byMail", or the member's own name.
bool says_by_what(std::string_view part, const std::vector<Member>& members) {
  static constexpr std::array<std::string_view, 5> kLooks{"search", "find", "lookup", "query", "by"};
  auto words = words_of_name(part);
  return (!words.empty() && among(kLooks, words.front())) ||
         std::ranges::find(members, part, &Member::name) != members.end();
}

struct Name {
  std::string text;
  bool by_query = false;
};
// A part of the path that is a name by its digits goes before what a query asks of it ("/vessels/9000001?with=crew").
Name name_in(const Exchange& read) {
  auto query = asked_by(read);
  auto parts = message::segments(message::path_of(read.target));
  auto last = parts.size() > 1 ? percent_decode(parts.back()) : std::string();
  if (query.empty() || std::ranges::count_if(last, is_digit) >= kNameDigits)
    return {tells_apart(last) ? last : "", false};
  std::string longest;
  for (auto& [member, value] : query)
    if (value.size() > longest.size()) longest = value;
  return {tells_apart(longest) ? longest : "", true};
}

}  // namespace

std::string looked_up(const Exchange& read) { return name_in(read).text; }

bool makes_where_looked(const Exchange& read, const Exchange& write) {
  auto name = name_in(read);
  if (write.method != "POST" || write.service != read.service || name.text.empty()) return false;
  if (has_word(message::path_of(write.target), kMadeAgain)) return false;
  auto members = members_of(write.request_sample);
  auto where = message::segments(message::path_of(write.target));
  auto looked = message::segments(message::path_of(read.target));
  auto least = where.size() + (name.by_query ? 0 : 1);
  if (looked.size() < least || !std::ranges::equal(where, std::span(looked).first(where.size()))) return false;
  bool all = std::ranges::all_of(std::span(looked).subspan(where.size()), [&](std::string_view part) {
    return holds_value(members, percent_decode(part)) || says_by_what(part, members);
  });
  if (!all || !name.by_query) return all && holds_value(members, name.text);
  bool told = false;
  for (auto& [asked, value] : asked_by(read)) {
    bool here = holds_value(members, value);
    if (!here && std::ranges::find(members, asked, &Member::name) != members.end()) return false;
    told |= here && tells_apart(value);
  }
  return told;
}

bool names_same(const Exchange& read_well, const Exchange& write) {
  auto answer = members_of(write.response_sample);
  auto sent = members_of(write.request_sample);
  auto is_id = [](const Member& m) {
    static constexpr std::array<std::string_view, 3> kIds{"id", "uuid", "guid"};
    auto words = words_of_name(m.name);
    return !words.empty() && among(kIds, words.back());
  };
  return std::ranges::any_of(members_of(read_well.response_sample), [&](const Member& m) {
    return is_id(m) && !holds_value(sent, m.value) &&
           std::ranges::any_of(answer, [&](auto& a) { return a.name == m.name && a.value == m.value; });
  });
}

}  // namespace retrial::oracles
