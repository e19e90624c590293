#include "trace/secrets/names.h"

#include <algorithm>
#include <array>

#include "trace/secrets/beginnings.h"
#include "trace/secrets/characters.h"
#include "trace/secrets/words.h"

namespace retrial::trace {
namespace {

constinit std::vector<std::string> users_names;

bool is_one_of(std::string_view word, Words words) { return std::ranges::find(words, word) != words.end(); }
bool has_one_of(std::string_view name, Words parts) {
  return std::ranges::any_of(parts, [&](auto part) { return name.find(part) != name.npos; });
}

// A name taken apart: its letters and digits, and where each word of it ends: "apiKey_2" is "apikey2": 3, 6, 7.
struct Name {
  static constexpr std::size_t kMost = 96;  // of a longer one the end
  explicit Name(std::string_view name) {
    if (name.size() > kMost) name.remove_prefix(name.size() - kMost);
    char before = '_';
    for (std::size_t i = 0; i < name.size(); i++) {
      char c = fold(name[i]);
      bool lower_next = i + 1 < name.size() && name[i + 1] >= 'a' && name[i + 1] <= 'z';
      if (is_alnum(c)) {
        bool starts = !is_alnum(before) || (is_upper(name[i]) && (!is_upper(before) || lower_next));
        if (starts && size > 0) ends[words++] = size;
        letters[size++] = c;
      }
      before = name[i];
    }
    if (size > 0) ends[words++] = size;
  }
  std::string_view all() const { return {letters.data(), size}; }
  std::string_view word(std::size_t n) const {
    std::size_t begin = n ? ends[n - 1] : 0;
    return all().substr(begin, ends[n] - begin);
  }
  // Without digits at its end: "password2".
  std::string_view last() const {
    for (auto n = words; n > 0; n--) {
      auto w = word(n - 1);
      if (w.size() > 1 && w != "2fa")
        while (!w.empty() && is_digit(w.back())) w.remove_suffix(1);
      if (!w.empty()) return w;
    }
    return {};
  }

  std::array<char, kMost> letters;
  std::array<std::size_t, kMost> ends;
  std::size_t size = 0, words = 0;
};

}  // namespace

bool secret_names_added = false;
bool can_be_secret_name(std::string_view name) { return !Name(name).all().empty(); }

void add_secret_names(const std::vector<std::string>& names) {
  for (auto& name : names) {
    if (!can_be_secret_name(name)) continue;
    users_names.emplace_back(Name(name).all());
    add_beginning(users_names.back());
    secret_names_added = true;
  }
}

bool secret_name(std::string_view text) {
  std::size_t begin = 0;
  while (begin < text.size() && !may_begin_secret(text.substr(begin))) begin++;
  if (begin == text.size()) return false;
  Name name(text);
  auto all = name.all(), last = name.last();
  if (std::ranges::find(users_names, all) != users_names.end()) return true;
  if (is_one_of(last, kLast)) return true;
  for (auto end : kEnd)
    if (all.ends_with(end)) return true;
  if (!has_one_of(all, kAnywhere) || has_one_of(all, kKept)) return false;
  if (name.words > 1 && is_one_of(last, kAbout)) return false;
  if (all.find("token") != all.npos)
    for (std::size_t n = 0; n < name.words; n++)
      if (is_one_of(name.word(n), kCounted)) return false;
  return true;
}

bool tells_of_secret(std::string_view name) { return secret_name(name) || has_one_of(Name(name).all(), kAnywhere); }

bool naming_name(std::string_view name) { return is_one_of(Name(name).last(), kNaming); }
bool value_name(std::string_view name) {
  Name n(name);
  return is_one_of(n.last(), kValue) || is_one_of(n.all(), kValue);
}

}  // namespace retrial::trace
