#include "trace/secrets/beginnings.h"

#include <vector>

#include "trace/secrets/characters.h"
#include "trace/secrets/token_prefixes.h"
#include "trace/secrets/words.h"

namespace retrial::trace {
namespace {

struct Beginning {
  std::string_view word;
  bool exact = true;  // false: whatever its case, and with '-', '_' and the like in it
};
// What makes a secret of something else: schemes of credentials, OAuth's names, keys of a query.
constexpr std::string_view kCalled[] = {"basic", "dpop", "granttype", "redirecturi", "code=", "key="};
constexpr std::string_view kSeen[] = {"-u", "eyJ", "eyA", "eyI"};  // curl's user; JSON in base64: {"a, { ", {""

constexpr std::size_t pair_of(char a, char b) { return static_cast<std::size_t>((a & 31) << 5 | (b & 31)); }
constexpr std::size_t pair_of(std::string_view word) { return pair_of(word[0], word[1]); }

// All of them, those of one pair of first letters beside each other.
constexpr auto kBeginnings = [] {
  constexpr auto count = std::size(kAnywhere) + std::size(kLast) + std::size(kEnd) + std::size(kCalled) +
                         std::size(kPrefixes) + 2 * std::size(kArmours) + std::size(kWebhooks) + std::size(kSeen);
  std::array<Beginning, count> all{};
  std::size_t n = 0;
  for (auto words : {Words(kAnywhere), Words(kLast), Words(kEnd), Words(kCalled)})
    for (auto word : words) all[n++] = {word, false};
  for (auto words : {Words(kWebhooks), Words(kSeen)})
    for (auto word : words) all[n++] = {word, true};
  for (auto& prefix : kPrefixes) all[n++] = {prefix.begin, true};
  for (auto& armour : kArmours) all[n++] = {armour.begin, true}, all[n++] = {armour.end, true};
  std::ranges::sort(all, {}, [](auto& b) { return pair_of(b.word); });
  return all;
}();
constexpr auto kFirst = [] {  // of each pair: where its words begin; the next one's: where they end
  std::array<std::uint16_t, 1025> first{};
  for (auto& b : kBeginnings) first[pair_of(b.word) + 1]++;
  for (std::size_t n = 1; n < first.size(); n++) first[n] = static_cast<std::uint16_t>(first[n] + first[n - 1]);
  return first;
}();

// And which third letters they have, a bit each.
constexpr bool between(char c) { return c == '-' || c == '_' || c == '.' || c == '$' || c == ' '; }  // words of a name
constexpr auto kThird = [] {
  std::array<std::uint32_t, 1024> third{};
  for (auto& [word, exact] : kBeginnings) {
    auto& bits = third[pair_of(word)];
    bits |= word.size() > 2 ? 1u << (word[2] & 31) : ~0u;
    if (!exact)
      for (char c : {'-', '_', '.', '$', ' '}) bits |= 1u << (c & 31);
  }
  return third;
}();

constinit std::vector<std::string> users_words;

// Does `text` go on with `word`, what stands between the letters of a name left out?
bool goes_on(std::string_view text, std::string_view word) {
  std::size_t matched = 0;
  for (char c : text) {
    if (between(c)) continue;
    if (fold(c) != word[matched]) return false;
    if (++matched == word.size()) return true;
  }
  return false;
}

constexpr char raised(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }
constexpr void mark(PairTable& what, char first, char second) {
  for (char a : {first, raised(first)})
    for (char b : {second, raised(second)}) what[index_of(a, b)] = beginning;
}
}  // namespace

constinit PairTable what_two_are = [] {
  std::array<std::uint8_t, 256> alone{};  // what a byte is, whatever follows
  for (std::size_t n = 0; n < alone.size(); n++) {
    char c = static_cast<char>(n);
    bool tells = c == '\\' || c == '%' || c == '&' || c == '@' || c == ':';
    alone[n] = tells ? telling : in_base64(c) ? nothing : sign;
  }
  PairTable what{};
  for (std::size_t n = 0; n < what.size(); n++) what[n] = alone[n & 255];
  for (auto& [word, exact] : kBeginnings)
    if (exact)
      what[index_of(word[0], word[1])] = beginning;
    else
      mark(what, word[0], word[1]);
  return what;
}();

bool may_begin_secret(std::string_view text) {
  char first = text.empty() ? ' ' : text[0], second = text.size() > 1 ? text[1] : ' ';
  if (what_two_are[index_of(first, second)] != beginning) return false;
  auto pair = pair_of(first, second);
  if (text.size() <= 2 || kThird[pair] >> (text[2] & 31) & 1)
    for (auto n = kFirst[pair]; n < kFirst[pair + 1]; n++)
      if (auto& [word, exact] = kBeginnings[n]; exact ? text.starts_with(word) : goes_on(text, word)) return true;
  return std::ranges::any_of(users_words, [&](auto& word) { return goes_on(text, word); });
}

void add_beginning(std::string name) {
  for (int n = 0; n < 256; n++)
    if (char second = static_cast<char>(n); name.size() == 1 || between(second) || second == name[1])
      mark(what_two_are, name[0], second);
  users_words.push_back(std::move(name));
}

}  // namespace retrial::trace
