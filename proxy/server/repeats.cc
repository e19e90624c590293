#include "proxy/server/repeats.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "base/text.h"

namespace retrial::proxy {
namespace {
constexpr Nanos kQuiet = 10 * kSecond;
constexpr std::size_t kMost = 100;    // different lines that are told in that time
constexpr std::size_t kKinds = 1000;  // far more than there are texts of ours
constexpr std::size_t kKept = 300;    // bytes of a line by which it is known: most of a long one came from outside

// Lines that differ by the number of their connection alone say the same.
std::string_view unnumbered(std::string_view line) {
  constexpr std::string_view kNumbered = "connection ";
  auto colon = line.starts_with(kNumbered) ? line.find(": ") : line.npos;
  return colon == line.npos ? line : line.substr(colon + 2);
}

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)); }

// A word of a text: letters, and marks at its ends.
bool is_word(std::string_view word) {
  auto mark = [](char c) { return std::string_view(",;:.()").find(c) != std::string_view::npos; };
  while (!word.empty() && mark(word.front())) word.remove_prefix(1);
  while (!word.empty() && mark(word.back())) word.remove_suffix(1);
  return std::all_of(word.begin(), word.end(),
                     [](char c) { return is_letter(c) || c == '-' || c == '_' || c == '\''; });
}

// The line with a star for what comes from outside: what is no word, what is quoted, and the name of "…, name x: …".
std::string kind_of(std::string_view line) {
  std::string kind;
  bool quoted = false, name = false;
  for (auto word : split(line.substr(0, kKept), ' ')) {
    bool quotes = std::count(word.begin(), word.end(), '"') % 2;
    bool foreign = quoted || quotes || name || !is_word(word);
    quoted ^= quotes;
    name = word == "name";
    if (!foreign)
      kind.append(word).append(" ");
    else if (!kind.ends_with("* "))
      kind += "* ";
  }
  return kind;
}

std::string times_before(const std::string& line, std::uint64_t times) {
  if (times == 0) return line;
  return times == 1 ? line + " (and once before)" : fmt::format("{} (and {} times before)", line, times);
}
std::string more_like_it(const std::string& line, std::uint64_t others) {
  return others == 0 ? line : fmt::format("{} (and {} more like it)", line, others);
}

}  // namespace

std::string Repeats::tell(const std::string& whole, Nanos now) {
  std::string line(unnumbered(whole).substr(0, kKept));
  auto again = [&](Told& told, auto shown) -> std::string {
    if (now - told.at < kQuiet) {
      told.left_out++;
      told.last = whole.substr(0, kKept);
      return {};
    }
    auto before = told.left_out;
    told = {now, 0, {}};
    return shown(whole, before);
  };
  if (auto known = lines_.find(line); known != lines_.end()) return again(known->second, times_before);
  if (lines_.size() >= kMost) forget(lines_, now);
  if (kinds_.size() >= kKinds) forget(kinds_, now);
  auto kind = kind_of(line);
  if (kinds_.size() >= kKinds && !kinds_.contains(kind)) kind.clear();
  auto [told, first] = kinds_.try_emplace(kind, Told{now, 0, {}});
  if (lines_.size() < kMost) {
    lines_.emplace(line, Told{now, 0, {}});
    return whole;
  }
  return first ? whole : again(told->second, more_like_it);
}

std::optional<Nanos> Repeats::due() const {
  std::optional<Nanos> first;
  for (auto* all : {&lines_, &kinds_})
    for (auto& [key, told] : *all)
      if (told.left_out) first = std::min(first.value_or(INT64_MAX), told.at + kQuiet);
  return first;
}

std::vector<std::string> Repeats::over(Nanos now) {
  std::vector<std::string> owed;
  auto collect = [&](All& all, auto shown) {
    for (auto& [key, told] : all) {
      if (told.left_out == 0 || now - told.at < kQuiet) continue;
      owed.push_back(shown(told.last, told.left_out - 1));
      told = {now, 0, {}};
    }
  };
  collect(lines_, times_before);
  collect(kinds_, more_like_it);
  return owed;
}

std::vector<std::string> Repeats::rest() { return over(INT64_MAX); }

void Repeats::forget(All& all, Nanos now) {
  std::erase_if(all, [&](auto& t) { return t.second.left_out == 0 && now - t.second.at >= kQuiet; });
}

std::size_t Repeats::bytes() const {
  std::size_t all = 0;
  for (auto* entries : {&lines_, &kinds_})
    for (auto& [key, told] : *entries) all += sizeof key + sizeof told + key.capacity() + told.last.capacity();
  return all;
}

}  // namespace retrial::proxy
