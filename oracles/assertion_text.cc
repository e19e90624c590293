#include "oracles/assertion_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <vector>

#include "base/text.h"
#include "oracles/client_words.h"
#include "oracles/evidence.h"
#include "oracles/failure.h"
#include "oracles/ledger.h"
#include "oracles/taken_for_data.h"
#include "trace/profiles/message.h"

namespace retrial::oracles {

// Go shows it without quotes.
bool hands_back(const trace::Call& call, std::string_view message) {
  constexpr std::size_t kName = 3, kShortName = 2;
  auto parts = trace::message::segments(trace::message::path_of(call.first().target));
  return std::ranges::any_of(parts, [&](auto part) {
    auto name = percent_decode(part);
    auto listed = message.find("[" + name + "]");
    bool by_itself = listed != message.npos && (listed == 0 || message[listed - 1] == ' ');
    if (listed != message.npos && (name.size() >= kName || (by_itself && name.size() >= kShortName))) return true;
    if (!message.contains("[]")) return false;
    for (auto* alone : {"['{}']", "[\"{}\"]", "[ '{}' ]"})
      if (message.contains(fmt::format(fmt::runtime(alone), name))) return true;
    return part == parts.back() && name.size() >= kName && message.contains(name);
  });
}

bool compares_contents(std::string_view message) {
  message = message.substr(0, message.find("comparison failed"));  // pytest.approx says so of any two numbers
  auto words = words_in(message);
  if (tells_failure(message)) return false;
  for (std::string_view none : {"none", "null", "nil", "undefined", "true", "false"})
    if (words.contains(std::string(none))) return false;
  if (message.find('[') != message.npos && message.find(']') != message.npos) return true;
  for (std::string_view empty : {"set()", "Set(0)", "Map(0)"})  // as Python and Node show what a list shows by []
    if (message.contains(empty)) return true;
  std::set<std::int64_t> numbers;
  for (auto& word : words)
    if (auto number = to_int(word.first)) numbers.insert(*number);
  return numbers.size() > 1 && *numbers.rbegin() > 1;
}

namespace {

bool of_a_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }

// "(*Studio).PriceOf" and "Studio.price" are called by their last name.
std::string_view last_name(std::string_view function) {
  auto dot = function.rfind('.');
  return dot == function.npos ? function : function.substr(dot + 1);
}

// "(a, f(b))" at the beginning of a text; empty: it is not closed there.
std::string_view arguments_at(std::string_view text) {
  int open = 0;
  for (std::size_t i = 0; i < text.size(); i++)
    if (open += (text[i] == '(') - (text[i] == ')'); open == 0) return text.substr(0, i + 1);
  return {};
}

struct Called {
  std::string_view name;       // with what it is called on: "tolls.quote"
  std::string_view arguments;  // empty: they do not end in this line
};
std::vector<Called> called_in(std::string_view line, std::string_view name) {
  std::vector<Called> found;
  for (auto at = line.find(name); at != line.npos; at = line.find(name, at + 1)) {
    auto end = at + name.size();
    if (end == line.size() || line[end] != '(' || (at > 0 && of_a_name(line[at - 1]))) continue;
    auto from = at;
    while (from > 0 && (of_a_name(line[from - 1]) || line[from - 1] == '.')) from--;
    found.push_back({line.substr(from, end - from), arguments_at(line.substr(end))});
  }
  return found;
}

}  // namespace

std::optional<AskedAgain> asked_again(const trace::Comparison& c, const trace::Call& call,
                                      const trace::Thrown& assertion) {
  constexpr std::size_t kFailed = 2;  // lines: what the assertion looks at may stand above it
  auto function = outermost_frame(call).function;
  auto name = last_name(function);
  if (name.empty() || assertion.source.empty()) return {};
  auto* beside = counterpart(c, call);
  if (!beside) return {};
  auto count = [&](const std::vector<trace::Call>& calls, auto counts) {
    return std::ranges::count_if(
        calls, [&](auto& other) { return outermost_frame(other).function == function && counts(other.first()); });
  };
  auto any = [](auto&) { return true; };
  auto of_operation = [&](auto& e) { return e.operation == call.first().operation; };
  auto same_as = [](auto& own) { return [&own](auto& e) { return same_request(e, own.first()); }; };
  // Who asks again in other words (a number in each request) asks more often.
  if (count(c.reference_calls, same_as(*beside)) != 1 || count(c.case_calls, same_as(call)) != 1 ||
      count(c.reference_calls, of_operation) != count(c.case_calls, of_operation))
    return {};
  bool alone = count(c.reference_calls, any) == 1 && count(c.case_calls, any) == 1;
  auto lines = split(assertion.source, '\n');
  std::erase_if(lines, [](auto line) { return trim(line).empty(); });
  if (lines.size() <= kFailed) return {};
  auto failed = lines.size() - kFailed;
  for (auto i = failed; i < lines.size(); i++)
    for (auto again : called_in(lines[i], name))
      for (std::size_t before = 1; before < i; before++)
        for (auto first : called_in(lines[before], name))
          if (first.name == again.name && (alone || (!again.arguments.empty() && first.arguments == again.arguments)))
            return AskedAgain{std::string(again.name) + "()", !alone};
  return {};
}

}  // namespace retrial::oracles
