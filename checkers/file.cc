#include "checkers/file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <set>
#include <sstream>

#include "base/escape.h"
#include "checkers/index.h"
#include "trace/toml/toml.h"

namespace retrial::checkers {
namespace {

constexpr std::string_view kKeys[] = {"name", "rule", "service", "after", "then", "fields", "within", "test", "held"};
constexpr std::int64_t kMostHeld = 1'000'000'000'000;

// What a rule is made of.
struct Form {
  bool after, then;
  std::size_t least, most;  // fields
  std::string_view field;   // one of them
};
Form form_of(Rule rule) {
  constexpr std::size_t kAny = 1000;
  switch (rule) {
    case Rule::reads_back:
    case Rule::agrees:
      return {true, true, 1, kAny, "title = title"};
    case Rule::gone:
      return {true, true, 0, 0, ""};
    case Rule::listed:
    case Rule::unlisted:
      return {true, true, 1, 1, "{path} = items[].id"};
    case Rule::adds:
      return {true, true, 1, 1, "+1 = count"};
    case Rule::keeps:
      return {true, true, 1, kAny, "title"};
    case Rule::becomes:
      return {true, true, 1, kAny, "'closed' = state"};
    case Rule::never_falls:
      return {false, true, 1, 1, "count"};
    case Rule::rises:
      return {true, false, 1, 1, "version"};
    case Rule::same_answer:
      return {false, true, 0, 0, ""};
    case Rule::echoes:
      return {false, true, 1, kAny, "{path} = name"};
    case Rule::counts:
      return {false, true, 1, kAny, "items[] = count"};
    case Rule::excludes:
      return {true, false, 0, 0, ""};
  }
  return {};
}

bool has_left(Rule rule) { return form_of(rule).field.find('=') != std::string_view::npos; }

// A number that can be reckoned with, or the name of one.
bool moves_by(std::string_view amount) {
  bool number = amount.front() >= '0' && amount.front() <= '9';
  double value = 0;
  auto [end, error] = std::from_chars(amount.data(), amount.data() + amount.size(), value);
  return !number || (error == std::errc() && end == amount.data() + amount.size());
}

bool is_right(Rule rule, const Field& f) {
  if (f.right.empty() || (has_left(rule) && f.left.empty())) return false;
  switch (rule) {
    case Rule::listed:
      return f.right.find("[]") != f.right.npos;
    case Rule::unlisted:
      return f.right.find("[]") != f.right.npos && f.left == "{path}";
    case Rule::adds:
      return f.left.size() > 1 && (f.left.front() == '+' || f.left.front() == '-') && moves_by(f.left.substr(1));
    case Rule::becomes:
      return f.left.size() >= 2 && f.left.front() == '\'' && f.left.back() == '\'';
    case Rule::counts:
      return f.left.ends_with("[]");
    default:
      return true;
  }
}

Field field_of(Rule rule, const std::string& text) {
  if (!has_left(rule)) return {"", text};
  auto equals = text.rfind(" = ");
  return equals == text.npos ? Field{} : Field{text.substr(0, equals), text.substr(equals + 3)};
}
std::string show(const Field& f) { return f.left.empty() ? f.right : f.left + " = " + f.right; }

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out += fmt::format("\\{}", c);
    else if (byte < 0x20 || byte == 0x7f)
      out += fmt::format("\\u{:04x}", byte);
    else
      out += c;
  }
  return out + "\"";
}

std::optional<std::string> operation_in(trace::ConfigTable& table, std::string_view key, bool wanted) {
  auto text = table.text(key);
  if (!wanted) {
    if (table.has(key)) table.refuse(key, "expected none, this rule has no such operation");
    return {};
  }
  if (text && !words_of(*text).empty()) return text;
  if (text || !table.has(key)) table.refuse(key, "expected an operation such as \"GET /docs/{id}\"");
  return {};
}

std::optional<Checker> checker_in(trace::ConfigTable table, std::set<std::string>& names) {
  table.only(kKeys);
  Checker c;
  auto name = table.text("name");
  if (!table.has("name") || (name && (name->empty() || !names.insert(*name).second)))
    table.refuse("name", "expected a name that no other checker has");
  c.name = name.value_or("");
  auto word = table.word("rule", rule_words());
  if (!table.has("rule")) table.refuse("rule", fmt::format("expected one of {}", fmt::join(rule_words(), ", ")));
  auto service = table.text("service");
  if (!table.has("service") || (service && service->empty()))
    table.refuse("service", "expected an address as a report shows it, such as \"127.0.0.1:*\", or \"*\"");
  c.service = service.value_or("");
  if (auto within = table.word("within", within_words()))
    c.within = static_cast<Within>(std::ranges::find(within_words(), *within) - within_words().begin());
  c.test = table.text("test").value_or("");
  c.held = static_cast<std::uint64_t>(table.number("held", 0, kMostHeld).value_or(0));
  auto texts = table.texts("fields");
  if (!word) return {};
  c.rule = *rule_named(*word);
  auto form = form_of(c.rule);
  c.after = operation_in(table, "after", form.after).value_or("");
  c.then = operation_in(table, "then", form.then).value_or("");
  for (auto& text : texts) c.fields.push_back(field_of(c.rule, text));
  auto expected = form.most == 0
                      ? std::string("expected none, this rule looks at the whole")
                      : fmt::format("expected {} such as \"{}\"", form.most == 1 ? "one" : "some", form.field);
  auto wrong = std::ranges::find_if(c.fields, [&](auto& f) { return !is_right(c.rule, f); });
  if (texts.size() < form.least || texts.size() > form.most)
    table.refuse("fields", expected);
  else if (wrong != c.fields.end())
    table.refuse_item("fields", static_cast<std::size_t>(wrong - c.fields.begin()), expected);
  return c;
}

std::vector<Checker>& chosen() {
  static std::vector<Checker> all;
  return all;
}

}  // namespace

std::string text_of(const std::vector<Checker>& checkers, const std::string& about) {
  auto out = fmt::format("# {}\n", one_line(about));
  for (auto& c : checkers) {
    out += fmt::format("\n# {}\n[[checker]]\nname    = {}\nrule    = {}\nservice = {}\n", one_line(sentence(c)),
                       in_quotes(c.name), in_quotes(show(c.rule)), in_quotes(c.service));
    if (!c.after.empty()) out += fmt::format("after   = {}\n", in_quotes(c.after));
    if (!c.then.empty()) out += fmt::format("then    = {}\n", in_quotes(c.then));
    if (!c.fields.empty()) {
      std::string list;
      for (auto& f : c.fields) list += (list.empty() ? "" : ", ") + in_quotes(show(f));
      out += fmt::format("fields  = [{}]\n", list);
    }
    if (c.within != Within::resource) out += fmt::format("within  = {}\n", in_quotes(show(c.within)));
    if (!c.test.empty()) out += fmt::format("test    = {}\n", in_quotes(c.test));
    if (c.held) out += fmt::format("held    = {}\n", c.held);
  }
  return out;
}

Result<std::vector<Checker>> parse(std::string_view text, const std::string& file_name) {
  trace::Errors errors;
  std::vector<Checker> out;
  if (auto parsed = trace::parse_toml(text, file_name, errors)) {
    std::set<std::string> names;
    for (auto&& [key, node] : *parsed) {
      auto line = static_cast<int>(key.source().begin.line);
      const auto* array = node.as_array();
      if (key.str() != "checker" || !array || !array->is_homogeneous<toml::table>()) {
        errors.emplace_back(line, Error{fmt::format("{}: expected tables [[checker]] and nothing else",
                                                    one_line(std::string(key.str()))),
                                        fmt::format("{}:{}", file_name, line), Blame::user});
        continue;
      }
      int n = 0;
      for (auto&& element : *array)
        if (auto c = checker_in({*element.as_table(), fmt::format("[[checker]] {}", ++n), file_name, errors}, names))
          out.push_back(std::move(*c));
    }
  }
  if (errors.empty() && out.empty()) return fail("holds no [[checker]]", file_name, Blame::user);
  if (errors.empty()) return out;
  return std::unexpected(std::ranges::min_element(errors, {}, [](auto& e) { return e.first; })->second);
}

Result<std::vector<Checker>> load(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  if (!in || std::filesystem::is_directory(file))
    return fail_errno("cannot be read", in ? EISDIR : errno, file.string(), Blame::user);
  text << in.rdbuf();
  return parse(text.str(), file.string());
}

void use(std::vector<Checker> checkers) { chosen() = std::move(checkers); }
const std::vector<Checker>& in_use() { return chosen(); }

}  // namespace retrial::checkers
