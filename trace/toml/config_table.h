#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace toml {
inline namespace v3 {
class table;
class node;
}  // namespace v3
}  // namespace toml

namespace retrial::trace {

using Words = std::span<const std::string_view>;
using Errors = std::vector<std::pair<int, Error>>;  // each with its line

// ", did you mean "x"?" with the nearest known word, or "".
std::string did_you_mean(std::string_view word, Words known);
// "512B", "64KiB", "10MiB", "1GiB" -> bytes; nothing for 0, or for anything else.
std::optional<std::uint64_t> size_of(std::string_view text);

// One table of a TOML file under a name ("[run]", "[service.queue]"), read key by key. A key that is there and wrong
// becomes an error, and reads as missing.
class ConfigTable {
 public:
  ConfigTable(const toml::table& table, std::string name, std::string_view file, Errors& errors)
      : table_(table), name_(std::move(name)), file_(file), errors_(errors) {}

  void only(Words known);  // any other key is an error
  std::optional<std::string> text(std::string_view key);
  std::optional<bool> yes(std::string_view key);
  std::optional<std::int64_t> number(std::string_view key, std::int64_t from, std::int64_t to);
  std::optional<Nanos> duration(std::string_view key, std::string_view example);
  std::optional<std::uint64_t> size(std::string_view key, std::string_view example);  // bytes: "64KiB", "10MiB", "1GiB"
  std::optional<std::string> word(std::string_view key, Words known);                 // one of these
  std::vector<std::string> words(std::string_view key, Words known);                  // an array of these, folded
  std::vector<std::string> texts(std::string_view key);                               // a text, or an array of texts
  std::optional<ConfigTable> table(std::string_view key);  // named "NAME key", its keys told as "key"
  std::vector<ConfigTable> tables(std::string_view key);   // of an array of tables, named "NAME key 2", from 1
  std::vector<std::int64_t> numbers(std::string_view key, std::int64_t from, std::int64_t to);  // one, or an array

  std::vector<std::string> keys() const;        // in no order of the file
  bool holds_yes(std::string_view key) const;   // true or false stands there
  bool holds_none(std::string_view key) const;  // an empty array does

  bool has(std::string_view key) const;
  int line() const;
  const std::string& name() const { return name_; }
  // An error at this key: "expected …, found …", or `expected` alone where the key is not there.
  void refuse(std::string_view key, std::string expected, std::string_view hint = "");
  void refuse_item(std::string_view key, std::size_t n, std::string expected);  // of an array, else of the key's value

 private:
  void complain(int line, std::string_view key, std::string what);

  const toml::table& table_;
  std::string name_;
  std::string_view file_;
  Errors& errors_;
};

}  // namespace retrial::trace
