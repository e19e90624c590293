#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/exchange.h"

namespace retrial::checkers {

// One value of a body, by where it stands: "title", "owner.name"; of an array "tags" (all of it), "tags[]" (an item),
// "rows[].id" (a member of an item).
struct Leaf {
  enum class Kind : std::uint8_t { text, number, other, array };
  std::string path;
  std::string text;  // of a string its characters, else as JSON has it; of an array all of it
  Kind kind = Kind::text;
  bool in_array = false;  // an item of one, a part of an item, or ("tags#") how many there are
};

// A body as values; `known` is false where the sample does not hold all of it, or it is packed. What is redacted is
// left out. What is no JSON is one text, "body".
struct Body {
  bool known = false;
  bool redacted = false;  // something was left out, so that nothing is known to be missing
  std::vector<Leaf> leaves;

  const Leaf* at(std::string_view path) const;  // the first of that path, or null
  bool has(std::string_view path) const { return at(path) != nullptr; }
  std::vector<std::string_view> items(std::string_view path) const;  // the texts of that path
  std::vector<std::string_view> arrays() const;      // paths of arrays: "tags", "rows"; "body" for the whole
  std::size_t length(std::string_view array) const;  // of an array of that path, else 0
  void append(const Body& next);                     // the items of the next page of a list
};

Body request_body(const trace::Exchange& e);
Body answer_body(const trace::Exchange& e);

std::string last_name(std::string_view path);  // "owner.name": "name"
bool number_of(const Leaf& leaf, double& value);
std::string show_number(double value);

}  // namespace retrial::checkers
