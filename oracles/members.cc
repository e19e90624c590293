#include "oracles/members.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "base/characters.h"
#include "base/text.h"

namespace retrial::oracles {
namespace {

using Json = nlohmann::json;
constexpr int kDeepest = 16;

bool upper(char c) { return c >= 'A' && c <= 'Z'; }
bool lower_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

// RFC 6901: a slash of a key parts no path.
std::string in_path(std::string_view key) {
  std::string out;
  for (char c : key) out += c == '/' ? std::string("~1") : std::string(1, c);
  return out;
}

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void add(std::vector<Member>& out, const Json& value, const std::string& name, const std::string& path, bool listed,
         int depth) {
  if (depth > kDeepest || out.size() >= kMostMembers || value.is_null()) return;
  if (value.is_object()) {
    for (auto& [key, below] : value.items())
      add(out, below, key, fmt::format("{}/{}", path, in_path(key)), listed, depth + 1);
  } else if (value.is_array()) {
    std::size_t at = 0;
    for (auto& below : value) add(out, below, name, fmt::format("{}/{}", path, at++), true, depth + 1);
  } else if (auto text = text_of(value); !text.empty()) {
    auto kind = value.is_number()    ? Member::Kind::number
                : value.is_boolean() ? Member::Kind::boolean
                                     : Member::Kind::text;
    out.push_back({name, path, std::move(text), kind, listed});
  }
}

// "sku-5": a key by which a thing is found, and no name of a member.
bool is_data(std::string_view key) { return std::ranges::any_of(key, is_digit); }

std::size_t count(const Json& value, const std::vector<Member>& wanted, bool listed, int depth) {
  if (depth > kDeepest || !value.is_structured()) return 0;
  std::size_t found = 0;
  for (auto it = value.begin(); it != value.end(); ++it)
    found += count(*it, wanted, value.is_array() || (value.is_object() && is_data(it.key())), depth + 1);
  if (!listed || !value.is_object()) return found;
  return found + std::ranges::all_of(wanted, [&](auto& member) {
           auto it = value.find(member.name);
           return it != value.end() && !it->is_structured() && text_of(*it) == member.value;
         });
}

// A value a line ("{...}\n{...}\n") is a list of them.
Json read(std::string_view body) {
  auto json = Json::parse(body, nullptr, false);
  if (!json.is_discarded() || !trim(body).starts_with('{')) return json;
  auto list = Json::array();
  for (auto line : split(body, '\n')) {
    if (trim(line).empty()) continue;
    list.push_back(Json::parse(line, nullptr, false));
    if (list.back().is_discarded()) return json;
  }
  return list;
}

std::vector<Member> form_members(std::string_view body) {
  std::vector<Member> out;
  if (body.find_first_of(" \r\n<{\"") != body.npos) return out;
  for (auto part : split(body, '&')) {
    auto at = part.find('=');
    if (at == part.npos || at == 0 || at + 1 == part.size() || out.size() >= kMostMembers) continue;
    std::string name(part.substr(0, at));
    out.push_back({name, "/" + name, percent_decode(part.substr(at + 1)), Member::Kind::text, false});
  }
  return out;
}

}  // namespace

std::vector<Member> members_of(std::string_view body) {
  auto json = read(body);
  if (json.is_discarded()) return form_members(body);
  std::vector<Member> out;
  add(out, json, "", "", false, 0);
  return out;
}

std::map<std::string, std::size_t> lengths_of_lists(const std::vector<Member>& members) {
  std::map<std::string, std::set<std::string_view>> entries;
  for (auto& m : members)
    if (m.listed) entries[std::string(list_path(m.path))].insert(entry_path(m.path));
  std::map<std::string, std::size_t> lengths;
  for (auto& [list, of] : entries) lengths[list] = of.size();
  return lengths;
}

std::string without_places(const Member& member) {
  std::string out;
  for (auto part : split(std::string_view(member.path), '/'))
    out.append(out.empty() && part.empty() ? "" : "/").append(is_data(part) ? "*" : part);
  return out;
}

std::map<std::string, std::size_t> sizes_of_collections(const std::vector<Member>& members) {
  std::map<std::string, std::set<std::string_view>> entries;
  for (auto& m : members) {
    std::string place;
    std::string_view path = m.path;
    for (std::size_t at = 0; at < path.size();) {
      auto end = std::min(path.find('/', at + 1), path.size());
      auto part = path.substr(at + 1, end - at - 1);
      place.append("/").append(is_data(part) ? "*" : part);
      if (is_data(part)) entries[place].insert(path.substr(0, end));
      at = end;
    }
  }
  std::map<std::string, std::size_t> sizes;
  for (auto& [place, of] : entries) sizes[place] = of.size();
  return sizes;
}

bool is_json(std::string_view body) { return Json::accept(body); }

std::size_t entries_with(std::string_view body, const std::vector<Member>& wanted) {
  auto json = read(body);
  return json.is_discarded() || wanted.empty() ? 0 : count(json, wanted, false, 0);
}

std::vector<std::string> words_of_name(std::string_view name) {
  std::vector<std::string> words;
  bool begins = true;
  for (std::size_t i = 0; i < name.size(); i++) {
    char c = name[i];
    if (!upper(c) && !lower_or_digit(c)) {
      begins = true;
      continue;
    }
    bool after_lower = upper(c) && i > 0 && lower_or_digit(name[i - 1]);
    bool last_upper = upper(c) && i > 0 && upper(name[i - 1]) && i + 1 < name.size() && lower_or_digit(name[i + 1]);
    if (begins || after_lower || last_upper) words.emplace_back();
    words.back() += upper(c) ? static_cast<char>(c + 32) : c;
    begins = false;
  }
  return words;
}

namespace {
template <std::size_t N>
bool named_among(const Member& member, const std::array<std::string_view, N>& known) {
  return std::ranges::any_of(words_of_name(member.name), [&](auto& word) { return among(known, word); });
}
constexpr std::array<std::string_view, 12> kNoCounts = {"version", "revision", "time", "ms",      "seconds", "request",
                                                        "attempt", "retry",    "byte", "latency", "elapsed", "rate"};
}  // namespace

bool may_count(const Member& member) {
  static constexpr std::array<std::string_view, 18> kOthers = {
      "v",   "rev", "ts",   "timestamp", "at",   "date",     "epoch", "ttl",      "expires",
      "seq", "id",  "page", "offset",    "port", "sequence", "index", "attempts", "retries"};
  return member.kind == Member::Kind::number && !named_among(member, kNoCounts) && !named_among(member, kOthers);
}

bool counts(const Member& member) {
  static constexpr std::array<std::string_view, 20> kCounts = {
      "value", "count",  "counter", "total",  "balance", "quantity", "qty",    "stock", "amount", "sum",
      "score", "points", "credits", "credit", "likes",   "votes",    "visits", "views", "used",   "reserved"};
  return member.kind == Member::Kind::number && named_among(member, kCounts) && !named_among(member, kNoCounts);
}

std::optional<double> number_of(const std::string& text) {
  double number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}
namespace {
constexpr double kRounded = 0.000000001;
}
bool nearly(double one, double other) { return std::abs(one - other) <= kRounded * std::max(1.0, std::abs(one)); }

std::string_view list_path(std::string_view path) {
  for (auto at = path.find('/'); at != path.npos && at + 1 < path.size(); at = path.find('/', at + 1))
    if (is_digit(path[at + 1])) return path.substr(0, at + 1);
  return path;
}
std::string_view entry_path(std::string_view path) { return path.substr(0, path.find('/', list_path(path).size())); }

bool drawn_anew(const Member& was, const Member& is) {
  constexpr std::size_t kDrawn = 8;
  if (was.kind == Member::Kind::number) return !may_count(was);
  return was.kind == Member::Kind::text && std::min(was.value.size(), is.value.size()) >= kDrawn &&
         std::ranges::any_of(was.value, is_digit) && std::ranges::any_of(is.value, is_digit);
}

}  // namespace retrial::oracles
