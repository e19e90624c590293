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

// Each call of it in this line with what it is called on: "tolls.quote".
std::vector<std::string_view> called_in(std::string_view line, std::string_view name) {
  std::vector<std::string_view> found;
  for (auto at = line.find(name); at != line.npos; at = line.find(name, at + 1)) {
    auto end = at + name.size();
    if (end == line.size() || line[end] != '(' || (at > 0 && of_a_name(line[at - 1]))) continue;
    auto from = at;
    while (from > 0 && (of_a_name(line[from - 1]) || line[from - 1] == '.')) from--;
    found.push_back(line.substr(from, end - from));
  }
  return found;
}

}  // namespace

std::optional<std::string> asked_again(const trace::Comparison& c, const trace::Call& call,
                                       const trace::Thrown& assertion) {
  constexpr std::size_t kFailed = 2;  // lines: what the assertion looks at may stand above it
  auto function = outermost_frame(call).function;
  auto name = last_name(function);
  if (name.empty() || assertion.source.empty()) return {};
  auto once = [&](const std::vector<trace::Call>& calls) {
    return std::ranges::count_if(calls, [&](auto& other) { return outermost_frame(other).function == function; }) == 1;
  };
  if (!once(c.reference_calls) || !once(c.case_calls)) return {};
  auto lines = split(assertion.source, '\n');
  std::erase_if(lines, [](auto line) { return trim(line).empty(); });
  if (lines.size() <= kFailed) return {};
  auto failed = lines.size() - kFailed;
  for (auto i = failed; i < lines.size(); i++)
    for (auto again : called_in(lines[i], name))
      for (std::size_t before = 1; before < i; before++)
        for (auto first : called_in(lines[before], name))
          if (first == again) return std::string(again) + "()";
  return {};
}

}  // namespace retrial::oracles
