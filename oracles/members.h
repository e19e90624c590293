#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The names and values of a message's body, as far as its sample is whole: JSON, an object of it a line, or a form.
namespace retrial::oracles {

struct Member {
  enum class Kind : std::uint8_t { text, number, boolean };
  std::string name;   // its own, without what it stands in
  std::string path;   // "/order/id"; of a list's members with their place in it: "/items/0/id"
  std::string value;  // as JSON writes it, a text without its quotes
  Kind kind = Kind::text;
  bool listed = false;  // in an array
};
// In the order of their names, kMostMembers at most; null and empty texts are left out. Empty: it cannot be read, or
// was cut.
inline constexpr std::size_t kMostMembers = 500;
std::vector<Member> members_of(std::string_view body);

// Of where a listed member stands the outermost list, and the entry of that: "/items/" and "/items/0" of "/items/0/id".
std::string_view list_path(std::string_view path);
std::string_view entry_path(std::string_view path);

// How many entries each list has, by list_path; of one that is empty nothing is known.
std::map<std::string, std::size_t> lengths_of_lists(const std::vector<Member>& members);

// Where it stands, but for what only says which it is: "/items/*/qty" of "/items/0/qty", "/stock/*" of "/stock/sku-5".
std::string without_places(const Member& member);
// How many entries each list has, or object whose keys are data (they have a digit), by where it stands: "/items/*".
std::map<std::string, std::size_t> sizes_of_collections(const std::vector<Member>& members);

// Is it JSON, and whole?
bool is_json(std::string_view body);
// How many of the objects that stand in an array, or in an object by a key that is data ("sku-5"), hold all of `wanted`
// (by name and value) among their own members.
std::size_t entries_with(std::string_view body, const std::vector<Member>& wanted);

// All of a text as a number; and whether two are the same but for rounding.
std::optional<double> number_of(const std::string& text);
bool nearly(double one, double other);

// The words of a name, in lower case: "clientRequestID" and "client_request-id" are "client", "request", "id".
std::vector<std::string> words_of_name(std::string_view name);

// Is it a number that counts what was done, by its name? A version or a revision goes up by every write, and harms
// nobody.
bool counts(const Member& member);
// Is it a number that could, for all that its name says? A version, a time, a name or a place in a list could not.
bool may_count(const Member& member);

// Is it another in each run, whatever was done: a name that the run drew, a time? Not a word or an amount.
bool drawn_anew(const Member& was, const Member& is);

template <std::size_t N>
bool among(const std::array<std::string_view, N>& known, std::string_view word) {
  return std::ranges::find(known, word) != known.end();
}

// Is one of them among the words of a text, alone or in the plural?
template <std::size_t N>
bool has_word(std::string_view text, const std::array<std::string_view, N>& known) {
  return std::ranges::any_of(words_of_name(text), [&](std::string_view word) {
    return among(known, word) || (word.ends_with('s') && among(known, word.substr(0, word.size() - 1)));
  });
}

}  // namespace retrial::oracles
