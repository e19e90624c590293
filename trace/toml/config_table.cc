#include "trace/toml/config_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "base/text.h"
#include "trace/recording/redact.h"
#include "trace/toml/toml.h"

namespace retrial::trace {
namespace {

template <class T>
int line_of(const T& at) {
  return static_cast<int>(at.source().begin.line);
}

std::string quoted(Words words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); i++)
    out += fmt::format("{}\"{}\"", i == 0 ? "" : i + 1 == words.size() ? " or " : ", ", words[i]);
  return out;
}

// A key in quotes, or a text, may hold a line break.
std::string one_line(std::string text) {
  std::ranges::replace_if(text, [](unsigned char c) { return c < 0x20; }, ' ');
  return text;
}

// A value as an error shows it: short, on one line.
std::string shown(const toml::node& node) {
  std::ostringstream out;
  node.visit([&](const auto& value) {
    if constexpr (toml::is_table<decltype(value)>)
      out << "a table";
    else if constexpr (toml::is_array<decltype(value)>)
      out << "an array";
    else if constexpr (toml::is_string<decltype(value)>)
      out << '"' << *value << '"';
    else if constexpr (toml::is_boolean<decltype(value)>)
      out << (*value ? "true" : "false");
    else
      out << *value;
  });
  auto text = one_line(out.str());
  return text.size() > 60 ? text.substr(0, 57) + "..." : text;
}

}  // namespace

std::string did_you_mean(std::string_view word, Words known) {
  auto near = nearest(word, known);
  return near && !word.empty() ? fmt::format(", did you mean \"{}\"?", *near) : "";
}

std::optional<std::uint64_t> size_of(std::string_view text) {
  constexpr std::pair<std::string_view, int> kUnits[] = {{"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"TiB", 40}, {"B", 0}};
  for (auto [unit, bits] : kUnits) {
    if (!text.ends_with(unit)) continue;
    auto number = to_int(trim(text.substr(0, text.size() - unit.size())));
    if (!number || *number < 1 || *number > (std::int64_t{1} << (62 - bits))) return {};
    return static_cast<std::uint64_t>(*number) << bits;
  }
  return {};
}

void ConfigTable::only(Words known) {
  for (auto&& [key, value] : table_)
    if (std::find(known.begin(), known.end(), key.str()) == known.end())
      complain(
          line_of(key), key.str(),
          fmt::format("unknown key, expected one of {}{}", fmt::join(known, ", "), did_you_mean(key.str(), known)));
}

std::optional<std::string> ConfigTable::text(std::string_view key) {
  const auto* node = table_.get(key);
  if (!node) return {};
  if (const auto* value = node->as_string(); value && !value->get().empty()) return value->get();
  refuse(key, "expected a text in quotes");
  return {};
}

std::optional<bool> ConfigTable::yes(std::string_view key) {
  const auto* node = table_.get(key);
  if (!node) return {};
  if (const auto* value = node->as_boolean()) return value->get();
  refuse(key, "expected true or false");
  return {};
}

std::optional<std::int64_t> ConfigTable::number(std::string_view key, std::int64_t from, std::int64_t to) {
  const auto* node = table_.get(key);
  if (!node) return {};
  if (const auto* value = node->as_integer(); value && value->get() >= from && value->get() <= to) return value->get();
  refuse(key, fmt::format("expected a whole number from {} to {}", from, to));
  return {};
}

std::optional<Nanos> ConfigTable::duration(std::string_view key, std::string_view example) {
  const auto* node = table_.get(key);
  if (!node) return {};
  if (const auto* value = node->as_string())
    if (auto length = parse_duration(value->get()); length && *length > 0) return length;
  refuse(key, fmt::format("expected a duration such as \"{}\"", example));
  return {};
}

std::optional<std::uint64_t> ConfigTable::size(std::string_view key, std::string_view example) {
  const auto* node = table_.get(key);
  if (!node) return {};
  if (const auto* value = node->as_string())
    if (auto bytes = size_of(value->get())) return bytes;
  refuse(key, fmt::format("expected a size such as \"{}\"", example));
  return {};
}

std::optional<std::string> ConfigTable::word(std::string_view key, Words known) {
  auto value = text(key);
  if (!value || std::find(known.begin(), known.end(), *value) != known.end()) return value;
  refuse(key, "expected " + quoted(known), did_you_mean(*value, known));
  return {};
}

std::vector<std::string> ConfigTable::words(std::string_view key, Words known) {
  const auto* node = table_.get(key);
  if (!node) return {};
  std::vector<std::string> out;
  const auto* array = node->as_array();
  if (!array || array->empty()) {
    refuse(key, fmt::format("expected an array of {}", quoted(known)));
    return {};
  }
  for (auto&& element : *array) {
    const auto* value = element.as_string();
    auto folded = value ? lower(value->get()) : "";
    if (std::find(known.begin(), known.end(), folded) != known.end())
      out.push_back(folded);
    else
      complain(line_of(element), key,
               fmt::format("expected {}, found {}{}", quoted(known), shown(element), did_you_mean(folded, known)));
  }
  return out;
}

std::vector<std::string> ConfigTable::texts(std::string_view key) {
  const auto* node = table_.get(key);
  if (!node) return {};
  std::vector<std::string> out;
  const auto* array = node->as_array();
  bool right = array ? !array->empty() : node->is_string();
  if (array)
    for (auto&& element : *array) right &= element.is_string();
  if (!right) {
    refuse(key, "expected a text in quotes, or an array of them");
    return {};
  }
  if (!array) return {node->as_string()->get()};
  for (auto&& element : *array) out.push_back(element.as_string()->get());
  return out;
}

std::optional<ConfigTable> ConfigTable::table(std::string_view key) {
  const auto* node = table_.get(key);
  if (!node) return {};
  if (const auto* inner = node->as_table())
    return ConfigTable(*inner, fmt::format("{} {}", name_, key), file_, errors_);
  refuse(key, "expected a table such as { method = \"POST\" }");
  return {};
}

std::vector<ConfigTable> ConfigTable::tables(std::string_view key) {
  const auto* node = table_.get(key);
  if (!node) return {};
  const auto* array = node->as_array();
  if (!array || !array->is_homogeneous<toml::table>()) {
    refuse(key, "expected an array of tables");
    return {};
  }
  std::vector<ConfigTable> out;
  for (auto&& element : *array)
    out.emplace_back(*element.as_table(), fmt::format("{} {} {}", name_, key, out.size() + 1), file_, errors_);
  return out;
}

std::vector<std::int64_t> ConfigTable::numbers(std::string_view key, std::int64_t from, std::int64_t to) {
  const auto* node = table_.get(key);
  if (!node) return {};
  std::vector<std::int64_t> out;
  auto take = [&](const toml::node& element) {
    const auto* value = element.as_integer();
    if (value && value->get() >= from && value->get() <= to) return out.push_back(value->get());
    complain(line_of(element), key,
             fmt::format("expected whole numbers from {} to {}, found {}", from, to, redacted(shown(element))));
  };
  if (const auto* array = node->as_array()) {
    for (auto&& element : *array) take(element);
  } else {
    take(*node);
  }
  return out;
}

std::vector<std::string> ConfigTable::keys() const {
  std::vector<std::string> out;
  for (auto&& [key, value] : table_) out.emplace_back(key.str());
  return out;
}
bool ConfigTable::holds_yes(std::string_view key) const {
  const auto* node = table_.get(key);
  return node && node->is_boolean();
}
bool ConfigTable::holds_none(std::string_view key) const {
  const auto* node = table_.get(key);
  return node && node->is_array() && node->as_array()->empty();
}
bool ConfigTable::has(std::string_view key) const { return table_.contains(key); }
int ConfigTable::line() const { return line_of(table_); }

void ConfigTable::refuse(std::string_view key, std::string expected, std::string_view hint) {
  const auto* node = table_.get(key);
  complain(node ? line_of(*node) : line_of(table_), key,
           node ? fmt::format("{}, found {}{}", expected, redacted(shown(*node)), hint) : std::move(expected));
}

void ConfigTable::refuse_item(std::string_view key, std::size_t n, std::string expected) {
  const auto* node = table_.get(key);
  const auto* array = node ? node->as_array() : nullptr;
  const auto* item = array ? array->get(n) : nullptr;
  if (!item) return refuse(key, std::move(expected));
  complain(line_of(*item), key, fmt::format("{}, found {}", expected, redacted(shown(*item))));
}

void ConfigTable::complain(int line, std::string_view key, std::string what) {
  errors_.emplace_back(
      line, Error{std::move(what), one_line(fmt::format("{}:{}: {} {}", file_, line, name_, key)), Blame::user});
}

}  // namespace retrial::trace
